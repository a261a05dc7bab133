import * as z from 'zod';
import { byText, defined, EchelonError, isJson, type StateStore, sha256Of } from '../../base/index.ts';
import { type Instant, instantText, MICROS, parseInstant, type Sighting, type Soak } from '../../gates/index.ts';
import type { InheritedLedger } from '../engine/soak.ts';
import { EMPTY_LEDGER, type Ledger, type Minima } from '../engine/soak.ts';
import { isVersion, type Version } from '../engine/versions.ts';
import type { ClusterId, ClusterUuid, InheritedFrom } from '../policies/org-spec.ts';
import { EMPTY_PAST, type Past } from './past.ts';
import { inOrder, type Reservation } from './reservations.ts';

/** A state, and the version to pass when it is replaced. */
export interface StoredState {
  readonly state: OrganizationState;
  readonly version: string | 'absent';
}

/** By `environment/organization`: what a pass that stores nothing observed so far. */
export type FreshLedgers = ReadonlyMap<string, Ledger>;

/** The states of one scheduler: `<integration>/<environment>/<organization>`, as the existing one stores them. */
export interface OrganizationStates {
  read(environment: string, orgId: string): Promise<StoredState>;
  write(
    environment: string,
    orgId: string,
    state: OrganizationState,
    expected: string | 'absent',
  ): Promise<string | 'lost-race'>;
  /** Histories of others, from this pass where `fresh` has them; one that was never written has none. */
  inherited(sources: readonly InheritedFrom[], fresh: FreshLedgers): Promise<InheritedLedger[]>;
}

export function organizationStates(store: StateStore, integration: string): OrganizationStates {
  const keyOf = (environment: string, orgId: string): string => `${integration}/${environment}/${orgId}`;
  const read = async (environment: string, orgId: string): Promise<StoredState> => {
    const key = keyOf(environment, orgId);
    const stored = await store.read(key);
    if (stored === undefined) return { state: EMPTY_STATE, version: 'absent' };
    return { state: parseState(stored.value, `${key} in ${store.name}`), version: stored.version };
  };
  const storedLedger = async (environment: string, orgId: string): Promise<Ledger | undefined> => {
    const { state, version } = await read(environment, orgId);
    return version === 'absent' ? undefined : state.ledger;
  };
  return {
    read,
    write: async (environment, orgId, state, expected) => {
      const written = await store.write(keyOf(environment, orgId), formatState(state), expected);
      return written === 'lost-race' ? written : written.version;
    },
    inherited: async (sources, fresh) => {
      const ledgers: InheritedLedger[] = [];
      for (const { environment, orgId } of sources) {
        const scope = `${environment}/${orgId}`;
        const ledger = fresh.get(scope) ?? (await storedLedger(environment, orgId));
        ledgers.push({ scope, ...defined({ ledger }) });
      }
      return ledgers;
    },
  };
}

/** How often a lost race is retried from a fresh read. */
export const MOST_RACES = 5;

export function raceLost(environment: string, orgId: string, why: string): EchelonError {
  return new EchelonError({
    code: 'STATE_RACE_LOST',
    message: `the history of ${environment}/${orgId} was changed by another process ${why}`,
    hint: 'check that only one scheduler serves this organization, and try again',
  });
}

/** The state of an organization between passes. */
export interface OrganizationState {
  readonly ledger: Ledger;
  readonly reservations: readonly Reservation[];
  readonly past: Past;
}

const EMPTY_STATE: OrganizationState = { ledger: EMPTY_LEDGER, reservations: [], past: EMPTY_PAST };

/** Format version of Echelon's own part; a higher one is from a later Echelon. */
const FORMAT = 1;

/**
 * The stored form: the existing scheduler's, plus a part that it drops. The checksum covers everything, so that a
 * truncated or edited text is detected; a document of the existing scheduler has none and is accepted.
 */
export function formatState({ ledger, reservations, past }: OrganizationState): Uint8Array {
  const scheduled = inOrder(reservations).map(({ kind, clusterId, nodePool, version, nextRun, at, policyId }) => ({
    kind,
    cluster: clusterId,
    ...defined({ node_pool: nodePool }),
    version,
    next_run: instantText(nextRun),
    at: instantText(at),
    ...defined({ policy: policyId }),
  }));
  const document = { ...stateOf(ledger), echelon: { format: FORMAT, scheduled, ...defined({ past: pastJson(past) }) } };
  const sealed = { ...document, echelon: { ...document.echelon, checksum: hashOf(document) } };
  return new TextEncoder().encode(JSON.stringify(sealed));
}

