import type { IntegrationSpec } from '../../instance/index.ts';
import type { Shard } from '../../sharding/index.ts';
import type { ManagedShards, NamespaceGroup } from './group.ts';

/** A shard's chart values. Everything is a string: an empty string means "not set". */
interface ShardValues {
  readonly shards: string;
  readonly shard_id: string;
  readonly shard_key: string;
  readonly shard_name_suffix: string;
  readonly extra_args: string;
  /** Only if it is not MD5. */
  readonly shard_membership?: 'rendezvous';
  readonly shard_spec_overrides?: Readonly<Record<string, unknown>>;
}

interface EntryValues extends IntegrationSpec {
  readonly name: string;
  readonly shard_specs: readonly ShardValues[];
}

/** A namespace's values document: the contract between a manager and any chart for integrations. */
export interface NamespaceValues {
  readonly integrations: readonly EntryValues[];
  readonly cronjobs: readonly EntryValues[];
}

export function valuesOf({ entries }: NamespaceGroup): NamespaceValues {
  const all = entries.map(entryValues);
  return {
    integrations: all.filter(({ cron }) => cron === undefined),
    cronjobs: all.filter(({ cron }) => cron !== undefined),
  };
}

function entryValues({ integration, entry, shards }: ManagedShards): EntryValues {
  return { ...entry.spec, name: integration.name, shard_specs: shards.map(shardValues) };
}

function shardValues({ key, part, suffix, extraArgs, membership, override, reference }: Shard): ShardValues {
  return {
    shards: part === undefined ? '' : String(part.shards),
    shard_id: part === undefined ? '' : String(part.id),
    shard_key: key,
    shard_name_suffix: suffix,
    extra_args: extraArgs,
    ...(membership === undefined || part === undefined ? {} : { shard_membership: membership }),
    ...(override === undefined ? {} : { shard_spec_overrides: { shard: reference, ...override } }),
  };
}
