import { defined, EchelonError, mapLimited } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import {
  decideRollouts,
  fileForPass,
  forecastRollouts,
  holdAll,
  needsStoring,
  promqlOf,
  type QueryAnswer,
  queryAnswer,
  ROLLOUTS_RESOURCE,
  type RolloutFile,
  type RolloutRecord,
  type RolloutRecords,
  type RolloutsDecision,
  requireRollouts,
  type ShardFacts,
  type ShardUnderWay,
  type StoredRecord,
  shardsUnderWay,
  type TrackForecast,
  usableRecord,
} from '../../rollouts/index.ts';
import type { Rendered } from '../desired/render.ts';
import type { Connect } from '../plan/cluster-api.ts';
import type { LiveCluster, PlaceFailure } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import { allHeld, type Choices, choicesOf } from '../rollout/choices.ts';
import { podsOn } from '../rollout/live-shard.ts';
import type { PodDetails } from '../rollout/pod-details.ts';
import { type Scope, scopesOf } from '../rollout/scope-facts.ts';
import { errorsIn, type OperatedFleet } from './operated-fleet.ts';

/** What rollouts need from outside. */
export interface RolloutPorts {
  readonly records: RolloutRecords;
  /** Whether the record was named; otherwise one that may not be read counts as none, while there is no file. */
  readonly isRequired: boolean;
  readonly now: () => Instant;
  /** Of the loop, in microseconds. */
  readonly period: number;
  /** Another file than that of the instance. */
  readonly file?: () => Promise<{ readonly name: string; readonly content: string }>;
  /** The samples that a Prometheus gives for an expression. */
  readonly query?: (promql: string, signal: AbortSignal) => Promise<readonly number[]>;
  /** Whether this process may move shards: only the holder of a lease does (A4). */
  readonly mayMove: () => boolean;
}

type UnlistedPlace = PlaceFailure & { readonly namespace: string };

/** What rollouts decided in a pass; the record is stored before anything is written. */
export interface RolloutPass {
  readonly choices: Choices;
  /** Absent when the file cannot be used: everything is held. */
  readonly decision?: RolloutsDecision;
  /** When waves open at the earliest; absent as the decision is. */
  readonly forecast?: () => TrackForecast[];
  readonly fault?: EchelonError;
  /** Shards that could move now and are held, since this process does not hold the lease. */
  readonly leaderless: number;
  /** Namespaces whose pods and jobs cannot be listed: their shards of tracks under way are held. */
  readonly unlisted: readonly UnlistedPlace[];
  /** The version of the record that was decided on, and the record to store. */
  readonly version: string | 'absent';
  readonly next?: RolloutRecord;
}

interface PassInput {
  readonly fleet: OperatedFleet & { readonly rendered: Rendered };
  readonly live: readonly LiveCluster[];
  readonly upstream: string;
  readonly connect: Connect;
  readonly signal: AbortSignal;
  /** Whether nothing was left out by the settings. */
  readonly isWhole: boolean;
}

/** What the manager that may move shards would decide now; nothing is kept or stored. */
export function readOnlyRollouts(ports: RolloutPorts): RolloutPorts {
  return { ...ports, mayMove: () => true, records: { ...ports.records, keep: () => undefined } };
}

interface RolloutsInUse {
  readonly file: RolloutFile | EchelonError;
  readonly record: RolloutRecord;
  readonly stored: StoredRecord;
  readonly now: Instant;
}

