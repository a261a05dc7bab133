import * as z from 'zod';
import { defined, EchelonError, isJson, sha256Of } from '../../base/index.ts';
import { instantText } from '../../gates/index.ts';
import { EMPTY_LEDGER, type Ledger } from '../engine/soak.ts';
import { EMPTY_PAST, type Past } from '../past/past.ts';
import { pastJson, pastShape } from '../past/past-json.ts';
import type { ClusterId } from '../policies/org-spec.ts';
import { instantShape, ledgerOf, stateOf, stateShape } from '../state-json.ts';
import { inOrder, type Reservation } from './reservations.ts';

/** The state of an organization between passes. */
export interface OrganizationState {
  readonly ledger: Ledger;
  readonly reservations: readonly Reservation[];
  readonly past: Past;
}

export const EMPTY_STATE: OrganizationState = { ledger: EMPTY_LEDGER, reservations: [], past: EMPTY_PAST };

/** Format version of Echelon's own part; a higher one is from a later Echelon. */
const FORMAT = 1;

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
