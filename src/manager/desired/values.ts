import type { IntegrationSpec } from '../../instance/index.ts';
import type { Shard } from '../../sharding/index.ts';
import type { ManagedShards, NamespaceGroup } from './group.ts';
import { type GivenSources, parameterValue } from './parameters.ts';
import { servesHealthz } from './serves-healthz.ts';

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
  /** Only if the integration is not known to serve `/healthz`. */
  readonly healthz?: false;
  readonly shard_specs: readonly ShardValues[];
}

/** A namespace's values document: the contract between a manager and any chart for integrations. */
export interface NamespaceValues {
  readonly integrations: readonly EntryValues[];
  readonly cronjobs: readonly EntryValues[];
}

/** The parameter sources decide about two things that a Template cannot: probes, and whether logs are shipped at all. */
export function valuesOf({ entries }: NamespaceGroup, sources: GivenSources): NamespaceValues {
  const all = entries.map((managed) => entryValues(managed, sources));
  return {
    integrations: all.filter(({ cron }) => cron === undefined),
    cronjobs: all.filter(({ cron }) => cron !== undefined),
  };
}

function entryValues(managed: ManagedShards, sources: GivenSources): EntryValues {
  const { integration, entry, shards } = managed;
  const { spec } = entry;
  const image = sources.flags.get('IMAGE') ?? sources.image;
  const silent = parameterValue('CLOUDWATCH_SECRET', sources) === '' && spec.cron === undefined;
  return {
    ...spec,
    ...(silent ? { logs: { ...spec.logs, cloudwatch: false } } : {}),
    name: integration.name,
    ...(spec.cron !== undefined || servesHealthz(managed, image) ? {} : { healthz: false as const }),
    shard_specs: shards.map(shardValues),
  };
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
