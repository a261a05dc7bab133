import { mapLimited } from '../../src/base/index.ts';
import type { KubeClient } from '../../src/clients/kube/index.ts';
import { createConfigMapStore } from '../../src/clients/state/configmap-store.ts';
import { instantOf, MICROS } from '../../src/gates/index.ts';
import type { RenderCache, RolloutPass, RolloutPorts } from '../../src/manager/index.ts';
import { type RolloutRecord, rolloutRecords, type ScopeRecord } from '../../src/rollouts/index.ts';
import type { RealKube } from '../support/real-kube.ts';
import { benchPass, CONCURRENCY, type Counted, NAMESPACE } from './cluster-parts.ts';

const FILE = JSON.stringify({
  tracks: [
    {
      name: 'all',
      match: { environments: ['*'], integrations: ['*'] },
      waves: [{ name: 'canary', percent: 2 }, { name: 'early', percent: 20 }, { name: 'rest' }],
      window: '* 0-23 * * *',
      health: { queries: [] },
    },
  ],
  freezes: [{ name: 'f', from: '2026-12-20T00:00:00Z', until: '2027-01-03T00:00:00Z', reason: 'r' }],
});

/** The same pass with rollouts, of which all are complete: nothing is under way, as on most days. */
export async function completedPass(
  folder: string,
  client: KubeClient,
  kube: RealKube,
  cache: RenderCache,
): Promise<Counted> {
  await markReady(client, kube);
  const store = createConfigMapStore({ namespace: NAMESPACE, name: 'rollouts', client: async () => client });
  const ports: RolloutPorts = {
    ...{ records: rolloutRecords(store), isRequired: true, mayMove: () => true, period: MICROS.minute },
    now: () => instantOf(Date.now()),
    file: async () => ({ name: 'rollouts.yml', content: FILE }),
  };
  let last: RolloutPass | undefined;
  const onRollouts = (pass: RolloutPass | undefined): void => {
    last = pass;
  };
  const counted = await benchPass(folder, client, { rollouts: ports, onRollouts, cache });
  await counted.pass();
  if (last?.decision === undefined) throw new Error('the first pass decided no rollout');
  await ports.records.save(completed(last.decision.record), (await ports.records.load()).version);
  return {
    ...counted,
    pass: async () => {
      const outcome = await counted.pass();
      const isOver = last?.decision?.tracks.every(({ state, alerts }) => state === 'complete' && alerts.length === 0);
      if (isOver !== true) throw new Error('the rollout is not complete');
      return outcome;
    },
  };
}

function completed({ scopes, ...rest }: RolloutRecord): RolloutRecord {
  return { ...rest, scopes: new Map([...scopes].map(([key, scope]) => [key, completedScope(scope)])) };
}

function completedScope(scope: ScopeRecord): ScopeRecord {
  const tracks = [...scope.tracks].map(
    ([name, track]) => [name, { ...track, isComplete: true, stable: track.target }] as const,
  );
  const shards = [...scope.shards].map(([id, { soak: _, move: __, ...shard }]) => {
    return [id, { ...shard, ...(shard.image === undefined ? {} : { good: shard.image }) }] as const;
  });
  return { ...scope, tracks: new Map(tracks), shards: new Map(shards) };
}

/** What the controllers would report, which do not run here. */
async function markReady(client: KubeClient, kube: RealKube): Promise<void> {
  const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  await mapLimited(await client.list('Deployment', { namespace: NAMESPACE }), CONCURRENCY, async ({ metadata }) => {
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${metadata.name}/status`;
    const answer = await kube.admin('PATCH', path, { status }, 'application/merge-patch+json');
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  });
}
