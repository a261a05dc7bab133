import { describe, expect, it } from 'vitest';
import { defined, memoryStateStore } from '../../src/base/index.ts';
import { type Instant, later, MICROS, parseInstant } from '../../src/gates/index.ts';
import { readInstance, revisionKey } from '../../src/instance/index.ts';
import type { KubeObject } from '../../src/manager/desired/desired-namespace.ts';
import type { NamespaceValues } from '../../src/manager/desired/values.ts';
import {
  type Manager,
  managerSettings,
  memoryCache,
  openManager,
  type RolloutPass,
  type RolloutPorts,
} from '../../src/manager/index.ts';
import { type RolloutRecord, rolloutRecords, type ScopeRecord } from '../../src/rollouts/index.ts';
import { silentLogger } from '../../src/runtime/logs.ts';
import { FLEET, managedOnce } from '../support/fleet.ts';
import { handMadeSnapshot, leanNamespace, ref } from '../support/hand-made-snapshot.ts';
import { memoryChart } from '../support/memory-chart.ts';
import { memoryCluster } from '../support/memory-cluster.ts';

const START = parseInstant('2026-11-16T10:00:00Z') as Instant;
const TRACK = {
  name: 'all',
  match: { environments: ['lab'] },
  waves: [
    { name: 'canary', shards: ['acc-2'], soak: '2m' },
    { name: 'rest', soak: '2m' },
  ],
  window: '* 8-16 * * *',
  health: { queries: [] },
};
const IN_AN_HOUR = { track: 'all', action: 'pause', at: '2026-11-16T11:00:00Z', until: '2026-11-16T12:00:00Z' };

/** What a chart makes of values: a Deployment for each shard. */
function template({ integrations }: NamespaceValues): object {
  const objects = integrations.flatMap(({ name, shard_specs }) =>
    shard_specs.map(({ shard_name_suffix, shard_spec_overrides: own }) => {
      const image = `repo:${own?.['imageRef'] ?? '${IMAGE_TAG}'}`;
      const pods = { spec: { containers: [{ name: 'int', image }] } };
      const metadata = { name: `qontract-reconcile-${name}${shard_name_suffix}` };
      return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 1, template: pods } };
    }),
  );
  const parameters = [{ name: 'IMAGE_TAG' }];
  return { apiVersion: 'template.openshift.io/v1', kind: 'Template', metadata: { name: 'm' }, objects, parameters };
}

function podOf({ metadata: { name, namespace }, spec }: KubeObject): KubeObject {
  const owner = { kind: 'ReplicaSet', name: `${name}-5d4f`, uid: `${name}-5d4f`, controller: true };
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', spec: (spec as { template: { spec: object } }).template.spec },
    metadata: {
      ...{ name: `${name}-5d4f-x`, labels: { 'pod-template-hash': '5d4f' }, ownerReferences: [owner] },
      ...defined({ namespace }),
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [] },
  };
}

/** What happens around managers of one cluster, whose controllers make every pod ready. */
class World {
  now = START;
  tag = 'one';
  tracks: object = { tracks: [TRACK] };
  overrides: readonly object[] = [{ shard: ref('/aws/acc-1.yml'), imageRef: 'pinned' }];
  readonly cluster = memoryCluster();
  readonly store = memoryStateStore();
  #edits = 0;

  /** Another revision of the instance. */
  edit(change: () => void): void {
    change();
    this.#edits += 1;
  }

  instance() {
    const sharding = { strategy: 'per-aws-account', shardSpecOverrides: this.overrides };
    const files = {
      ...FLEET,
      '/ns.yml': leanNamespace('ns', { environment: { name: 'lab', parameters: { IMAGE_TAG: this.tag } } }),
      '/i.yml': managedOnce({ sharding }),
    };
    const own = { '/echelon/rollouts.yml': JSON.stringify(this.tracks) };
    return readInstance({ ...handMadeSnapshot(files, { own }), revision: this.revision() });
  }