/** The file and the record; undefined where there are neither tracks nor a record of them. */
export async function rolloutsInUse(ports: RolloutPorts, fleet: OperatedFleet): Promise<RolloutsInUse | undefined> {
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
export async function rolloutPass(ports: RolloutPorts, input: PassInput): Promise<RolloutPass | undefined> {
  const inUse = await rolloutsInUse(ports, input.fleet);
  if (inUse === undefined) return undefined;
  const { file, record, stored, now } = inUse;
  const { version } = stored;
  if (file instanceof EchelonError) {
    const scopes = scopesIn(input, new Map());
    const facts = scopes.map((scope) => scope.facts);
    return {
      choices: allHeld(holdAll(facts), scopes, file.message),
      fault: file,
      unlisted: [],
      leaderless: 0,
      version,
    };
  }
  const { scopes, held, unlisted } = await observedScopes(file, record, ports, input);
  const facts = scopes.map((scope) => scope.facts);
  const options = { now, period: ports.period };
  const decision = decideRollouts(file, facts, record, options);
  const forecast = (): TrackForecast[] => forecastRollouts(file, facts, record, options);
  const mayMove = ports.mayMove();
  const next = mayMove && mustStore(stored, decision) ? decision.record : undefined;
  if (mayMove && next === undefined) ports.records.keep(decision.record, version);
  const choices = new Map([...choicesOf(decision, scopes, mayMove), ...held]);
  const leaderless = mayMove ? 0 : movesIn(decision);
  return { choices, decision, forecast, unlisted, leaderless, version, ...defined({ next }) };
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
  const own = instance.snapshot.own.get(ROLLOUTS_RESOURCE);
  const inInstance = own === undefined ? undefined : { name: `resources${ROLLOUTS_RESOURCE}`, content: own };
  try {
    const given = (await ports.file?.()) ?? inInstance;
    return given === undefined ? undefined : requireRollouts(given.content, given.name);
  } catch (thrown) {
    if (thrown instanceof EchelonError) return thrown;
    throw thrown;
  }
}

function scopesIn({ fleet, live, upstream, isWhole }: PassInput, details: ReadonlyMap<string, PodDetails>): Scope[] {
  const isComplete = isWhole && errorsIn(fleet).length === 0 && fleet.rendered.failures.length === 0;
  return scopesOf({
    ...{ groups: fleet.groups, namespaces: fleet.rendered.namespaces, live, upstream, details },
    isComplete,
  });
}

interface Observed {
  readonly scopes: readonly Scope[];
  /** Of shards whose pods cannot be listed. */
  readonly held: Choices;
  readonly unlisted: readonly UnlistedPlace[];
}

/** The shards with the pods, jobs and answers that decide about those under way. */
async function observedScopes(
  file: RolloutFile,
  record: RolloutRecord,
  ports: RolloutPorts,
  input: PassInput,
): Promise<Observed> {
  const first = scopesIn(input, new Map());
  const underWay = shardsUnderWay(
    file,
    first.map(({ facts }) => facts),
    record,
  );
  if (underWay.length === 0) return { scopes: first, held: new Map(), unlisted: [] };
  const { details, unlisted } = await detailsOf(underWay, input);
  const places = new Set(unlisted.map(placeOf));
  const scopes = scopesIn(input, details).map((scope) => withoutPlaces(scope, places));
  const asked = await answersFor(underWay, scopes, ports, input.signal);
  return {
    scopes: scopes.map((scope) => withAnswers(scope, asked)),
    held: heldIn(unlisted, first, underWay),
    unlisted,
  };
}

/** Nothing is decided about a shard whose pods cannot be listed: it was not seen (D3). */
function withoutPlaces(scope: Scope, places: ReadonlySet<string>): Scope {
  if (places.size === 0) return scope;
  const shards = scope.facts.shards.map((facts): ShardFacts => {
    const { live: _, ...rest } = facts;
    return places.has(placeOf(facts)) ? { ...rest, seen: false } : facts;
  });
  return { ...scope, facts: { ...scope.facts, shards } };
}

function heldIn(
  unlisted: readonly UnlistedPlace[],
  scopes: readonly Scope[],
  underWay: readonly ShardUnderWay[],
): Choices {
  const errors = new Map(unlisted.map((failure) => [placeOf(failure), failure.error.message]));
  const reasons = new Map(
    underWay.map(({ environment, shard }) => [shardKey(environment, shard), errors.get(placeOf(shard))]),
  );
  const holds = Map.groupBy(holdAll(scopes.map(({ facts }) => facts)), (hold) =>
    reasons.get(shardKey(hold.environment, hold)),
  );
  return new Map(
    [...holds].flatMap(([reason, own]) =>
      reason === undefined ? [] : [...allHeld(own, scopes, `its pods cannot be observed: ${reason}`)],
    ),
  );
}

const NAMESPACES_AT_ONCE = 8;

/** Pods and jobs of the namespaces concerned, no others; a failure does not affect the others. */
async function detailsOf(
  underWay: readonly ShardUnderWay[],
  { connect, signal }: PassInput,
): Promise<{ readonly details: ReadonlyMap<string, PodDetails>; readonly unlisted: readonly UnlistedPlace[] }> {
  const places = new Map(
    underWay
      .filter(({ shard }) => shard.seen)
      .map(({ shard: { cluster, namespace } }) => [placeOf({ cluster, namespace }), { cluster, namespace }]),
  );
  const details = new Map<string, PodDetails>();
  const unlisted: UnlistedPlace[] = [];
  await mapLimited([...places], NAMESPACES_AT_ONCE, async ([place, { cluster, namespace }]) => {
    try {
      const api = await connect(cluster);
      const [pods, jobs] = await Promise.all(['Pod', 'Job'].map((kind) => api.list(kind, { namespace, signal })));
      details.set(place, { pods: pods ?? [], jobs: jobs ?? [] });
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof EchelonError)) throw thrown;
      unlisted.push({ cluster, namespace, error: thrown });
    }
  });
  return { details, unlisted };
}

