import { defined } from '../base/index.ts';
import type { Integration, IntegrationSpec, Managed, Resources, ShardOverride } from '../instance/index.ts';

/** Where the value of a setting comes from. */
type Origin = 'default' | 'spec' | 'override';

/** One process of an integration: its share of the work and how it runs. */
export interface Shard {
  /** What it works on; empty for a static shard, whose keys are assigned by hash. */
  readonly key: string;
  /** Its index among shards that share work by hash; absent for a shard that has its key to itself. */
  readonly part?: { readonly id: number; readonly shards: number };
  /** How keys are assigned to the shards that share work; MD5 when absent. */
  readonly membership?: 'rendezvous';
  /** Its display name: the item's name, with the number of a sub-shard; the id of a static shard. */
  readonly name: string;
  readonly suffix: string;
  readonly extraArgs: string;
  /** As written to the values document; sub-shards have that of their parent without the sub-sharding. */
  readonly override?: Omit<ShardOverride, 'shard'>;
  /** How the values document refers to the shard of the override. */
  readonly reference: Readonly<Record<string, string>>;
  readonly settings: ShardSettings;
}

/** What a shard runs with, after overrides. */
interface ShardSettings {
  /** The tag; absent for the environment's default image. */
  readonly imageRef?: string;
  readonly imageFrom: Origin;
  readonly resources: Resources;
  readonly resourcesFrom: 'spec' | 'override';
  readonly disabled: boolean;
}

/**
 * The settings of a shard: the override's, else the spec's, else the default. Total and pure; an override replaces
 * `resources` as a whole, so that removing it restores exactly what was there before.
 */
export function settingsOf(spec: IntegrationSpec, override: Omit<ShardOverride, 'shard'> | undefined): ShardSettings {
  const imageRef = override?.imageRef ?? spec.imageRef;
  return {
    ...defined({ imageRef }),
    imageFrom: override?.imageRef !== undefined ? 'override' : spec.imageRef !== undefined ? 'spec' : 'default',
    resources: override?.resources ?? spec.resources,
    resourcesFrom: override?.resources === undefined ? 'spec' : 'override',
    disabled: override?.disabled ?? false,
  };
}

/** The kind of object that runs the shards of an entry. */
export function workloadOf({ spec }: Managed): 'CronJob' | 'StatefulSet' | 'Deployment' {
  if (spec.cron !== undefined) return 'CronJob';
  return spec.cache === true ? 'StatefulSet' : 'Deployment';
}

/** The name of the shard that a sub-shard is a part of; undefined for any other shard. */
export function parentOf({ key, name, part }: Pick<Shard, 'key' | 'name' | 'part'>): string | undefined {
  return key === '' || part === undefined ? undefined : name.slice(0, -`-${part.id}`.length);
}

/** Name of the object that runs a shard, the same as in existing fleets. */
export function objectName(integration: Pick<Integration, 'name'>, shard: Pick<Shard, 'suffix'>): string {
  return `qontract-reconcile-${integration.name}${shard.suffix}`;
}