  revision() {
    return { id: `r${this.#edits}`, sha256: String(this.#edits).padStart(64, '0') };
  }

  /** As the controllers of the cluster do. */
  settle(): void {
    const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1 };
    const found = this.cluster.objects().filter(({ kind }) => kind === 'Deployment');
    this.cluster.put(...found.flatMap((object) => [{ ...object, status }, podOf(object)]));
  }

  change(name: string, change: (text: string) => string): void {
    const found = this.cluster.objects().filter(({ metadata }) => metadata.name.endsWith(name));
    this.cluster.put(...found.map((object) => JSON.parse(change(JSON.stringify(object)))));
  }
}

interface Running {
  readonly manager: Manager;
  readonly records: RolloutPorts['records'];
  pass(dryRun?: boolean): Promise<RolloutPass>;
}

function started(world: World): Running {
  let last: RolloutPass | undefined;
  const rollouts: RolloutPorts = {
    ...{ records: rolloutRecords(world.store), isRequired: true, mayMove: () => true, period: MICROS.minute },
    now: () => world.now,
  };
  const { signal } = new AbortController();
  const manager = openManager(managerSettings({}, {}), {
    instance: { read: async () => world.instance(), currentRevision: async () => revisionKey(world.revision()) },
    chart: async () => memoryChart({ write: template }),
    cache: memoryCache(),
    resolveRef: async (_, refName) => refName,
    clusters: async () => ({ connect: async () => world.cluster, close: () => undefined }),
    sleep: async () => undefined,
    ...{ signal, rollouts },
  });
  const metrics = {
    ...{ planned: () => undefined, applied: () => undefined },
    rollouts: (pass: RolloutPass | undefined) => {
      last = pass;
    },
  };
  return {
    ...{ manager, records: rollouts.records },
    pass: async (dryRun = false) => {
      const { code } = await manager.pass({ signal, mayWrite: () => true, dryRun, log: silentLogger, metrics });
      if (code !== 0 || last === undefined) throw new Error('the pass failed');
      return last;
    },
  };
}

/** A manager whose rollout has completed, and that has seen nothing change for two passes. */
async function settled(world: World): Promise<Running> {
  const running = started(world);
  for (let minute = 0; minute < 8; minute += 1) {
    await running.pass();
    world.settle();
    world.now = later(world.now, MICROS.minute);
  }
  const states = (await running.pass()).decision?.tracks.map(({ state }) => state);
  expect(states).toEqual(['complete']);
  return running;
}

/** As another manager or a user would store it. */
async function rewritten(world: World, change: (scope: ScopeRecord) => ScopeRecord): Promise<void> {
  const other = rolloutRecords(world.store);
  const { record, version } = await other.load();
  const scopes = new Map([...record.scopes].map(([key, scope]) => [key, change(scope)]));
  expect(await other.save({ ...record, scopes } satisfies RolloutRecord, version)).not.toBe('lost-race');
}

const failed = { shard: 'mine/acc-3', image: 'repo:one', at: START, track: 'all', reason: 'r' };

describe('a pass after a rollout completed and nothing changed', () => {
  it('decides on the facts and records of the pass before, and stores nothing', async () => {
    const world = new World();
    const running = await settled(world);
    const [first, second] = [await running.pass(), await running.pass()];
    const recordOf = ({ decision }: RolloutPass) => [...(decision?.record.scopes.values() ?? [])][0]?.shards;
    expect(recordOf(second)).toBe(recordOf(first));
    expect(second.next).toBeUndefined();
  });

  it.each<{
    given: string;
    overrules?: readonly object[];
    change: (world: World) => void | Promise<void>;
    sees: string;
  }>([
    {
      ...{ given: 'a failure that another process recorded', sees: 'complete halted' },
      change: (world) => rewritten(world, (scope) => ({ ...scope, failures: [failed] })),
    },
    {
      ...{ given: 'a record that another process set back', sees: 'under-way' },
      change: (world) =>
        rewritten(world, (scope) => {
          const tracks = [...scope.tracks].map(([name, track]) => [name, { ...track, isComplete: false }] as const);
          return { ...scope, tracks: new Map(tracks) };
        }),
    },
    {
      ...{ given: 'another good image of one shard in the record', sees: 'complete' },
      change: (world) =>
        rewritten(world, (scope) => {
          const shards = [...scope.shards].map(([id, shard]) => [id, { ...shard, good: 'repo:zero' }] as const);
          return { ...scope, shards: new Map(shards) };
        }),
    },
    {
      ...{ given: 'other waves in the file', sees: 'complete' },
      change: (world) =>
        world.edit(() => {
          world.tracks = { tracks: [{ ...TRACK, waves: [{ name: 'everything' }] }] };
        }),
    },
    {
      ...{ given: 'a track of another name', sees: 'under-way' },
      change: (world) =>
        world.edit(() => {
          world.tracks = { tracks: [{ ...TRACK, name: 'other' }] };
        }),
    },
    {
      ...{ given: 'a new version', sees: 'under-way' },
      change: (world) =>
        world.edit(() => {
          world.tag = 'two';
        }),
    },
    {
      ...{ given: 'the removal of a pin', sees: 'complete' },
      change: (world) =>
        world.edit(() => {
          world.overrides = [];
        }),
    },
    {
      ...{ given: 'a pin', sees: 'complete' },
      change: (world) =>
        world.edit(() => {
          world.overrides = [...world.overrides, { shard: ref('/aws/acc-3.yml'), imageRef: 'pinned' }];
        }),
    },
    {
      ...{ given: 'a shard that is not ready any more', sees: 'complete failing-after-completion' },
      change: (world) => world.change('acc-3', (text) => text.replace('"readyReplicas":1', '"readyReplicas":0')),
    },
    {
      ...{ given: 'an image that was set by hand', sees: 'complete set-by-hand' },
      change: (world) => world.change('acc-3', (text) => text.replaceAll('repo:one', 'repo:hand')),
    },
    {
      ...{ given: 'another image set by hand where one is pinned', sees: 'complete' },
      change: (world) => world.change('acc-1', (text) => text.replaceAll('repo:pinned', 'repo:hand')),
    },
    {
      ...{ given: 'a workload that is gone', sees: 'complete' },
      change: (world) =>
        world.cluster.take({ kind: 'Deployment', namespace: 'ns', name: 'qontract-reconcile-mine-acc-3' }),
    },
    {
      ...{ given: 'a pause that begins with time alone', sees: 'complete' },
      overrules: [{ ...IN_AN_HOUR, reason: 'r' }],
      change: (world) => {
        world.now = later(world.now, MICROS.hour);
      },
    },
    {
      ...{ given: 'a window that closed', sees: 'complete' },
      change: (world) => {
        world.now = later(world.now, 9 * MICROS.hour);
      },
    },
  ])('sees $given as a manager that starts now does', async ({ overrules = [], change, sees }) => {
    const world = new World();
    world.tracks = { tracks: [TRACK], overrules };
    const running = await settled(world);
    await running.pass();
    world.now = later(world.now, MICROS.minute);
    await change(world);
    const { decision: expected } = await started(world).pass(true);
    const { decision, choices } = await running.pass(true);
    expect(decision).toEqual(expected);
    const told = decision?.tracks.map(({ state, alerts }) => [state, ...alerts.map(({ kind }) => kind)].join(' '));
    expect(told).toEqual([sees]);
    expect(choices.size > 0).toBe((expected?.tracks ?? []).some(({ holds }) => holds.length > 0));
  });
});
