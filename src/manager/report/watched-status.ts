import { count, defined, type EchelonError } from '../../base/index.ts';
import { type Instant, withRelativeTimes } from '../../gates/index.ts';
import type { Awaited, AwaitedCause, WatchedView } from '../../watch/index.ts';
import type { PlaceFailure } from '../plan/observe.ts';
import { isSettled, type ShardState, type ShardStatus } from '../status/status.ts';
import { inListedOrder, SHARD_STATES, stateTotals, statusListing } from '../status/status-listing.ts';
import { placeFailureText } from './obstacles.ts';

interface SeenShards {
  readonly shards: readonly ShardStatus[];
  readonly failures: readonly PlaceFailure[];
  readonly rolloutFault?: EchelonError;
}

/** What `manager status --watch` shows of an observation. */
export function watchedStatus(seen: SeenShards, which: 'usual' | 'wide', now: Instant): WatchedView {
  const { shards, failures, rolloutFault } = seen;
  const errors = [
    ...failures.map((failure) => `${placeFailureText(failure)} [${failure.error.code}]`),
    ...(rolloutFault === undefined ? [] : [`${rolloutFault.message} [${rolloutFault.code}]`]),
  ];
  const isBlind = failures.length > 0 && shards.every(({ state }) => state === 'unknown');
  return {
    ...defined({ awaited: awaitedShards(seen, now), blind: isBlind ? errors[0] : undefined }),
    table: statusListing(shards).cells(which),
    rows: inListedOrder(shards).map((shard) => ({
      key: `${shard.cluster}/${shard.namespace}/${shard.kind}/${shard.name}`,
      name: `${shard.cluster}/${shard.namespace} ${shard.kind} ${shard.name}`,
      isAwaited: !isSettled(shard),
    })),
    notes: [stateTotals(shards) ?? 'no shards', ...errors.map((text) => `error: ${text}`)],
  };
}

/** Shards that are not settled, by state; undefined when none is, and every namespace could be observed. */
export function awaitedShards({ shards, failures }: SeenShards, now: Instant): Awaited | undefined {
  const open = shards.filter((shard) => !isSettled(shard));
  const [first] = failures;
  if (open.length === 0 && first === undefined) return undefined;
  if (open.length === 0 && first !== undefined) {
    const cause = { number: failures.length, text: 'cannot be observed', detail: placeFailureText(first) };
    return { what: count(failures.length, 'namespace'), causes: [cause] };
  }
  const aside = byState(
    shards.filter(({ state }) => state === 'held' || state === 'pinned'),
    now,
  );
  const causes = byState(open, now);
  return {
    what: `${open.length} of ${count(shards.length, 'shard')}`,
    causes,
    ...(aside.length === 0 ? {} : { aside }),
  };
}

function byState(shards: readonly ShardStatus[], now: Instant): AwaitedCause[] {
  const groups = Map.groupBy(shards, ({ state }) => state);
  return SHARD_STATES.flatMap((state: ShardState) => {
    const group = groups.get(state);
    if (group === undefined) return [];
    return [{ number: group.length, text: state, ...defined({ detail: commonReason(group, now) }) }];
  });
}

/** The most frequent reason, and how many others there are. */
function commonReason(shards: readonly ShardStatus[], now: Instant): string | undefined {
  const reasons = Map.groupBy(
    shards.flatMap(({ reason }) => (reason === undefined ? [] : [reason])),
    (reason) => reason,
  );
  const [first, ...others] = [...reasons].toSorted(([, a], [, b]) => b.length - a.length);
  if (first === undefined) return undefined;
  const text = withRelativeTimes(first[0], now);
  return others.length === 0 ? text : `${text}, and ${count(others.length, 'other reason')}`;
}
