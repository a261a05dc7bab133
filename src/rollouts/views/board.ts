import { defined } from '../../base/index.ts';
import type { Instant, Opening } from '../../gates/index.ts';
import type { RolloutsDecision, ScopeTrack } from '../decide/decide-rollouts.ts';
import type { Alert, TrackState, WaveReport } from '../decide/decision.ts';
import { inForce, rejectionOf } from '../decide/track-rules.ts';
import { durationText } from '../file/duration.ts';
import type { Overrule, RolloutFile } from '../file/rollout-file.ts';
import { explainShards } from '../forecast/explain.ts';
import { type ScopeRecord, scopeKey } from '../record/record.ts';
import { type BoardShard, type Explained, type ReadShard, shardKey, shardReader } from './board-shard.ts';
import { type EndedDecision, endedDecisions } from './ended-decisions.ts';
import { versionText } from './rollout-view.ts';

/** Tracks with waves as columns and shards as cells. */
export interface RolloutBoard {
  /** Those that need a human first, completed ones last. */
  readonly tracks: readonly BoardTrack[];
  /** Shards that left their track while they were held (F3). */
  readonly orphans: readonly BoardShard[];
  /** What the file still says, and is over. */
  readonly ended: readonly EndedDecision[];
}

export interface BoardTrack {
  readonly track: string;
  readonly environment: string;
  readonly upstream: string;
  readonly target: string;
  /** The target as a version, such as `19e1349`. */
  readonly version: string;
  readonly state: TrackState;
  /** The human decision that keeps it, of a paused or rejected one. */
  readonly stoppedBy?: Pick<Overrule, 'reason' | 'at' | 'until'>;
  /** When the image became the target. */
  readonly since?: Instant;
  readonly alerts: readonly Alert[];
  readonly waves: readonly BoardWave[];
}

export interface BoardWave extends Omit<WaveReport, 'shards' | 'soak' | 'name'> {
  /** Absent for shards that no wave selects. */
  readonly name?: string;
  readonly soak?: string;
  /** When the next shard of it can move at the earliest; absent when one can, or none has to. */
  readonly opening?: Opening;
  readonly shards: readonly BoardShard[];
}

const URGENCY: Readonly<Record<TrackState, number>> = {
  halted: 0,
  rejected: 1,
  paused: 1,
  'under-way': 2,
  complete: 3,
};

/** The file that was decided by, and when. */
interface BoardRules {
  readonly file: RolloutFile;
  readonly now: Instant;
}

/** What a decision means for each shard, with human decisions where the rules are given. Linear in the number of shards. */
export function rolloutBoard(decision: RolloutsDecision, rules?: BoardRules): RolloutBoard {
  const explained = new Map(explainShards(decision).map((one) => [shardKey(one, one.id), one]));
  const tracks = decision.tracks.map((track) =>
    boardTrack(track, decision.record.scopes.get(scopeKey(track)), explained, rules),
  );
  return {
    tracks: tracks.toSorted((a, b) => urgency(a) - urgency(b)),
    ended: rules === undefined ? [] : endedDecisions(rules.file, rules.now),
    orphans: decision.orphans.map((orphan) => ({
      ...{ id: orphan.id, environment: orphan.environment, state: 'held', reason: orphan.verdicts[0]?.reason ?? '' },
      ...defined({ version: orphan.hold?.image === undefined ? undefined : versionText(orphan.hold.image) }),
      gates: explained.get(shardKey(orphan, orphan.id))?.rows ?? [],
    })),
  };
}

function urgency({ state, alerts }: BoardTrack): number {
  return alerts.length > 0 ? Math.min(URGENCY[state], 0.5) : URGENCY[state];
}

function boardTrack(
  decision: ScopeTrack,
  scope: ScopeRecord | undefined,
  explained: Explained,
  rules: BoardRules | undefined,
): BoardTrack {
  const { track, environment, upstream, target, state, alerts } = decision;
  const cellOf = shardReader(decision, scope, explained);
  const since = scope?.tracks.get(track)?.since;
  return {
    ...{ track, environment, upstream, target, version: versionText(target), state, alerts, ...defined({ since }) },
    ...defined({ stoppedBy: rules && stoppedBy(decision, rules) }),
    waves: [...decision.waves.map((wave) => boardWave(wave, cellOf)), ...withoutWave(decision, cellOf)],
  };
}

function stoppedBy({ track, target, state }: ScopeTrack, { file, now }: BoardRules): BoardTrack['stoppedBy'] {
  if (state !== 'paused' && state !== 'rejected') return undefined;
  const own = file.overrules.filter((overrule) => overrule.track === track);
  const found = state === 'paused' ? inForce(own, 'pause', target, now) : rejectionOf(own, target, now);
  return found && { reason: found.reason, at: found.at, ...defined({ until: found.until }) };
}

function boardWave({ shards, soak, ...report }: WaveReport, cellOf: ReadShard): BoardWave {
  const cells = shards.map((id) => cellOf(id, { ...report, shards, soak }));
  const held = cells.filter(({ state }) => state === 'held');
  const opening = held.some((one) => one.opening === undefined) ? undefined : held[0]?.opening;
  return { ...report, soak: durationText(soak), shards: cells, ...defined({ opening }) };
}

/** Shards that no wave selects stay where they are. */
function withoutWave({ verdicts }: ScopeTrack, cellOf: ReadShard): BoardWave[] {
  const left = verdicts.filter(({ wave }) => wave === undefined);
  if (left.length === 0) return [];
  const shards = left.map(({ id }) => cellOf(id, undefined));
  const none = { state: 'closed', counting: 0, onTarget: 0, soaked: 0 } as const;
  return [{ ...none, reason: 'no wave of the track selects them', shards }];
}
