import { type ListedRows, requireNames } from '../../../base/index.ts';
import { environmentNames, INSTANCE_LISTINGS, type Instance, type ListingFilters } from '../../../instance/index.ts';
import { type Capabilities, shardFindings, shardListing } from '../../../sharding/index.ts';
import { readCapabilities } from '../../capabilities-option.ts';
import { EXIT } from '../../exit-codes.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import type { Format } from '../../output/format.ts';
import { printListing } from '../../output/listing.ts';
import { loadInstance } from './load.ts';

export interface GetFlags extends InstanceFlags, ListingFilters {
  readonly capabilities?: string;
  readonly output: Format;
  readonly color?: boolean;
}

type ListingOf = (instance: Instance, filters: ListingFilters, declared?: Capabilities) => ListedRows;

const LISTINGS: Readonly<Record<string, ListingOf>> = { ...INSTANCE_LISTINGS, shards: shardListing };

/** Shows what the instance declares of one kind. */
export async function get(io: Io, kind: string, names: readonly string[], flags: GetFlags): Promise<number> {
  const listed = LISTINGS[kind];
  if (listed === undefined) throw new Error(`no listing for ${kind}`);
  const declared = readCapabilities(io, flags.capabilities);
  const checks = kind === 'shards' ? (given: Instance) => shardFindings(given, declared) : undefined;
  const instance = await loadInstance(io, flags, checks);
  const seeEnvironments = kind === 'organizations' ? 'organizations' : 'environments';
  requireNames('environment', flags.environment, environmentsOf(kind, instance), seeEnvironments);
  requireNames(
    'integration',
    flags.integration,
    instance.integrations.map(({ name }) => name),
  );
  const all = listed(instance, {}, declared);
  requireNames(all.noun, names, all.names());
  await printListing(io, listed(instance, flags, declared).only(names), {
    format: flags.output,
    paint: paintFor(io.stdout, io.env, flags.color),
    revision: instance.snapshot.revision.id,
  });
  return EXIT.ok;
}

/** Organizations are narrowed by OCM environments, everything else by those of the products. */
function environmentsOf(kind: string, instance: Instance): string[] {
  return kind === 'organizations' ? instance.ocmEnvironments.map(({ name }) => name) : environmentNames(instance);
}
