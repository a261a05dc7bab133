import { byText, defined } from '../../base/index.ts';
import type { Instance, Integration } from '../../instance/index.ts';
import type { Capabilities } from '../../sharding/index.ts';
import { type Part, partsOf } from './parts.ts';
import { shardUses, type Unit } from './shard-uses.ts';
import { argumentsFor } from './split-arguments.ts';

/** One dry run of an integration. */
export interface CheckRun {
  readonly integration: string;
  /** `pr_check.cmd`: subcommand and arguments in shell syntax. */
  readonly command: string;
  /** Arguments that limit it to some shards; appended to the command. */
  readonly args: readonly string[];
  /** Image tag; the one in `.env` when absent. */
  readonly imageRef?: string;
  /** The included shards; all when absent. */
  readonly only?: readonly string[];
  /** The excluded shards. */
  readonly without?: readonly string[];
  /** Runs with a lower number end before those with a higher one start; runs without a number come last. */
  readonly order?: number;
  /** Additional environment variables. */
  readonly environment: Readonly<Record<string, string>>;
}

interface IntegrationRuns {
  readonly integration: string;
  readonly runs: readonly CheckRun[];
  /** What the runs do not cover. */
  readonly notes: readonly string[];
}

export interface RunsOptions {
  readonly capabilities?: Capabilities;
  /** Sha of the bundle to compare with, for integrations that support early exit. */
  readonly compareSha?: string;
}

/**
 * The runs that an integration needs: one with the check image without pinned shards, and one per other image with its
 * shards. An entry with its own image is a run of everything but pinned shards.
 */
export function runsOf(instance: Instance, integration: Integration, options: RunsOptions = {}): IntegrationRuns {
  const { name, prCheck } = integration;
  if (prCheck === undefined) return { integration: name, runs: [], notes: [] };
  const { uses, notes } = shardUses(instance, integration, options.capabilities);
  const run = (part: Part): CheckRun => ({
    integration: name,
    command: prCheck.cmd,
    args: argumentsFor(part, integration),
    ...defined({ imageRef: part.image }),
    ...(part.only === undefined ? {} : { only: namesOf(part.only) }),
    ...(part.without.length === 0 ? {} : { without: namesOf(part.without) }),
    ...defined({ order: prCheck.run_order }),
    environment: environmentOf(integration, options),
  });
  const { parts, notes: partNotes } = partsOf(integration, uses);
  return { integration: name, runs: parts.map(run), notes: [...notes, ...partNotes] };
}

function namesOf(units: readonly Unit[]): string[] {
  return units.map(({ name }) => name).sort(byText);
}

function environmentOf({ prCheck }: Integration, { compareSha }: RunsOptions): Record<string, string> {
  const affected = prCheck?.check_only_affected_shards === true;
  const compare = compareSha !== undefined && (affected || prCheck?.early_exit === true);
  return {
    ...(compare ? { EARLY_EXIT_COMPARE_SHA: compareSha } : {}),
    ...(compare && affected ? { CHECK_ONLY_AFFECTED_SHARDS: 'true' } : {}),
    ...(prCheck?.no_validate_schemas === true ? { NO_VALIDATE_SCHEMAS: 'true' } : {}),
  };
}
