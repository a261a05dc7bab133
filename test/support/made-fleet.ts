import type { ShardsData, UpgradesData } from '../../src/console/index.ts';
import { type Instant, instantOf, later, MICROS, secondText } from '../../src/gates/index.ts';
import type { Version } from '../../src/upgrades/index.ts';

/** What observations would say of fleets of any size, without a server to observe. The same for the same numbers drawn. */
export type Draw = (below: number) => number;

export const MADE_AT: Instant = instantOf(Date.parse('2026-03-02T10:00:00Z'));

const ACTIONS = [
  ...(['wait', 'wait', 'wait', 'wait', 'agree-gates', 'hold', 'cancel', 'none', 'none'] as const),
  ...(['upgrade', 'upgrade-node-pool', 'switch-channel'] as const),
];
const GATES = ['soak', 'sector', 'schedule', 'mutex', 'version-gate', 'health'];
const STATES = ['converged', 'converged', 'converged', 'lagging', 'missing', 'pinned', 'held', 'unknown'] as const;
const CELLS = ['held', 'held', 'held', 'moving', 'soaking', 'soaked', 'failed'] as const;
/** As long as Kubernetes and OCM allow, and without a place to break. */
const LONG = 'a'.repeat(63);

/** A stream of numbers from a seed. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function pick<Value>(draw: Draw, values: readonly Value[]): Value {
  return values[draw(values.length)] as Value;
}

type Cluster = UpgradesData['clusters'][number];

function madeCluster(index: number, draw: Draw): Cluster {
  const org = draw(10);
  const action = pick(draw, ACTIONS);
  const name = index === 3 ? `c-${LONG}` : `c-${String(index).padStart(5, '0')}`;
  const gate = action === 'none' || action.startsWith('upgrade') ? {} : { gate: pick(draw, GATES) };
  const gates = GATES.map((each) => ({
    gate: each,
    state: 'wait' as const,
    reason: `${each} is closed`,
    opens: { after: 'it' },
  }));
  return {
    ...{ id: `${index}-id`, uuid: `${index}-uuid`, name, version: `4.18.${1 + draw(9)}`, channel: 'stable-4.18' },
    ...{ environment: 'test', orgId: `org-${org}`, organization: `org-${org}`, decidedAt: secondText(MADE_AT) },
    ...{ action, to: '4.18.12', reason: `workload ${draw(5)} has soaked ${draw(7)} of 7 days`, ...gate },
    policy: { sector: pick(draw, ['canary', 'stage', 'prod']), workloads: [pick(draw, ['web', 'ledger', 'batch'])] },
    before: [],
    candidates: [{ version: '4.18.12', chosen: false, gates, opens: { after: 'all of it' } }],
  } as unknown as Cluster;
}

/** One sheet for each organization; every seventh cluster is held, and every fifth has changed its version. */
function madeReport(clusters: readonly Cluster[]): UpgradesData['report'] {
  const sheets = [...Map.groupBy(clusters, ({ orgId }) => orgId)].map(([orgId, own]) => {
    const name = String(orgId);
    const changed = own.filter((_, index) => index % 5 === 0);
    return {
      ...{ environment: 'test', orgId, name, inherits: ['test/other'] },
      rows: own.map(({ id, uuid, name: cluster, version, policy }, index) => ({
        ...{ id, uuid, cluster, version, channel: 'stable', schedule: '* * * * *', sector: policy.sector ?? '' },
        ...{ mutexes: ['m'], soakDays: 7, workloads: policy.workloads ?? [] },
        ...(index % 5 === 0 ? { since: secondText(MADE_AT) } : {}),
        upgrades: [{ version: '4.18.12', soaked: 2.25, gate: 'soak' }],
      })),
      held: own.filter((_, index) => index % 7 === 0).map(({ name: cluster, reason }) => ({ cluster, reason })),
      history: changed.map(({ name: cluster, uuid, version }) => ({
        ...{ at: MADE_AT, event: 'version-changed', environment: 'test', organization: name },
        ...{ cluster, uuid, version, from: '4.17.1' },
      })),
    };
  });
  return sheets as unknown as UpgradesData['report'];
}

export function madeUpgrades(count: number, draw: Draw): UpgradesData {
  const clusters = Array.from({ length: count }, (_, index) => madeCluster(index, draw));
  const upgrade = (hours: number) => ({
    ...{ version: '4.18.12' as Version, startsAt: later(MADE_AT, hours * MICROS.hour) },
    endsAt: later(MADE_AT, (hours + 2) * MICROS.hour),
  });
  const forecast = clusters.map(({ environment, orgId, organization, id, uuid, name, version }) => ({
    ...{ environment, orgId, organization, id, uuid, name, version, waiting: [] },
    upgrades: [{ clusterId: id, from: version, ...upgrade(1 + draw(600)) }],
  }));
  return {
    plan: { environments: [], organizations: [] },
    report: madeReport(clusters),
    ...{ clusters, outlook: { kind: 'ready' }, recorded: new Map(), past: new Map(), notes: [] },
    forecast: {
      ...{ from: MADE_AT, to: later(MADE_AT, 30 * MICROS.day), assumptions: ['nothing else changes'] },
      clusters: forecast as unknown as UpgradesData['forecast']['clusters'],
    },
  };
}

/** In one track of two waves, a tenth in the first. */
export function madeShards(count: number, draw: Draw): ShardsData {
  const shards = Array.from({ length: count }, (_, index) => {
    const integration = `integration-${String(index % Math.ceil(count / 50)).padStart(3, '0')}`;
    const shard = index === 3 ? `s-${LONG}` : `s-${String(index).padStart(5, '0')}`;
    const [expectedTag, liveTag] = ['0473914', pick(draw, ['0473914', 'f929a38', 'abcdef0'])];
    return {
      ...{
        cluster: `cluster-${draw(4)}`,
        namespace: pick(draw, ['fleet', LONG]),
        kind: 'Deployment',
        name: `${integration}-${shard}`,
      },
      ...{
        integration,
        shard,
        state: pick(draw, STATES),
        ready: draw(2),
        wanted: 1,
        environment: 'lab',
        upstream: 'u',
      },
      ...{
        expected: `quay.example/i:${expectedTag}`,
        live: `quay.example/i:${liveTag}`,
        expectedTag,
        liveTag,
        reason: 'as it is',
      },
    };
  });
  const wave = (name: string, own: typeof shards) => ({
    ...{ name, state: 'open' as const, counting: own.length, onTarget: 0, soaked: 0 },
    shards: own.map(({ integration, shard }) => ({
      ...{
        id: `${integration}/${shard}`,
        environment: 'lab',
        track: 'lab',
        wave: name,
        state: pick(draw, CELLS),
        reason: 'as it is',
      },
    })),
  });
  const first = Math.ceil(count / 10);
  const track = {
    track: 'lab',
    environment: 'lab',
    upstream: 'u',
    target: 'quay.example/i:0473914',
    version: '0473914',
  };
  return {
    ...{ revision: 'made', shards, faults: [], errors: 0, pins: [], versions: [] },
    rollouts: {
      tracks: [
        {
          ...track,
          state: 'under-way',
          alerts: [],
          waves: [wave('canary', shards.slice(0, first)), wave('rest', shards.slice(first))],
        },
      ],
      orphans: [],
      ended: [],
    },
  };
}
