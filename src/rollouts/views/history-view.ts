import { type Column, defined, didYouMean, EchelonError, listedRows } from '../../base/index.ts';
import { type Instant, instantText, parseInstant, secondText } from '../../gates/index.ts';
import { parseDuration } from '../file/duration.ts';
import type { RolloutEvent } from '../record/history.ts';
import type { RolloutRecord, ScopeRecord } from '../record/record.ts';
import { isShardNamed, type RolloutView, shardName, versionText } from './rollout-view.ts';

interface HistoryRequest {
  /** A track by name, or a shard by id or name. */
  readonly of?: string;
  /** A duration before now, such as `7d`, or a time. */
  readonly since?: string;
  readonly now: Instant;
}

interface EventRow {
  readonly scope: Pick<ScopeRecord, 'environment' | 'upstream'>;
  readonly event: RolloutEvent;
}

const COLUMNS: readonly Column<EventRow>[] = [
  { title: 'TIME', cell: ({ event }) => secondText(event.at) },
  { title: 'TRACK', cell: ({ event }) => event.track },
  { title: 'ENVIRONMENT', cell: ({ scope }) => scope.environment },
  { title: 'EVENT', cell: ({ event }) => event.kind },
  { title: 'IMAGE', cell: ({ event }) => (event.image === undefined ? '' : versionText(event.image)) },
  { title: 'WAVE', cell: ({ event }) => event.wave ?? '' },
  { title: 'UPSTREAM', cell: ({ scope }) => scope.upstream, wide: true },
  { title: 'SHARDS', cell: ({ event }) => someOf(event.shards) },
  { title: 'SHARD IDS', cell: ({ event }) => event.shards.join(' '), wide: true },
  { title: 'REASON', cell: ({ event }) => event.reason ?? '' },
];

/** What happened, newest first. Throws TRACK_UNKNOWN for what the record does not know, FLAG_INVALID for a time. */
export function historyView({ scopes }: RolloutRecord, { of, since, now }: HistoryRequest): RolloutView {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : beginningOf(since, now);
  const all = [...scopes.values()];
  if (of !== undefined) requireKnown(all, of);
  const rows = all
    .flatMap((scope) => scope.history.map((event) => ({ scope, event })))
    .filter(({ event }) => event.at >= from)
    .flatMap(({ scope, event }) => concerning(event, of).map((own) => ({ scope, event: own })))
    .reverse()
    .sort((a, b) => b.event.at - a.event.at);
  return {
    rows: listedRows({
      ...{ kind: 'RolloutEvent', noun: 'event', rows, columns: COLUMNS, item },
      name: ({ scope: { environment }, event: { track, at, kind, wave } }) =>
        [environment, track, instantText(at), kind, ...(wave === undefined ? [] : [wave])].join('/'),
    }),
    notes: [],
    isWrong: false,
  };
}

/** An event of the track, or what it says about the shard. */
function concerning(event: RolloutEvent, of: string | undefined): RolloutEvent[] {
  if (of === undefined || event.track === of) return [event];
  const shards = event.shards.filter((id) => isShardNamed(id, of));
  return shards.length === 0 ? [] : [{ ...event, shards }];
}

function beginningOf(text: string, now: Instant): number {
  const length = parseDuration(text);
  const begin = length === undefined ? parseInstant(text) : now - length;
  if (begin !== undefined) return begin;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--since ${text} is neither a duration nor a time`,
    hint: 'use a duration such as 12h or 7d, or a time such as 2026-11-16T10:00:00Z',
  });
}

function requireKnown(scopes: readonly ScopeRecord[], of: string): void {
  const tracks = scopes.flatMap((scope) => [...scope.tracks.keys(), ...scope.history.map(({ track }) => track)]);
  const shards = scopes.flatMap((scope) => [...scope.shards.keys(), ...scope.history.flatMap((one) => one.shards)]);
  if (tracks.includes(of) || shards.some((id) => isShardNamed(id, of))) return;
  const names = new Set([...tracks, ...shards, ...shards.map(shardName)]);
  throw new EchelonError({
    code: 'TRACK_UNKNOWN',
    message: `the record of rollouts has no track or shard ${of}`,
    hint: didYouMean(of, [...names], 'list the events of all tracks with: echelon rollout history'),
  });
}

const MOST_NAMED = 3;

function someOf(shards: readonly string[]): string {
  const named = shards.slice(0, MOST_NAMED).join(', ');
  return shards.length > MOST_NAMED ? `${named} and ${shards.length - MOST_NAMED} more` : named;
}

function item({ scope: { environment, upstream }, event }: EventRow): object {
  const { at, kind, track, image, wave, shards, reason } = event;
  return {
    ...{ at: instantText(at), track, environment, upstream, event: kind },
    ...defined({ image, wave }),
    shards,
    ...defined({ reason }),
  };
}
