import type { KubeObject } from '../../src/manager/desired/desired-namespace.ts';
import type { ShadowCluster } from '../../src/manager/shadow/shadow-cluster.ts';
import { clusterError, type MemoryCluster, memoryCluster } from './memory-cluster.ts';

/** How the Job of a shadow ends, by the image that it runs. */
export interface PlayedRun {
  readonly exitCode: number;
  readonly output: string;
}

/** A cluster in memory in which Jobs can be made to run: no controller does it by itself. */
export interface MemoryShadows extends ShadowCluster {
  readonly memory: MemoryCluster;
  jobs(): KubeObject[];
  /** Lets every Job that has not ended end as told; images without a word go on running. */
  play(runs: Readonly<Record<string, PlayedRun>>): void;
}

export function memoryShadows(objects: readonly KubeObject[]): MemoryShadows {
  const memory = memoryCluster({ objects });
  const logs = new Map<string, string>();
  const jobs = (): KubeObject[] => memory.objects().filter(({ kind }) => kind === 'Job');
  return {
    ...{ memory, jobs, list: memory.list, remove: memory.remove },
    create: async (object) => {
      if (jobs().some(({ metadata }) => metadata.name === object.metadata.name)) throw clusterError('KUBE_EXISTS');
      await memory.apply(object, { force: false });
    },
    log: async ({ pod }) => logs.get(pod),
    play: (runs) => {
      for (const job of jobs()) {
        const [container] = podSpecOf(job).containers;
        const run = runs[container?.image ?? ''];
        if (container === undefined || run === undefined || job['status'] !== undefined) continue;
        const pod = podOf(job, { name: container.name, ...run });
        logs.set(pod.metadata.name, run.output);
        const type = run.exitCode === 0 ? 'Complete' : 'Failed';
        memory.put({ ...job, status: { conditions: [{ type, status: 'True' }] } }, pod);
      }
    },
  };
}

function podSpecOf({ spec }: KubeObject): { readonly containers: { readonly name: string; readonly image: string }[] } {
  return (spec as { template: { spec: ReturnType<typeof podSpecOf> } }).template.spec;
}

function podOf(job: KubeObject, { name, exitCode }: { readonly name: string; readonly exitCode: number }): KubeObject {
  const { name: own, namespace = '', uid, labels } = job.metadata;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ name: `${own}-x`, namespace, labels },
      ownerReferences: [{ controller: true, kind: 'Job', name: own, uid }],
    },
    spec: podSpecOf(job),
    status: { phase: 'Succeeded', containerStatuses: [{ name, state: { terminated: { exitCode } } }] },
  };
}
