import { describe, expect, it } from 'vitest';
import { fleetWith } from '../../test/support/fleet.ts';
import { EchelonError } from '../base/index.ts';
import type { Instant } from '../gates/index.ts';
import type { FleetStatus, ShardStatus } from '../manager/index.ts';
import { DEFAULT_RULES, type Forecast, type PlannedOrganization, type UpgradesService } from '../upgrades/index.ts';
import { addVersionChanges, observeUpgrades, recordedVersions, shardsData, versionHistory } from './observe.ts';
import type { ConsolePin, UpgradesData, VersionChange } from './state.ts';

const NOW = new Date('2026-03-02T10:00:00Z');

/** What is shown, one after the other, of a fleet of so many clusters. */
async function shownOf(clusters: number): Promise<string[]> {
  const made = { plan: { environments: [], organizations: [] } };
  const seen = { made, clusters: Array.from({ length: clusters }, () => ({})), organizations: [] };
  const observe = observeUpgrades({
    open: async () => ({ rules: DEFAULT_RULES, observe: async () => seen }) as unknown as UpgradesService,
    forecast: async () => ({ clusters: [] }) as unknown as Forecast,
    ...{ days: 30, clock: { now: () => NOW }, named: { environment: true, source: true } },
  });
  const shown: UpgradesData[] = [];
  const last = await observe(new AbortController().signal, (data) => shown.push(data));
  if (last.kind === 'seen') shown.push(last.data);
  return shown.map(({ outlook }) => outlook.kind);
}

describe('what is observed of clusters', () => {
  it.each([
    { clusters: 1, shown: ['ready'] },
    { clusters: 2_000, shown: ['ready'] },
    { clusters: 2_001, shown: ['making', 'ready'] },
  ])('is shown with the forecast, or before it in a large fleet: $clusters', async ({ clusters, shown }) => {
    expect(await shownOf(clusters)).toEqual(shown);
  });
});

const at = (value: number): Instant => value as Instant;

describe('what this console saw', () => {
  it('is a version with the look that saw it first', () => {
    const first = addVersionChanges(new Map(), [{ id: 'a', version: '4.1.0' }], at(1));
    const second = addVersionChanges(first, [{ id: 'a', version: '4.1.0' }], at(2));
    const third = addVersionChanges(second, [{ id: 'a', version: '4.1.1' }], at(3));
    expect(third.get('a')).toEqual([
      { version: '4.1.0', since: 1 },
      { version: '4.1.1', since: 3 },
    ]);
  });

  it('stays when a look does not see the cluster', () => {
    const first = addVersionChanges(new Map(), [{ id: 'a', version: '4.1.0' }], at(1));
    const without = addVersionChanges(first, [], at(2));
    const again = addVersionChanges(without, [{ id: 'a', version: '4.1.0' }], at(3));
    expect(again.get('a')).toEqual([{ version: '4.1.0', since: 1 }]);
  });

  it('is kept within limits', () => {
    let seen = addVersionChanges(new Map(), [], at(0));
    for (let look = 1; look <= 80; look += 1)
      seen = addVersionChanges(seen, [{ id: 'a', version: `4.1.${look}` }], at(look));
    expect(seen.get('a')).toHaveLength(50);
    expect(seen.get('a')?.at(-1)).toEqual({ version: '4.1.80', since: 80 });
    const many = Array.from({ length: 10_000 }, (_, index) => ({ id: `c${index}`, version: '4.1.0' }));
    const after = addVersionChanges(seen, many, at(81));
    expect({ size: after.size, forgotten: !after.has('a'), kept: after.has('c0') }).toEqual({
      ...{ size: 10_000, forgotten: true, kept: true },
    });
  });
});

describe('what a history has', () => {
  it('is found by UUID and by name, in order of versions', () => {
    const soak = (...reporting: string[]) => new Map([['wl', { micros: 1, reporting: new Set(reporting) }]]);
    const facts = {
      clusters: [{ id: 'id-a', uuid: 'uuid-a', name: 'a' }],
      held: [{ id: 'id-b', uuid: 'uuid-b', name: 'b' }],
      ledger: {
        sightings: new Map(),
        versions: new Map([
          ['4.10.1', soak('uuid-a')],
          ['4.9.1', soak('a', 'b')],
        ]),
      },
    } as unknown as PlannedOrganization['facts'];
    const found = recordedVersions([{ facts }]);
    expect(Object.fromEntries(found)).toEqual({ 'id-a': ['4.9.1', '4.10.1'], 'id-b': ['4.9.1'] });
  });
});

describe('the dated past of a cluster', () => {
  const versions = (...given: readonly (readonly [string, number])[]): VersionChange[] =>
    given.map(([version, since]) => ({ version, since: since as Instant }));
  it.each([
    { given: 'only this console saw it', kept: [], seen: versions(['1', 5]), is: versions(['1', 5]) },
    { given: 'the scheduler saw the same', kept: versions(['1', 1]), seen: versions(['1', 5]), is: versions(['1', 1]) },
    {
      given: 'the scheduler saw a change first',
      ...{ kept: versions(['1', 1], ['2', 6]), seen: versions(['1', 5], ['2', 7]) },
      is: versions(['1', 1], ['2', 6]),
    },
    {
      given: 'the scheduler stands still, and only this console sees the change',
      ...{ kept: versions(['1', 1]), seen: versions(['1', 5], ['2', 7]), is: versions(['1', 1], ['2', 7]) },
    },
  ])('when $given', ({ kept, seen, is }) => {
    const past = new Map([['a', { versions: kept, scheduled: [] }]]);
    expect(versionHistory({ past }, { versionChanges: new Map([['a', seen]]) }, 'a')).toEqual(is);
  });
});

const instance = fleetWith({});
const [namespace] = instance.namespaces;
const shard = (more: Partial<ShardStatus>): ShardStatus => ({
  ...{ cluster: 'lab', namespace: 'ns', kind: 'Deployment', name: 'x', state: 'converged', ready: 1, wanted: 1 },
  ...more,
});
const down = (message: string) => new EchelonError({ code: 'KUBE_DOWN', message, hint: 'start it' });

it('what the console shows of a fleet has environments, short images, and each fault once', () => {
  const fleet = {
    ...{ instance, problems: [], scope: {}, access: [] },
    groups: [{ namespace: namespace!, entries: [] }],
    shards: [shard({ expected: 'registry/i:abc', live: 'registry/i:def' }), shard({ cluster: 'lost' })],
    rendered: { namespaces: [], failures: [] },
    failures: [
      { cluster: 'lab', namespace: 'ns', error: down('lab: no response') },
      { cluster: 'lab', namespace: 'other', error: down('lab: no response') },
      { cluster: 'lab', namespace: 'ns', error: down('forbidden') },
    ],
  } as unknown as FleetStatus;
  const pin = (cluster: string): ConsolePin => ({
    ...{ expired: false, pin: { cluster, namespace: 'ns' } as ConsolePin['pin'] },
  });
  expect(shardsData(fleet, { pins: [pin('lab'), pin('lost')], versions: [] })).toEqual({
    revision: 'hand-made',
    shards: [
      { ...fleet.shards[0], environment: 'lab', expectedTag: 'abc', liveTag: 'def' },
      shard({ cluster: 'lost' }),
    ],
    faults: [
      { code: 'KUBE_DOWN', message: 'lab: no response', hint: 'start it' },
      { code: 'KUBE_DOWN', message: 'lab/ns: forbidden', hint: 'start it' },
    ],
    errors: 0,
    pins: [pin('lab')],
    versions: [],
  });
});
