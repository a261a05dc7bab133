import { byText, defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { Overrule } from '../file/rollout-file.ts';
import { type RolloutEvent, rolloutEvent } from '../record/history.ts';
import type { NotedEvents, ScopeRecord, ShardRecord, TrackRecord } from '../record/record.ts';
import type { ObservedTrack } from './observe-track.ts';
import type { TrackContext } from './rollout-gate.ts';
import type { PlacedSighting } from './seen-shards.ts';

/** What a pass adds to the history of a track. */
export interface TrackEvents {
  readonly events: readonly RolloutEvent[];
  readonly noted: NotedEvents;
}

type Event = Omit<RolloutEvent, 'at' | 'track' | 'shards'> & Partial<Pick<RolloutEvent, 'shards'>>;

/** What happened since the record was made: the same record and facts give the same events, so that none is noted twice. */
export function trackEvents(
  before: ScopeRecord,
  observed: ObservedTrack,
  context: TrackContext,
  progress: TrackRecord,
): TrackEvents {
  const { now, target, track } = context;
  const known = before.tracks.get(track.name);
  const isSame = known?.target === target;
  const waves = passedWaves(known, context);
  const overrules = overrulesNow(known, context);
  const events: Event[] = [
    ...(isSame ? [] : [{ kind: 'target' as const, image: target }]),
    ...overrules.events,
    ...shardEvents(before.shards, observed.others, context),
    ...waves.events,
    ...failureEvents(before, observed),
    ...(progress.isComplete && !(isSame && known.isComplete) ? [{ kind: 'completed' as const, image: target }] : []),
  ];
  return {
    events: events.map(({ shards = [], ...event }) =>
      rolloutEvent({ at: now, track: track.name, ...event, shards: shards.toSorted(byText) }),
    ),
    noted: { waves: waves.noted, overrules: overrules.noted },
  };
}

/** Waves that the target has passed one after the other. A record from before there was a history has its own noted silently. */
function passedWaves(known: TrackRecord | undefined, { waves, firstUnpassed, target }: TrackContext) {
  const isSame = known?.target === target;
  const noted = isSame ? known.noted?.waves : [];
  const passed = isSame && known.isComplete ? [] : waves.slice(0, firstUnpassed).map(({ wave }) => wave.name);
  const added = noted === undefined ? [] : passed.filter((name) => !noted.includes(name));
  const names = new Set(waves.map(({ wave }) => wave.name));
  return {
    events: added.map((wave): Event => ({ kind: 'wave-passed', image: target, wave })),
    noted: [...new Set([...(noted ?? []), ...passed])].filter((name) => names.has(name)),
  };
}

/** A track that is new has nothing that a resume could lift. */
function overrulesNow(known: TrackRecord | undefined, { overrules, now }: TrackContext) {
  const current = overrules.filter(({ at, until }) => at <= now && now < (until ?? Infinity));
  const noted = known === undefined ? [] : known.noted?.overrules;
  const isNew = (one: Overrule): boolean => noted !== undefined && !noted.includes(keyOf(one));
  const added = current.filter((one) => isNew(one) && (known !== undefined || one.action !== 'resume'));
  return {
    events: added.map(({ action, image, reason }): Event => ({ kind: action, ...defined({ image }), reason })),
    noted: current.map(keyOf).sort(byText),
  };
}

function keyOf({ action, at, image, digest }: Overrule): string {
  const about = [image, digest].filter((one) => one !== undefined);
  return [action, at satisfies Instant, ...about].join(' ');
}

/** The shards of a wave that moved, came back or soaked, as one event each. */
function shardEvents(
  before: ReadonlyMap<string, ShardRecord>,
  sightings: readonly PlacedSighting[],
  { waves }: TrackContext,
): Event[] {
  const found = new Map<string, Event & { readonly shards: string[] }>();
  for (const sighting of sightings)
    for (const event of eventsOf(before.get(sighting.facts.id), sighting)) {
      const wave = sighting.wave === undefined ? undefined : waves[sighting.wave]?.wave;
      const key = JSON.stringify([event.kind, event.image, wave?.name]);
      const group = found.get(key) ?? { ...event, ...defined({ wave: wave?.name }), shards: [] };
      group.shards.push(sighting.facts.id);
      found.set(key, group);
    }
  return [...found.values()].sort((a, b) => byText(a.kind, b.kind));
}

function eventsOf(before: ShardRecord | undefined, { facts, record, hasSoaked }: PlacedSighting): Event[] {
  const image = facts.live?.image;
  const { move } = before ?? {};
  if (before === undefined || image === undefined) return [];
  const { shadow } = record;
  const differs = shadow?.result === 'different' && before.shadow?.digest !== shadow.digest;
  const arrived = move !== undefined && !move.seen && move.image === image;
  const isGood = hasSoaked && record.good === image && before.good !== image;
  return [
    ...(arrived ? [{ kind: move.returnFrom === undefined ? ('moved' as const) : ('returned' as const), image }] : []),
    ...(isGood ? [{ kind: 'soaked' as const, image }] : []),
    ...(differs
      ? [{ kind: 'shadow-differs' as const, image: shadow.image, ...defined({ reason: shadow.digest }) }]
      : []),
  ];
}

function failureEvents(before: ScopeRecord, { failures }: ObservedTrack): Event[] {
  const known = new Set(before.failures);
  return failures.flatMap((failure): Event[] => {
    const { shard, image, reason } = failure;
    return known.has(failure) ? [] : [{ kind: 'failed', image, shards: [shard], reason }];
  });
}
