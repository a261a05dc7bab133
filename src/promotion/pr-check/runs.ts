import { byText, defined } from '../../base/index.ts';
import type { Instance, Integration } from '../../instance/index.ts';
import type { Capabilities } from '../../sharding/index.ts';
import { type Part, partsOf } from './parts.ts';
import { shardUses, type Unit } from './shard-uses.ts';
import { argumentsFor } from './split-arguments.ts';

/** One dry run of an integration. */
export interface CheckRun {
  readonly integration: string;
  /** `pr_check.cmd`: sub-command and arguments, as a shell would have them. */
  readonly command: string;
  /** What narrows it to some shards; follows the command. */
  readonly args: readonly string[];
  /** Tag of the image; absent for the one that `.env` names. */
  readonly imageRef?: string;
  /** Names of the only shards that it is about; all when absent. */
  readonly only?: readonly string[];
  /** Names of shards that it is not about. */
  readonly without?: readonly string[];
  /** Runs of a lower number end before those of a higher one begin; without a number comes last. */
  readonly order?: number;
  /** Variables beyond those of every run. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface IntegrationRuns {
  readonly integration: string;
  readonly runs: readonly CheckRun[];
  /** What the runs do not cover. */
  readonly notes: readonly string[];
}

export interface RunsOptions {
  readonly capabilities?: Capabilities;
  /** Of the bundle to compare with, for integrations that can leave early. */
  readonly compareSha?: string;
}

/**
 * The runs that an integration needs: one with the image of its check without the shards that are pinned somewhere, and one for
 * each other image with the shards that it is for. A whole entry with an image of its own is a run of everything but pins.
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
  const { parts, notes: told } = partsOf(integration, uses);
  return { integration: name, runs: parts.map(run), notes: [...notes, ...told] };
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
