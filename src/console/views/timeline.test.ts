import { describe, expect, it } from 'vitest';
import { consoleFacts, consoleState } from '../../../test/support/console-state.ts';
import { type Instant, instantOf, MICROS } from '../../gates/index.ts';
import type { Version } from '../../upgrades/index.ts';
import { upgradesView } from '../derive.ts';
import type { ClusterRow, ConsoleState, UpgradesData, VersionChange } from '../state.ts';
import { axisOf, timelineRows } from './timeline.ts';

const NOW = instantOf(Date.parse('2026-03-02T10:00:00Z'));
const day = (days: number): Instant => (NOW + days * MICROS.day) as Instant;

function stateWith(startedAt: Instant, versionChanges: readonly VersionChange[]): ConsoleState {
  return consoleState(consoleFacts({ startedAt, versionChanges: new Map([['a', versionChanges]]) }));
}

const ROW = { cluster: { environment: 'e', id: 'a', version: '4.1.1' } } as unknown as ClusterRow;
const UPGRADE = { clusterId: 'a', from: '4.1.1', version: '4.1.2' as Version, startsAt: day(2), endsAt: day(3) };
const POOL = { ...UPGRADE, nodePool: 'p', startsAt: day(4), endsAt: day(5) };
const DATA = upgradesView({
  forecast: {
    ...{ from: NOW, to: day(12), assumptions: [] },
    clusters: [{ environment: 'e', id: 'a', version: '4.1.1', upgrades: [UPGRADE, POOL], waiting: [] }],
  },
  recorded: new Map([['a', ['4.0.9', '4.1.0', '4.1.1']]]),
  past: new Map(),
  ...{ clusters: [], report: [], notes: [], plan: { environments: [], organizations: [] } },
} as unknown as UpgradesData);

describe('the timeline', () => {
  it('has what was seen before now, and what is foreseen after; node pools are no version of the cluster', () => {
    const versionChanges = [
      { version: '4.1.0', since: day(-4) },
      { version: '4.1.1', since: day(-1) },
    ];
    const [row] = timelineRows([ROW], DATA, stateWith(day(-4), versionChanges));
    expect(row?.stretches).toEqual([
      { kind: 'seen', version: '4.1.0', from: day(-4), to: day(-1) },
      { kind: 'seen', version: '4.1.1', from: day(-1), to: NOW },
      { kind: 'foreseen', version: '4.1.1', from: NOW, to: day(3) },
      { kind: 'foreseen', version: '4.1.2', from: day(3), to: day(12) },
    ]);
    expect(row?.recorded).toEqual(['4.0.9']);
  });

  it.each([
    { since: 0, from: -1 },
    { since: -7, from: -7 },
    { since: -400, from: -30 },
  ])('of a console that started on day $since begins on day $from', ({ since, from }) => {
    expect(axisOf(DATA, stateWith(day(since), []))).toEqual({ from: day(from), to: day(12), now: NOW });
  });
});