interface Answers {
  /** By `shardKey`. */
  readonly byShard: ReadonlyMap<string, Readonly<Record<string, QueryAnswer>>>;
  /** Why none of the queries could be answered. */
  readonly fault?: string;
}

const QUERIES_AT_ONCE = 8;

async function answersFor(
  underWay: readonly ShardUnderWay[],
  scopes: readonly Scope[],
  { query }: RolloutPorts,
  signal: AbortSignal,
): Promise<Answers> {
  if (query === undefined) return { byShard: new Map(), fault: 'no Prometheus is given: pass --prometheus' };
  const asked = askedPrometheus(query, signal);
  const shards = underWay.filter(({ queries }) => queries.length > 0);
  const answers = await mapLimited(shards, QUERIES_AT_ONCE, async ({ environment, shard, queries }) => {
    const scope = scopes.find(({ facts }) => facts.environment === environment);
    const workload = scope?.shards.get(shard.id)?.workload;
    if (workload === undefined) return [shardKey(environment, shard), {}] as const;
    const { integration, shard: name, cluster, namespace, live } = shard;
    const subject = { integration, shard: name, cluster, namespace, image: live?.image ?? '', pods: podsOn(workload) };
    const own = await mapLimited(queries, 1, async (one) => {
      const promql = promqlOf(one, subject);
      return [one.name, promql === undefined ? 'unknown' : await asked.answer(promql, one)] as const;
    });
    return [shardKey(environment, shard), Object.fromEntries(own)] as const;
  });
  return { byShard: new Map(answers), ...defined({ fault: asked.fault() }) };
}

/** A query that fails is unknown: it credits nothing and fails nothing (D5). After several, with no answer, none is sent. */
function askedPrometheus(query: NonNullable<RolloutPorts['query']>, signal: AbortSignal) {
  const failures: EchelonError[] = [];
  let answered = 0;
  return {
    answer: async (promql: string, one: Parameters<typeof queryAnswer>[0]): Promise<QueryAnswer> => {
      if (answered === 0 && failures.length >= QUERIES_AT_ONCE) return 'unknown';
      try {
        const samples = await query(promql, signal);
        answered += 1;
        return queryAnswer(one, samples);
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof EchelonError)) throw thrown;
        failures.push(thrown);
        return 'unknown';
      }
    },
    fault: (): string | undefined => (answered === 0 ? failures[0]?.message : undefined),
  };
}

function withAnswers(scope: Scope, { byShard, fault }: Answers): Scope {
  const { environment } = scope.facts;
  const answered = (facts: ShardFacts): ShardFacts => {
    const queries = byShard.get(shardKey(environment, facts));
    return facts.live === undefined || queries === undefined ? facts : { ...facts, live: { ...facts.live, queries } };
  };
  const shards = scope.facts.shards.map(answered);
  return { ...scope, facts: { ...scope.facts, shards, ...defined({ queriesFault: fault }) } };
}

function shardKey(environment: string, { id }: Pick<ShardFacts, 'id'>): string {
  return JSON.stringify([environment, id]);
}
