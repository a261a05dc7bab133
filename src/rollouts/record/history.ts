import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';

export const EVENT_KINDS = [
  ...(['target', 'moved', 'soaked', 'wave-passed', 'completed', 'failed', 'returned'] as const),
  'shadow-differs',
  ...(['pause', 'resume', 'expedite', 'reject', 'accept-shadow'] as const),
] as const;

/** Something that happened in a track, for users: nothing is decided by it. */
export interface RolloutEvent {
  readonly at: Instant;
  readonly track: string;
  /** The last five are overrules that took effect. */
  readonly kind: (typeof EVENT_KINDS)[number];
  /** Absent for an overrule about every image. */
  readonly image?: string;
  readonly wave?: string;
  /** Ids, sorted. */
  readonly shards: readonly string[];
  readonly reason?: string;
}

/** Of all tracks together, so that the record of 5,000 shards stays below 512 KiB (A5). */
const MOST_WEIGHT = 50_000;
const WEIGHT_OF_EVENT = 4;
const CHARACTERS_OF_WEIGHT = 4;
const LONGEST_REASON = 300;

/** An event with a reason that is not too long to be kept. */
export function rolloutEvent({ reason, ...event }: RolloutEvent): RolloutEvent {
  const text = reason !== undefined && reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
  return { ...event, ...defined({ reason: text }) };
}

interface Past {
  readonly history: readonly RolloutEvent[];
  /** By id. */
  readonly shards: ReadonlyMap<string, unknown>;
}

/** Bytes, roughly: in the stored form a shard is a number, and one that is gone a text too. */
function weightOf({ shards, reason = '', wave = '' }: RolloutEvent, known: Past['shards']): number {
  const gone = shards.filter((id) => !known.has(id));
  const characters = gone.reduce((sum, { length }) => sum + length, reason.length + wave.length);
  return WEIGHT_OF_EVENT + shards.length + Math.ceil(characters / CHARACTERS_OF_WEIGHT);
}

/**
 * Leaves out the oldest events until all fit. Those of the tracks with the most go first, so that a busy track does not push out
 * what happened in a quiet one.
 */
export function boundedHistory<Scope extends Past>(
  scopes: ReadonlyMap<string, Scope>,
  most = MOST_WEIGHT,
): Map<string, Scope> {
  const weights = new Map<string, number>();
  for (const [key, { history, shards }] of scopes)
    for (const event of history) {
      const track = JSON.stringify([key, event.track]);
      weights.set(track, (weights.get(track) ?? 0) + weightOf(event, shards));
    }
  const level = fairShare([...weights.values()], most);
  if (level === undefined) return new Map(scopes);
  return new Map([...scopes].map(([key, scope]) => [key, { ...scope, history: newest(scope, level) }]));
}

/** The most that each may have so that all together have no more than `most`; undefined when nothing is too much. */
function fairShare(weights: readonly number[], most: number): number | undefined {
  let left = most;
  for (const [at, weight] of weights.toSorted((a, b) => a - b).entries()) {
    const share = left / (weights.length - at);
    if (weight > share) return share;
    left -= weight;
  }
  return undefined;
}

function newest({ history, shards }: Past, level: number): RolloutEvent[] {
  const used = new Map<string, number>();
  const kept = history.toReversed().filter((event) => {
    const weight = (used.get(event.track) ?? 0) + weightOf(event, shards);
    used.set(event.track, weight);
    return weight <= level;
  });
  return kept.reverse();
}
