import type { BoardTrack } from '../../rollouts/index.ts';
import { trackHref, verdictPath } from '../rollouts/board-rows.ts';
import type { ShardsData } from '../state.ts';
import type { FleetProblem } from './fleet-problem.ts';

type Alert = BoardTrack['alerts'][number];

const HINTS: Readonly<Record<Alert['kind'], string>> = {
  halted: 'promote a fixed image, or lift the failure with echelon rollout resume',
  'shadow-differs': 'read the differences: the wave does not open before somebody accepts them or the image changes',
  'return-failed': 'repair the shard by hand: the others do not go back before it is healthy',
  'failing-after-completion': 'read the log of the shard',
  'set-by-hand': 'set the declared image, or pin the shard',
};

/** Halted rollouts, what else needs a human in a track, and images that wait for a decision. */
export function rolloutProblems({ rollouts }: ShardsData): FleetProblem[] {
  return (rollouts?.tracks ?? []).flatMap((track) => [
    ...track.alerts.map((alert) => alertProblem(track, alert)),
    ...undecided(track),
  ]);
}

function alertProblem(track: BoardTrack, { kind, shard, reason, at }: Alert): FleetProblem {
  const { environment, version } = track;
  const isHalt = kind === 'halted';
  return {
    id: `rollout ${environment}/${track.track} ${kind} ${shard}`,
    where: `${environment}/${track.track}`,
    message: isHalt ? `the rollout of ${version} is halted: ${shard}: ${reason}` : `${shard}: ${reason}`,
    hint: HINTS[kind],
    href: isHalt ? trackHref(track) : verdictPath({ environment, id: shard }),
    severity: isHalt || kind === 'return-failed' || kind === 'shadow-differs' ? 'error' : 'warning',
    ...(at === undefined ? {} : { since: at }),
  };
}

function undecided(track: BoardTrack): FleetProblem[] {
  const { environment, version, state } = track;
  if (state !== 'rejected' && state !== 'paused') return [];
  return [
    {
      id: `rollout ${environment}/${track.track} ${state} ${version}`,
      where: `${environment}/${track.track}`,
      message: `the rollout of ${version} is ${state}`,
      hint: state === 'paused' ? 'it goes on when the pause ends' : 'promote another image, or lift the rejection',
      href: trackHref(track),
      severity: 'warning',
    },
  ];
}
