import { defined, EchelonError } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import {
  decideRollouts,
  fileForPass,
  forecastRollouts,
  holdAll,
  holdAllFault,
  needsStoring,
  ROLLOUTS_RESOURCE,
  type RolloutFile,
  type RolloutRecord,
  type RolloutsDecision,
  requireRollouts,
  type StoredRecord,
  type TrackForecast,
  usableRecord,
} from '../../rollouts/index.ts';
import { allHeld, type Choices, choicesOf } from '../rollout/choices.ts';
import type { OperatedFleet } from './operated-fleet.ts';
import { passShadows } from './pass-shadows.ts';
import { observedScopes, type RolloutInput, scopesIn, type UnlistedPlace } from './rollout-observation.ts';
import type { RolloutPorts } from './rollout-ports.ts';
import type { ComparedShard } from './with-shadows.ts';

/** What rollouts decided in a pass; the record is stored before anything is written. */
export interface RolloutPass {
  readonly choices: Choices;
  /** Absent when the file cannot be used: everything is held. */
  readonly decision?: RolloutsDecision;
  /** When waves open at the earliest; absent as the decision is. */
  readonly forecast?: () => TrackForecast[];
  /** The file that was decided by, and when; absent as the decision is. */
  readonly rules?: { readonly file: RolloutFile; readonly now: Instant };
  readonly fault?: EchelonError;
  /** Shards that could move now and are held, since this process does not hold the lease. */
  readonly leaderless: number;
  /** Namespaces whose pods and jobs cannot be listed: their shards of tracks under way are held. */
  readonly unlisted: readonly UnlistedPlace[];
  /** The version of the record that was decided on, and the record to store. */
  readonly version: string | 'absent';
  readonly next?: RolloutRecord;
  /** Comparisons of dry runs that this pass read. */
  readonly compared?: readonly ComparedShard[];
  /** Starts the comparisons that are wanted now and removes the others; to be called after the decision is stored. */
  readonly shadows?: (mayWrite: () => boolean) => Promise<void>;
}

interface RolloutsInUse {
  readonly file: RolloutFile | EchelonError;
  readonly record: RolloutRecord;
  readonly stored: StoredRecord;
  readonly now: Instant;
}

/** The file and the record; undefined where there are neither tracks nor a record of them. */
export async function rolloutsInUse(ports: RolloutPorts, fleet: OperatedFleet): Promise<RolloutsInUse | undefined> {
  ports.useScope?.(fleet.scope);
  const read = await fileOf(ports, fleet);
  const stored = await storedRecord(ports, read === undefined);
  if (stored === undefined) return undefined;
  const now = ports.now();
  const record = usableRecord(stored.record, now);
  const file = fileForPass(read, record, `resources${ROLLOUTS_RESOURCE}`);
  const isNone = !(file instanceof EchelonError) && file.tracks.length === 0 && record.scopes.size === 0;
  return isNone ? undefined : { file, record, stored, now };
}

/** Decides rollouts between observing and planning. Nothing is written. */
export async function rolloutPass(ports: RolloutPorts, input: RolloutInput): Promise<RolloutPass | undefined> {
  const inUse = await rolloutsInUse(ports, input.fleet);
  if (inUse === undefined) return undefined;
  const { file, record, stored, now } = inUse;
  const { version } = stored;
  if (file instanceof EchelonError) {
    const scopes = scopesIn(input, new Map());
    const facts = scopes.map((scope) => scope.facts);
    const holds = holdAll(facts);
    return {
      choices: allHeld(holds, scopes, file.message),
      fault: holdAllFault(file, holds),
      unlisted: [],
      leaderless: 0,
      version,
    };
  }
  const { held, unlisted, ...found } = await observedScopes(file, record, ports, input);
  const mayMove = ports.mayMove();
  const { scopes, compared, run } = await passShadows(file, found, input, mayMove);
  const facts = scopes.map((scope) => scope.facts);
  const options = { now, period: ports.period };
  const decision = decideRollouts(file, facts, record, options);
  const forecast = (): TrackForecast[] => forecastRollouts(file, facts, record, options);
  const next = mayMove && mustStore(stored, decision) ? decision.record : undefined;
  if (mayMove && next === undefined) ports.records.keep(decision.record, version);
  const choices = new Map([...choicesOf(decision, scopes, mayMove), ...held]);
  const leaderless = mayMove ? 0 : movesIn(decision);
  const shadows = run && ((mayWrite: () => boolean) => run(decision, now, mayWrite));
  const more = defined({ next, shadows, compared });
  return { choices, decision, rules: { file, now }, forecast, unlisted, leaderless, version, ...more };
}

/** A manager that never had rollouts need not have the right to read their record. */
async function storedRecord(
  { records, isRequired }: RolloutPorts,
  hasNoFile: boolean,
): Promise<StoredRecord | undefined> {
  try {
    return await records.load();
  } catch (thrown) {
    const isForbidden = thrown instanceof EchelonError && thrown.code === 'KUBE_FORBIDDEN';
    if (isForbidden && hasNoFile && !isRequired) return undefined;
    throw thrown;
  }
}

/** What is announced is stored before it is written, everything else when it changed or every few minutes. */
function mustStore({ stored }: StoredRecord, { tracks, record }: RolloutsDecision): boolean {
  return movesIn({ tracks }) > 0 || needsStoring(stored, record);
}

function movesIn({ tracks }: Pick<RolloutsDecision, 'tracks'>): number {
  return tracks.reduce((sum, { moves, returns }) => sum + moves.length + returns.length, 0);
}

/** Whether a track has not completed: then every poll observes it (A6). */
export function isUnderWay({ decision, fault }: RolloutPass): boolean {
  return fault !== undefined || (decision?.tracks ?? []).some(({ state }) => state !== 'complete');
}

/**
 * Stores what was decided before anything of it is written (A3), unless another manager may lead by now. Throws when another
 * one was faster.
 */
export async function storeDecision(
  { records }: Pick<RolloutPorts, 'records'>,
  pass: Pick<RolloutPass, 'next' | 'version'>,
  mayWrite: () => boolean = () => true,
): Promise<void> {
  if (pass.next === undefined || !mayWrite()) return;
  const saved = await records.save(pass.next, pass.version);
  if (saved !== 'lost-race') return;
  throw new EchelonError({
    code: 'ROLLOUT_RACE',
    message: 'another manager changed the record of rollouts since this pass read it. Nothing was applied',
    hint: 'plan again; if it happens often, check that the managers have a lease',
  });
}

async function fileOf(
  ports: RolloutPorts,
  { instance }: OperatedFleet,
): Promise<RolloutFile | EchelonError | undefined> {
  const own = instance.snapshot.echelonFiles.get(ROLLOUTS_RESOURCE);
  const inInstance = own === undefined ? undefined : { name: `resources${ROLLOUTS_RESOURCE}`, content: own };
  try {
    const given = (await ports.file?.()) ?? inInstance;
    return given === undefined ? undefined : requireRollouts(given.content, given.name);
  } catch (thrown) {
    if (thrown instanceof EchelonError) return thrown;
    throw thrown;
  }
}
