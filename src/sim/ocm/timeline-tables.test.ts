import { describe, expect, it } from 'vitest';
import type { SimulatedTimeline } from './timeline.ts';
import { timelineTables } from './timeline-tables.ts';

type Waiting = SimulatedTimeline['waiting'][number];

const upgrade = (cluster: string, at: string) => ({
  ...{ at, environment: 'live', organization: 'first', cluster, from: '4.18.1', to: '4.18.2' },
});
const waits = (name: string, gate: string) => ({
  ...{
    id: name as Waiting['id'],
    uuid: name as Waiting['uuid'],
    name,
    version: '4.18.1',
    channel: 'stable',
    organization: 'first',
  },
  ...{ action: 'wait' as const, gate, reason: `${name} waits` },
});
const TIMELINE: SimulatedTimeline = {
  ...{ from: '2026-03-01T00:00:00Z', to: '2026-03-08T00:00:00Z', clusters: 6, passes: 168 },
  upgraded: [
    ...['d', 'c', 'b', 'a'].map((name) => upgrade(name, '2026-03-03T05:00:00Z')),
    upgrade('e', '2026-03-04T05:00:00Z'),
  ],
  waiting: [waits('a', 'soak'), waits('b', 'soak'), waits('c', 'sector')],
  told: ['b', 'a', 'b'].map((cluster) => ({ at: '', cluster, summary: '', problem: 'no schedule' })),
};

describe('a simulated timeline', () => {
  it('is summed up by day, by reason and by problem', () => {
    const { upgraded, waiting, notices } = timelineTables(TIMELINE, false);
    expect(upgraded.rows).toEqual([
      ['2', '2026-03-03', 'first', '4.18.1 → 4.18.2', 'a, b, c and 1 more'],
      ['3', '2026-03-04', 'first', '4.18.1 → 4.18.2', 'e'],
    ]);
    expect(waiting.rows).toEqual([
      ['soak', 'first', '2', 'a', 'a waits'],
      ['sector', 'first', '1', 'c', 'c waits'],
    ]);
    expect(notices.rows).toEqual([['a, b', 'no schedule']]);
  });

  it('shows every upgrade and every waiting cluster when it is wide', () => {
    const { upgraded, waiting } = timelineTables(TIMELINE, true);
    expect(upgraded.rows).toHaveLength(5);
    expect(upgraded.rows[0]).toEqual(['2026-03-03 05:00', 'live', 'first', 'd', '4.18.1 → 4.18.2']);
    expect(waiting.rows).toHaveLength(3);
  });
});
