import { type ListedRows, requireNames } from '../../../base/index.ts';
import {
  environmentNames,
  INSTANCE_LISTINGS,
  type Instance,
  type ListingFilters,
  readInstance,
  type Snapshot,
} from '../../../instance/index.ts';
import { type Capabilities, shardFindings, shardListing } from '../../../sharding/index.ts';
import { readCapabilities } from '../../capabilities-option.ts';
import type { InstanceFlags } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import type { Format } from '../../output/format.ts';
import { errorsAmong, warnOfErrors } from './warning.ts';

export interface GetFlags extends InstanceFlags, ListingFilters {
  readonly capabilities?: string;
  readonly output: Format;
  readonly color?: boolean;
}

type ListingOf = (instance: Instance, filters: ListingFilters, declared?: Capabilities) => ListedRows;

const LISTINGS: Readonly<Record<string, ListingOf>> = { ...INSTANCE_LISTINGS, shards: shardListing };

/** The rows of one kind, and the number of errors in the instance, whose affected parts are left out. */
export function list(
  io: Io,
  kind: string,
  names: readonly string[],
  flags: GetFlags,
  snapshot: Snapshot,
): { readonly rows: ListedRows; readonly errors: number } {
  const listed = LISTINGS[kind];
  if (listed === undefined) throw new Error(`no listing for ${kind}`);
  const declared = readCapabilities(io, flags.capabilities);
  const instance = readInstance(snapshot);
  const shards = kind === 'shards' ? shardFindings(instance, declared) : [];
  const errors = errorsAmong([...snapshot.problems, ...instance.findings, ...shards]);
  const all = listed(instance, {}, declared);
  try {
    requireNames('environment', flags.environment, ...environmentsOf(kind, instance));
    requireNames('integration', flags.integration, namesOf(instance.integrations));
    requireNames(all.noun, names, all.names());
  } catch (unknown) {
    warnOfErrors(io, errors);
    throw unknown;
  }
  return { rows: listed(instance, flags, declared).only(names), errors };
}

/** Organizations are narrowed by OCM environments, everything else by those of the products; and what lists them. */
function environmentsOf(kind: string, instance: Instance): [string[], string] {
  return kind === 'organizations'
    ? [namesOf(instance.ocmEnvironments), 'organizations']
    : [environmentNames(instance), 'environments'];
}

function namesOf(all: readonly { readonly name: string }[]): string[] {
  return all.map(({ name }) => name);
}
