import type { Instant } from '../gates/index.ts';
import type { ShadowRecord } from './record/shadow-record.ts';

/** The manager's own workload is in no track. */
export const MANAGER_INTEGRATION = 'integrations-manager';

/** What one pass knows about the shards of an environment and upstream, which share one target (F1). */
export interface ScopeFacts {
  readonly environment: string;
  readonly upstream: string;
  /** The image that the environment declares for the upstream. Images are equal only as whole texts. */
  readonly target: string;
  readonly shards: readonly ShardFacts[];
  /**
   * Whether `shards` are all that the instance declares here: nothing was left out by the scope of the command or with an
   * invalid entry. A shard that the record knows and a complete list does not have was removed.
   */
  readonly isComplete: boolean;
  /** Why no query can be answered, such as `no Prometheus is given`. */
  readonly queriesFault?: string;
}

/** A declared shard and what its cluster shows. */
export interface ShardFacts {
  /** `integration/shard`, unique in its scope: `shardIds` makes them so. */
  readonly id: string;
  readonly integration: string;
  readonly shard: string;
  /** The name of the shard that it is a sub-shard of. */
  readonly parent?: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly workload: 'Deployment' | 'StatefulSet' | 'CronJob';
  /** When a CronJob starts its jobs, for forecasts. */
  readonly schedule?: string;
  /** The image that an override or the spec pins it to. */
  readonly pinned?: string;
  readonly disabled: boolean;
  /** Whether this pass observed its cluster and namespace. */
  readonly seen: boolean;
  /** Its workload object; absent when it was not seen, or does not exist. */
  readonly live?: LiveShard;
  /** The last comparison of dry runs that this pass read. */
  readonly shadow?: ShadowRecord;
  /** The image whose comparison with the live one is under way. */
  readonly shadowRuns?: string;
  /** The pod template differs from the live one by more than image and resources (A2). */
  readonly altersTemplate?: boolean;
  /** Its declared object is stopped: a move stops it. */
  readonly declaredStop?: Stop;
}

/** Why a workload starts no pods, or replaces none: it does nothing that could be seen healthy (D2). */
export type Stop = 'scaled to 0' | 'suspended' | 'paused';

/** A workload object and its pods. */
export interface LiveShard {
  /** The image that the object is set to. */
  readonly image: string;
  /** The cluster has observed the last change, and every pod runs the image. */
  readonly converged: boolean;
  /** As many pods are ready as the object wants. */
  readonly ready: boolean;
  /** Undefined while it runs. */
  readonly stopped?: Stop;
  /** Sum over the pods that run the image; it falls when a pod is replaced. */
  readonly restarts: number;
  /** Of a CronJob. */
  readonly jobs?: readonly JobFacts[];
  /** By name; a query that is not here is unknown. */
  readonly queries?: Readonly<Record<string, QueryAnswer>>;
  /** By name: what a query that is not as expected gave, and what was expected. */
  readonly queryTexts?: Readonly<Record<string, string>>;
}

export interface JobFacts {
  /** The image that its pods run. */
  readonly image: string;
  readonly startedAt: Instant;
  /** Failed: it used up its retries. */
  readonly state: 'running' | 'succeeded' | 'failed';
}

export type QueryAnswer = 'expected' | 'wrong' | 'unknown';

/** Gives shards of the same integration and name in two places of one scope different ids. */
export function shardIds<Facts extends Pick<ShardFacts, 'integration' | 'shard' | 'cluster' | 'namespace'>>(
  shards: readonly Facts[],
): (Facts & { id: string })[] {
  const names = shards.map(({ integration, shard }) => `${integration}/${shard}`);
  const [once, again] = [new Set<string>(), new Set<string>()];
  for (const name of names) (once.has(name) ? again : once).add(name);
  return shards.map((shard, at) => {
    const name = names[at] ?? '';
    return { ...shard, id: again.has(name) ? `${name}@${shard.cluster}/${shard.namespace}` : name };
  });
}
