import * as z from 'zod';
import { defined, EchelonError, sha256Of } from '../../base/index.ts';

/** An object that a plan deletes or stops. */
export interface Removal {
  readonly cluster: string;
  readonly environment?: string;
  /** The object, by `removalKey`. */
  readonly key: string;
}

/** Removals of one time, cluster and environment. */
interface RemovalRecord extends Omit<Removal, 'key'> {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly keys: readonly string[];
}

const HOUR_MS = 3_600_000;
const KEY_LENGTH = 12;

/** Short, so that the record of a large fleet fits into an annotation. */
export function removalKey(object: {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}): string {
  const { cluster, namespace, kind, name } = object;
  return sha256Of(JSON.stringify([cluster, namespace, kind, name])).slice(0, KEY_LENGTH);
}

const shape = z.array(
  z.object({
    at: z.number(),
    cluster: z.string(),
    environment: z.string().optional(),
    keys: z.array(z.string()),
  }),
);

function recordsIn(text: string): RemovalRecord[] {
  try {
    return shape.parse(JSON.parse(text)) as RemovalRecord[];
  } catch (thrown) {
    throw new EchelonError({
      code: 'GUARD_RECORD_INVALID',
      message: 'cannot read the record of deletions within the last hour: it was edited or truncated',
      hint: 'delete the Lease that holds it: the lease of the manager with the suffix -removals',
      cause: thrown,
    });
  }
}

/** The removals within the hour before `now`. */
export function recentRemovals(text: string | undefined, now: number): Removal[] {
  return recent(text, now).flatMap(({ at: _, keys, ...place }) => keys.map((key) => ({ ...place, key })));
}

function recent(text: string | undefined, now: number): RemovalRecord[] {
  return text === undefined ? [] : recordsIn(text).filter(({ at }) => now - at < HOUR_MS);
}

/** The record with more removals, without those older than an hour. An object that is removed again counts from now on. */
export function withRemovals(text: string | undefined, removals: readonly Removal[], now: number): string {
  const again = new Set(removals.map(({ key }) => key));
  const kept = recent(text, now).map((record) => ({ ...record, keys: record.keys.filter((key) => !again.has(key)) }));
  const places = Map.groupBy(removals, ({ cluster, environment }) => JSON.stringify([cluster, environment]));
  const added = [...places.values()].flatMap((own): RemovalRecord[] => {
    const [first] = own;
    if (first === undefined) return [];
    const { cluster, environment } = first;
    return [{ at: now, cluster, ...defined({ environment }), keys: own.map(({ key }) => key) }];
  });
  return JSON.stringify([...kept.filter(({ keys }) => keys.length > 0), ...added]);
}
