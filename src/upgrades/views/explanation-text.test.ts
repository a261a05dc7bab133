import { describe, expect, it } from 'vitest';
import type { ClusterExplanation } from './explanation.ts';
import { explanationText } from './explanation-text.ts';

const CLUSTER: ClusterExplanation = {
  ...{
    id: 'id' as ClusterExplanation['id'],
    uuid: 'uuid' as ClusterExplanation['uuid'],
    name: 'prod-1',
    version: '4.18.1',
    channel: 'stable-4.18',
  },
  ...{ environment: 'live', orgId: 'org-1', organization: 'first', decidedAt: '2026-03-02T00:00:00Z' },
  ...{ action: 'wait', gate: 'soak', reason: 'soaked 1 of 2 days' },
  policy: {},
  before: [],
  candidates: [],
};

describe('an explanation in words', () => {
  it.each<{ more: Partial<ClusterExplanation>; headline: string }>([
    { more: {}, headline: 'prod-1 stays on 4.18.1: soaked 1 of 2 days' },
    {
      more: { action: 'upgrade', to: '4.18.2', startsAt: '2026-03-02T01:00:00Z' },
      headline: 'prod-1 upgrades from 4.18.1 to 4.18.2 at 2026-03-02T01:00:00Z',
    },
    {
      more: { action: 'cancel', to: '4.18.2', reason: 'is blocked' },
      headline: 'the upgrade of prod-1 to 4.18.2 is cancelled: is blocked',
    },
    {
      more: { action: 'upgrade-node-pool', to: '4.18.2', nodePool: 'workers', startsAt: '2026-03-02T01:00:00Z' },
      headline: 'node pool workers of prod-1 upgrades to 4.18.2 at 2026-03-02T01:00:00Z',
    },
    {
      more: {
        to: '4.18.2',
        candidates: [
          {
            ...{ version: '4.18.2', chosen: false, gates: [], startsNotBefore: '2026-03-02T08:00:00Z' },
            opens: { at: '2026-03-02T06:00:00Z', after: 'canary-1 runs 4.18.2' },
          },
        ],
      },
      headline:
        'prod-1 stays on 4.18.1: 4.18.2 starts not before 2026-03-02T08:00:00Z, and after canary-1 runs 4.18.2: soaked 1 of 2 days',
    },
  ])('begins with "$headline"', ({ more, headline }) => {
    expect(explanationText({ ...CLUSTER, ...more }).headline).toBe(headline);
  });

  it('leaves out facts that are not known, and an id that is the name', () => {
    expect(explanationText({ ...CLUSTER, policy: { soakDays: 0, workloads: ['a', 'b'] } }).facts).toEqual([
      ['organization', 'live/first (org-1)'],
      ['uuid', 'uuid'],
      ['channel', 'stable-4.18'],
      ['soak days', '0'],
      ['workloads', 'a, b'],
      ['as of', '2026-03-02T00:00:00Z'],
    ]);
    expect(explanationText({ ...CLUSTER, organization: 'org-1' }).facts[0]).toEqual(['organization', 'live/org-1']);
  });

  it('names a candidate once, and ends with when each can be taken', () => {
    const gates = [
      { gate: 'soak', state: 'wait', reason: 'soaked 1 of 2 days', opens: { at: '2026-03-03T00:00:00Z' } },
      { gate: 'sector', state: 'pass', reason: 'no dependency' },
    ] as const;
    const { rows, endings } = explanationText({
      ...CLUSTER,
      action: 'upgrade',
      to: '4.18.3',
      before: [{ gate: 'policy', state: 'broken', reason: 'no schedule' }],
      candidates: [
        { version: '4.18.3', chosen: true, gates: [] },
        { version: '4.18.2', nodePool: 'workers', chosen: false, gates, opens: { at: '2026-03-03T00:00:00Z' } },
        { version: '4.18.1', chosen: false, gates: [], opens: { after: 'canary upgrades' } },
        { version: '4.18.0', chosen: false, gates: [] },
      ],
    });
    expect(rows).toEqual([
      ['-', 'policy', 'broken', 'no schedule', '-'],
      ['4.18.2 (workers)', 'soak', 'wait', 'soaked 1 of 2 days', '2026-03-03T00:00:00Z'],
      ['', 'sector', 'pass', 'no dependency', '-'],
    ]);
    expect(endings).toEqual([
      '4.18.3: taken now',
      '4.18.2 (workers): starts not before 2026-03-03T00:00:00Z',
      '4.18.1: only after canary upgrades',
      '4.18.0: could be taken, but 4.18.3 is later',
    ]);
  });
});