/** Throws STATE_CORRUPT, or STATE_NEWER, for anything but a complete history; `where` names it. */
export function parseState(bytes: Uint8Array, where: string): OrganizationState {
  const raw = jsonOf(bytes, where);
  const format = formatOf(raw);
  if (format !== undefined && format > FORMAT) throw newer(where, format);
  const parsed = documentShape.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw corrupt(where, `${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
  }
  const { echelon, ...state } = parsed.data;
  if (!isSound(raw, echelon?.checksum)) throw corrupt(where, 'checksum mismatch');
  // The existing scheduler never writes it without; without a checksum, what lacks it is only a part of a document.
  if (echelon === undefined && state.check_in === undefined) throw corrupt(where, 'check_in is missing');
  return { ledger: ledgerOf(state), reservations: echelon?.scheduled ?? [], past: echelon?.past ?? EMPTY_PAST };
}

function jsonOf(bytes: Uint8Array, where: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw corrupt(where, 'it is not JSON');
  }
}

const OWN_KEYS = ['healthy', 'clock_behind'];

/** Echelon's own part never comes without the checksum. */
function isSound(raw: unknown, checksum: string | undefined): boolean {
  if (checksum !== undefined) return checksum === hashOf(unsealed(raw));
  return !(isJson(raw) && OWN_KEYS.some((key) => key in raw));
}

/** Read before anything else: a later Echelon may have changed every other part. */
function formatOf(raw: unknown): number | undefined {
  const own = isJson(raw) ? raw['echelon'] : undefined;
  const format = isJson(own) ? own['format'] : undefined;
  return typeof format === 'number' && Number.isInteger(format) ? format : undefined;
}

/** The document without its checksum. */
function unsealed(raw: unknown): unknown {
  if (!isJson(raw) || !isJson(raw['echelon'])) return raw;
  const { checksum: _, ...echelon } = raw['echelon'];
  return { ...raw, echelon };
}

/** The order of members matters. */
function hashOf(document: unknown): string {
  return sha256Of(JSON.stringify(document));
}

function corrupt(where: string, why: string): EchelonError {
  return new EchelonError({
    code: 'STATE_CORRUPT',
    message: `cannot read the history ${where}: ${why}`,
    hint: 'restore an earlier version of it, or delete it to restart soaking; Echelon never replaces it by itself',
  });
}

function newer(where: string, format: number): EchelonError {
  return new EchelonError({
    code: 'STATE_NEWER',
    message: `the history ${where} is from a newer Echelon: it has format ${format}, this Echelon reads up to ${FORMAT}`,
    hint: 'update Echelon; the history is complete, and is kept as it is',
  });
}

/** A semantic version, as text. */
export const versionShape = z.custom<Version>(
  (value) => typeof value === 'string' && isVersion(value),
  'it must be a semantic version such as 4.14.3',
);

/** A time in ISO 8601, in UTC where no zone is given. */
export const instantShape = z.string().transform((text, context): Instant => {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  context.addIssue({ code: 'custom', message: 'it must be a time such as 2024-03-01T10:00:00Z' });
  return z.NEVER;
});

const minimaShape = z.object({
  min_version: versionShape,
  min_version_per_workload: z.record(z.string(), versionShape),
});

/**
 * The stored history: the existing scheduler's format, plus sightings of healthy clusters and what is known of a clock
 * behind the check-in, which that scheduler drops.
 */
export const stateShape = z.object({
  check_in: instantShape.exactOptional(),
  versions: z
    .record(
      z.string(),
      z.object({
        workloads: z.record(z.string(), z.object({ soak_days: z.number(), reporting: z.array(z.string()) })),
      }),
    )
    .default({}),
  stats: minimaShape.extend({ inherited: minimaShape.exactOptional() }).exactOptional(),
  healthy: z.record(z.string(), z.object({ version: versionShape, workloads: z.array(z.string()) })).default({}),
  clock_behind: z.object({ at: instantShape, observed_days: z.number().nonnegative() }).exactOptional(),
});

/** The stored form of a history, with keys sorted where order does not matter. */
export interface StateJson {
  readonly check_in?: string;
  readonly versions: Readonly<Record<string, { readonly workloads: Readonly<Record<string, SoakJson>> }>>;
  readonly stats?: MinimaJson & { readonly inherited?: MinimaJson };
  readonly healthy?: Readonly<Record<string, Sighting>>;
  readonly clock_behind?: { readonly at: string; readonly observed_days: number };
}

interface SoakJson {
  readonly soak_days: number;
  readonly reporting: readonly string[];
}

interface MinimaJson {
  readonly min_version: string;
  readonly min_version_per_workload: Readonly<Record<string, string>>;
}

export function ledgerOf(state: z.infer<typeof stateShape>): Ledger {
  const { check_in: checkIn, versions, stats, healthy, clock_behind: behind } = state;
  return {
    ...defined({ checkIn }),
    versions: new Map(
      Object.entries(versions).map(([version, { workloads }]) => [
        version,
        new Map(Object.entries(workloads).map(([workload, soak]) => [workload, soakOf(soak)])),
      ]),
    ),
    ...(stats === undefined ? {} : { minima: minimaOf(stats) }),
    ...(stats?.inherited === undefined ? {} : { inheritedMinima: minimaOf(stats.inherited) }),
    sightings: new Map(Object.entries(healthy).map(([uuid, sighting]) => [uuid as ClusterUuid, sighting])),
    ...(behind === undefined ? {} : { behind: { at: behind.at, micros: microsOf(behind.observed_days) } }),
  };
}

function soakOf({ soak_days: days, reporting }: SoakJson): Soak {
  return { micros: microsOf(days), reporting: new Set(reporting) };
}

function microsOf(days: number): number {
  return Math.round(days * MICROS.day);
}

function minimaOf(stats: z.infer<typeof minimaShape>): Minima {
  return { all: stats.min_version, perWorkload: new Map(Object.entries(stats.min_version_per_workload)) };
}

/** The stored part of a history; inherited soak is not stored. */
export function stateOf(ledger: Ledger): StateJson {
  const { checkIn, versions, minima, sightings, behind } = ledger;
  return {
    ...(checkIn === undefined ? {} : { check_in: instantText(checkIn) }),
    ...(behind === undefined
      ? {}
      : { clock_behind: { at: instantText(behind.at), observed_days: behind.micros / MICROS.day } }),
    ...(sightings.size === 0 ? {} : { healthy: sorted(sightings, (sighting) => sighting) }),
    ...(minima === undefined ? {} : { stats: minimaJson(minima) }),
    versions: sorted(versions, (workloads) => ({
      workloads: sorted(workloads, ({ micros, reporting }) => ({
        reporting: [...reporting],
        soak_days: micros / MICROS.day,
      })),
    })),
  };
}

function minimaJson({ all, perWorkload }: Minima): MinimaJson {
  return { min_version: all, min_version_per_workload: sorted(perWorkload, (version) => version) };
}

function sorted<From, To>(map: ReadonlyMap<string, From>, to: (value: From) => To): Record<string, To> {
  const entries = [...map].sort(([a], [b]) => byText(a, b));
  return Object.fromEntries(entries.map(([key, value]) => [key, to(value)]));
}

/** The stored form: versions as pairs, since there is one for every cluster. */
const pastShape = z
  .object({
    clusters: z.record(
      z.string(),
      z.object({ name: z.string(), versions: z.array(z.tuple([z.string(), instantShape])) }),
    ),
    scheduled: z.array(
      z.object({
        cluster: z.string(),
        name: z.string(),
        version: z.string(),
        node_pool: z.string().exactOptional(),
        at: instantShape,
        next_run: instantShape,
      }),
    ),
  })
  .transform(
    ({ clusters, scheduled }): Past => ({
      clusters: new Map(
        Object.entries(clusters).map(([uuid, { name, versions }]) => [
          uuid as ClusterUuid,
          { name, versions: versions.map(([version, since]) => ({ version, since })) },
        ]),
      ),
      scheduled: scheduled.map(({ cluster, name, version, node_pool: nodePool, at, next_run: startsAt }) => ({
        ...{ uuid: cluster as ClusterUuid, name, version, at, startsAt },
        ...defined({ nodePool }),
      })),
    }),
  );

/** Nothing where nothing is known, so that a state without a past keeps its bytes. */
function pastJson({ clusters, scheduled }: Past): object | undefined {
  if (clusters.size === 0 && scheduled.length === 0) return undefined;
  return {
    clusters: Object.fromEntries(
      [...clusters]
        .sort(([a], [b]) => byText(a, b))
        .map(([uuid, { name, versions }]) => [
          uuid,
          { name, versions: versions.map(({ version, since }) => [version, instantText(since)]) },
        ]),
    ),
    scheduled: scheduled.map(({ uuid, name, version, nodePool, at, startsAt }) => ({
      ...{ cluster: uuid, name, version, ...defined({ node_pool: nodePool }) },
      ...{ at: instantText(at), next_run: instantText(startsAt) },
    })),
  };
}

const reservationShape = z
  .object({
    kind: z.enum(['cluster', 'control_plane', 'node_pool']),
    cluster: z.string(),
    node_pool: z.string().exactOptional(),
    version: z.string(),
    next_run: instantShape,
    at: instantShape,
    policy: z.string().exactOptional(),
  })
  .transform(
    (raw): Reservation => ({
      kind: raw.kind,
      clusterId: raw.cluster as ClusterId,
      ...defined({ nodePool: raw.node_pool }),
      version: raw.version,
      nextRun: raw.next_run,
      at: raw.at,
      ...defined({ policyId: raw.policy }),
    }),
  );

const documentShape = stateShape.extend({
  echelon: z
    .object({
      format: z.literal(FORMAT),
      scheduled: z.array(reservationShape),
      past: pastShape.exactOptional(),
      checksum: z.string(),
    })
    .exactOptional(),
});
