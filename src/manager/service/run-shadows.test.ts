import { describe, expect, it } from 'vitest';
import { clusterError } from '../../../test/support/memory-cluster.ts';
import { type MemoryShadows, memoryShadows } from '../../../test/support/memory-shadows.ts';
import type { Instant } from '../../gates/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { shardRuns } from '../shadow/shard-runs.ts';
import type { PlacedJobs } from './observed-shadows.ts';
import { runShadows, type ShadowPass } from './run-shadows.ts';
import { type ShadowAccess, shadowMemory } from './shadow-access.ts';

const [OLD, NEW] = ['quay.io/o/r:1', 'quay.io/o/r:2'];
const WORKLOAD: KubeObject = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', namespace: 'fleet' } },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'int', image: OLD }] } },
  },
};
const NOW = 1_794_812_460_000_000 as Instant;

interface World {
  readonly cluster: MemoryShadows;
  readonly access: ShadowAccess;
  /** A pass that wants the shadow, or none. */
  run(more?: { integration?: string; wants?: boolean; mayWrite?: () => boolean }): Promise<void>;
  images(): string[];
}

function world(objects: readonly KubeObject[] = [WORKLOAD]): World {
  const cluster = memoryShadows(objects);
  const access: ShadowAccess = { connect: async () => cluster, owner: 'me', memory: shadowMemory() };
  return {
    cluster,
    access,
    images: () => cluster.jobs().map((job) => JSON.stringify(job['spec']).match(/"image":"([^"]+)"/)?.[1] ?? ''),
    run: ({ integration = 'i', wants = true, mayWrite = () => true } = {}) => {
      const facts = { id: 'i/x', integration, shard: 'x', cluster: 'c', namespace: 'fleet', live: { image: OLD } };
      const placed = { facts, kind: 'Deployment', name: 'x', workload: { object: WORKLOAD } };
      const { whole, half } = shardRuns({ jobs: cluster.jobs(), pods: [] }, 'me');
      const jobs: PlacedJobs[] = [{ cluster: 'c', place: 'c/fleet', running: whole, over: half }];
      const scope = { facts: { environment: 'e', upstream: 'u', shards: [facts] }, shards: new Map([['i/x', placed]]) };
      const track = {
        environment: 'e',
        upstream: 'u',
        shadows: wants ? [{ id: 'i/x', image: NEW, baseline: OLD }] : [],
      };
      const place = { cluster: 'c', namespace: 'fleet' };
      return runShadows(access, {
        decision: { tracks: [track] },
        observed: { scopes: [scope], compared: [], jobs },
        input: {
          signal: new AbortController().signal,
          live: [{ cluster: 'c', namespaces: [{ ...place, objects }] }],
          fleet: { instance: { integrations: [{ name: integration }] }, rendered: { namespaces: [] } },
        },
        ...{ now: NOW, mayWrite },
      } as unknown as ShadowPass);
    },
  };
}

describe('the shadows that a pass runs', () => {
  it('are both images of a shard, once', async () => {
    const { run, images } = world();
    await run();
    await run();
    expect(images().sort()).toEqual([OLD, NEW]);
  });

  it('are removed when nobody waits for them any more', async () => {
    const { run, images } = world();
    await run();
    await run({ wants: false });
    expect(images()).toEqual([]);
  });

  it('start again where one of the two is missing', async () => {
    const { run, images, cluster } = world();
    cluster.memory.fail({
      when: ({ name }) => name?.endsWith('-candidate') === true,
      error: clusterError('X'),
      times: 1,
    });
    await run();
    expect(images()).toEqual([OLD]);
    await run();
    expect(images()).toEqual(expect.arrayContaining([NEW]));
  });

  it('are not touched by a manager that has lost the lease', async () => {
    const { run, cluster } = world();
    await run({ mayWrite: () => false });
    expect(cluster.memory.writes).toEqual([]);
    await run();
    const before = cluster.jobs().length;
    await run({ wants: false, mayWrite: () => false });
    expect(cluster.jobs()).toHaveLength(before);
  });

  it.each([
    { given: 'writes in dry run', integration: 'gitlab-labeler', says: /writes in dry run/ },
    { given: 'is selected by another workload', objects: [WORKLOAD, selecting()], says: /selector of StatefulSet/ },
  ])('are none where the shard $given; the next pass learns why', async ({ integration = 'i', objects, says }) => {
    const { run, cluster, access } = world(objects);
    await run({ integration });
    expect(cluster.memory.writes).toEqual([]);
    expect([...access.memory.refused.values()]).toEqual([
      { image: NEW, baseline: OLD, at: NOW, result: 'inconclusive', differences: 0, text: expect.stringMatching(says) },
    ]);
  });

  it.each([
    { code: 'KUBE_FORBIDDEN', isNoted: true },
    { code: 'KUBE_UNREACHABLE', isNoted: false },
    { code: 'LEASE_LOST', isNoted: false },
  ])('that a cluster answers with $code are noted as refused: $isNoted', async ({ code, isNoted }) => {
    const { run, cluster, access } = world();
    cluster.memory.fail({ when: ({ verb }) => verb === 'apply', error: clusterError(code) });
    await run();
    expect(access.memory.refused.size).toBe(isNoted ? 1 : 0);
  });
});

function selecting(): KubeObject {
  const selector = { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'greedy' }, spec: { selector } };
}
