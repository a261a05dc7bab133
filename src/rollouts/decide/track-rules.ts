import { imageVersion, namesMatching, parseImage } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { ShardFacts } from '../facts.ts';
import type { Match, Overrule, RolloutFile, RolloutFreeze, Track } from '../file/rollout-file.ts';

/** A track with what else the file says about it. */
export interface TrackRules {
  readonly track: Track;
  readonly overrules: readonly Overrule[];
  readonly freezes: readonly FreezeRule[];
}

interface FreezeRule extends RolloutFreeze {
  readonly concerns: (integration: string) => boolean;
}

/** What the file says about a track in an environment. */
export function rulesOf(file: RolloutFile, track: Track, environment: string): TrackRules {
  return {
    track,
    overrules: file.overrules.filter((overrule) => overrule.track === track.name),
    freezes: file.freezes
      .filter(({ match }) => namesMatching(match.environments)(environment))
      .map((freeze) => ({ ...freeze, concerns: namesMatching(freeze.match.integrations) })),
  };
}

/** The first track that matches a shard, in one environment; asked once for each integration. */
export function trackFinder(
  tracks: readonly Track[],
  environment: string,
): (shard: Pick<ShardFacts, 'integration'>) => Track | undefined {
  const here = tracks
    .filter(({ match }) => namesMatching(match.environments)(environment))
    .map((track) => ({ track, matches: namesMatching((track.match satisfies Match).integrations) }));
  const known = new Map<string, Track | undefined>();
  return ({ integration }) => {
    if (!known.has(integration)) known.set(integration, here.find(({ matches }) => matches(integration))?.track);
    return known.get(integration);
  };
}

/** Whether an overrule means an image: it gives the whole image, its tag, or its tag and digest. */
export function names({ image: given }: Pick<Overrule, 'image'>, image: string): boolean {
  return given === undefined || given === image || given === parseImage(image).tag || given === imageVersion(image);
}

/** The overrule of an action that is in force for an image; the one with the latest end. */
export function inForce(
  overrules: readonly Overrule[],
  action: Overrule['action'],
  image: string,
  now: Instant,
): Overrule | undefined {
  return overrules
    .filter((one) => one.action === action && one.at <= now && (one.until ?? Infinity) > now && names(one, image))
    .reduce<Overrule | undefined>(
      (last, one) => (last === undefined || endOf(one) > endOf(last) ? one : last),
      undefined,
    );
}

function endOf({ at, until }: Overrule): number {
  return until ?? at;
}

/** Whether a `resume` in force came after a time. */
export function isResumedSince(overrules: readonly Overrule[], image: string, time: Instant, now: Instant): boolean {
  return overrules.some((one) => one.action === 'resume' && one.at > time && one.at <= now && names(one, image));
}

/** The `reject` in force for an image, unless a later `resume` lifted it (R3). */
export function rejectionOf(overrules: readonly Overrule[], image: string, now: Instant): Overrule | undefined {
  const rejected = inForce(overrules, 'reject', image, now);
  return rejected !== undefined && !isResumedSince(overrules, image, rejected.at, now) ? rejected : undefined;
}
