import { defined } from '../../base/index.ts';
import { type Instant, MICROS, type Streak } from '../../gates/index.ts';
import type { MoveRecord, RolloutRecord, ScopeRecord, ShardRecord } from './record.ts';

const OLDEST = 7 * MICROS.day;
/** How often durations alone are stored. */
const STORED_EVERY = 5 * MICROS.minute;
/** A record in which nothing happens is stored again before it is too old. */
const REFRESHED_EVERY = 3 * MICROS.day;

/** Of a record whose last sighting is older than seven days only failures and the history are kept (A5). */
export function usableRecord(record: RolloutRecord, now: Instant): RolloutRecord {
  if (record.checkIn === undefined || now - record.checkIn <= OLDEST) return record;
  const kept = [...record.scopes].map(
    ([key, scope]) => [key, { ...scope, shards: new Map(), tracks: new Map() }] as const,
  );
  return { scopes: new Map(kept) };
}

/** Whether a record must be stored: at once when it changed, every five minutes when only time passed. */
export function needsStoring(stored: RolloutRecord, next: RolloutRecord): boolean {
  const age = (next.checkIn ?? 0) - (stored.checkIn ?? 0);
  if (next.scopes.size === 0 && stored.scopes.size === 0) return false;
  if (!isSame(stored, next, coarse)) return true;
  if (age >= REFRESHED_EVERY) return true;
  return Math.abs(age) >= STORED_EVERY && !isSame(stored, next, (shard) => shard);
}

function isSame(a: RolloutRecord, b: RolloutRecord, view: (shard: ShardRecord) => object): boolean {
  if (a.scopes.size !== b.scopes.size) return false;
  return [...a.scopes].every(([key, scope]) => {
    const other = b.scopes.get(key);
    return other !== undefined && isSameScope(scope, other, view);
  });
}

function isSameScope(a: ScopeRecord, b: ScopeRecord, view: (shard: ShardRecord) => object): boolean {
  if (a.shards.size !== b.shards.size || tracksText(a, a) !== tracksText(b, a)) return false;
  if (textOf(a.failures) !== textOf(b.failures)) return false;
  // It only grows at its end, and gets shorter then.
  if (textOf(a.history.at(-1)) !== textOf(b.history.at(-1))) return false;
  if (a.shards === b.shards) return true;
  for (const [id, shard] of a.shards) {
    const other = b.shards.get(id);
    if (shard !== other && (other === undefined || !isSameShard(shard, other, view))) return false;
  }
  return true;
}

function isSameShard(a: ShardRecord, b: ShardRecord, view: (shard: ShardRecord) => object): boolean {
  return isSameAtOnce(a, b) || textOf(view(a)) === textOf(view(b));
}

/** The tracks of a scope; what is noted of a track counts only where the other scope has it noted too. */
function tracksText({ tracks }: ScopeRecord, other: ScopeRecord): string | undefined {
  return textOf(
    [...tracks].map(([name, { noted, ...track }]) => {
      const isNoted = other.tracks.get(name)?.noted !== undefined;
      return [name, track, isNoted ? noted : undefined];
    }),
  );
}

/** Fields that are identical one by one, as those of most shards are: making texts of them would be most of the work. */
function isSameAtOnce(a: ShardRecord, b: ShardRecord): boolean {
  const fields = Object.entries(a);
  return (
    fields.length === Object.keys(b).length && fields.every(([name, value]) => value === b[name as keyof ShardRecord])
  );
}

/** Fields in one order, whoever made the value. */
function textOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}

/** A shard without the length of its streaks. */
function coarse(shard: ShardRecord): object {
  const { soak, move, ...rest } = shard;
  return { ...rest, ...defined({ soak: began(soak) }), ...(move === undefined ? {} : { move: coarseMove(move) }) };
}

function coarseMove({ unready, healthy, ...rest }: MoveRecord): object {
  return { ...rest, ...defined({ unready: began(unready), healthy: began(healthy) }) };
}

function began(streak: Streak | undefined): true | undefined {
  return streak === undefined ? undefined : true;
}
