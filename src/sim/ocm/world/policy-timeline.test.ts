import { describe, expect, it } from 'vitest';
import { smallFleet } from '../../../../test/support/sim-ocm-small-fleet.ts';
import { parseFleet } from '../fleet/read-fleet.ts';
import { MINUTE } from '../instants.ts';
import type { Policy, PolicyTimeline } from '../model.ts';
import { randomOf } from '../random.ts';
import { drawTimeline, isOver, isRunning, mayBecome, nextStep } from './policy-timeline.ts';

const TIMELINE: PolicyTimeline = {
  scheduleAfter: 10,
  startAfter: 5,
  endAfter: 90,
  outcome: 'completed',
  visibleFor: 20,
};
const POLICY: Policy = {
  id: 'p',
  slot: 'cluster/c1',
  target: { kind: 'cluster', clusterId: 'c1' },
  upgradeType: 'OSD',
  scheduleType: 'manual',
  schedule: undefined,
  version: '4.18.5',
  nextRun: 1000,
  minorUpgrades: true,
  state: 'pending',
  description: '',
  since: 100,
  timeline: TIMELINE,
  createdAt: 100,
  updatedAt: 100,
};
const late = { ...TIMELINE, delayAfter: 30 };

describe('the next step of a policy', () => {
  it.each([
    { given: 'pending', policy: {}, at: 110, to: 'scheduled' },
    { given: 'scheduled', policy: { state: 'scheduled' }, at: 1005, to: 'started' },
    { given: 'started', policy: { state: 'started', since: 1005 }, at: 1095, to: 'completed' },
    { given: 'started, and late', policy: { state: 'started', since: 1005, timeline: late }, at: 1035, to: 'delayed' },
    { given: 'delayed', policy: { state: 'delayed', since: 1035, timeline: late }, at: 1095, to: 'completed' },
    {
      given: 'bound to fail',
      policy: { state: 'started', timeline: { ...TIMELINE, outcome: 'failed' } },
      at: 190,
      to: 'failed',
    },
    { given: 'completed', policy: { state: 'completed' }, at: 120, to: 'gone' },
    { given: 'failed', policy: { state: 'failed' }, at: 120, to: 'gone' },
    { given: 'cancelled', policy: { state: 'cancelled' }, at: 120, to: 'gone' },
    {
      given: 'automatic without a version',
      policy: { scheduleType: 'automatic', version: '' },
      at: 1000,
      to: 'replanned',
    },
    {
      given: 'automatic and completed',
      policy: { scheduleType: 'automatic', state: 'completed' },
      at: 120,
      to: 'replanned',
    },
  ] as const)('that is $given is $to at $at', ({ policy, at, to }) => {
    expect(nextStep({ ...POLICY, ...policy })).toEqual({ at, to });
  });
});

describe('from outside', () => {
  it.each([
    ['pending', 'scheduled', false],
    ['scheduled', 'started', true],
    ['scheduled', 'completed', false],
    ['started', 'delayed', true],
    ['started', 'completed', true],
    ['delayed', 'started', false],
    ['delayed', 'failed', true],
    ['started', 'cancelled', true],
    ['completed', 'cancelled', false],
    ['failed', 'started', false],
  ] as const)('%s to %s is allowed: %s', (from, to, allowed) => {
    expect(mayBecome(from, to)).toBe(allowed);
  });
});

it.each([
  ['pending', false, false],
  ['scheduled', false, false],
  ['started', true, false],
  ['delayed', true, false],
  ['completed', false, true],
  ['failed', false, true],
  ['cancelled', false, true],
] as const)('%s is running: %s, is over: %s', (state, running, over) => {
  expect([isRunning(state), isOver(state)]).toEqual([running, over]);
});

describe('a drawn timeline', () => {
  const { timing } = parseFleet(smallFleet({ timing: { classic: '60m..120m' } }));
  const timelines = (outcomes: { delayed: number; failed: number }): PolicyTimeline[] =>
    Array.from({ length: 200 }, (_, seed) => drawTimeline(randomOf(seed), 'cluster', timing, outcomes));

  it('varies within its range', () => {
    const durations = timelines({ delayed: 0, failed: 0 }).map(({ endAfter }) => endAfter / MINUTE);
    expect(Math.min(...durations)).toBeGreaterThanOrEqual(60);
    expect(Math.max(...durations)).toBeLessThanOrEqual(120);
    expect(Math.max(...durations) - Math.min(...durations)).toBeGreaterThan(30);
  });

  it('that goes well is never delayed', () => {
    expect(
      timelines({ delayed: 0, failed: 0 }).every(
        ({ delayAfter, outcome }) => delayAfter === undefined && outcome === 'completed',
      ),
    ).toBe(true);
  });

  it('that is delayed is so after 30 minutes and takes longer', () => {
    for (const timeline of timelines({ delayed: 1, failed: 0 })) {
      expect(timeline).toMatchObject({ delayAfter: 30 * MINUTE, outcome: 'completed' });
      expect(timeline.endAfter).toBeGreaterThanOrEqual(90 * MINUTE);
    }
  });

  it('that fails does so after 120 minutes', () => {
    expect(timelines({ delayed: 0, failed: 1 })[0]).toMatchObject({
      delayAfter: 30 * MINUTE,
      endAfter: 120 * MINUTE,
      outcome: 'failed',
    });
  });

  it('fails about as often as it should', () => {
    const failed = timelines({ delayed: 0, failed: 0.25 }).filter(({ outcome }) => outcome === 'failed').length;
    expect(failed).toBeGreaterThan(25);
    expect(failed).toBeLessThan(75);
  });
});
