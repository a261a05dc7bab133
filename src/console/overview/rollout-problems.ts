import { count, defined } from '../../base/index.ts';
import type { BoardTrack, EndedDecision } from '../../rollouts/index.ts';
import { ROLLOUTS_PATH, trackHref, verdictPath } from '../rollouts/board-rows.ts';
import type { ShardsData } from '../state.ts';
import type { FleetProblem } from './fleet-problem.ts';

type Alert = BoardTrack['alerts'][number];

const HINTS: Readonly<Record<Alert['kind'], string>> = {
  halted: 'promote a fixed image, or lift the failure with echelon rollout resume',
  'shadow-differs':
    'read the differences, then accept them with echelon rollout accept-shadow, or promote another image',
  'return-failed': 'repair the shard by hand: the others do not go back before it is healthy',
  'failing-after-completion': 'read the log of the shard',
  'set-by-hand': 'set the declared image, or pin the shard',
};

const RESUMES = 'it goes on when the pause ends, or is removed from rollouts.yml';

/** Halted rollouts, what else needs a human in a track, images that wait for a decision, and decisions that are over. */
export function rolloutProblems({ rollouts }: ShardsData): FleetProblem[] {
  if (rollouts === undefined) return [];
  return [
    ...rollouts.tracks.flatMap((track) => [
      ...track.alerts.map((alert) => alertProblem(track, alert)),
      ...undecided(track),
      ...waitingForQuery(track),
      ...unselected(track),
    ]),
    ...orphaned(rollouts.orphans),
    ...over(rollouts.ended, 'overrule'),
    ...over(rollouts.ended, 'freeze'),
  ];
}

/** Of one track: its place, its page, and an id that lasts as long as the problem. */
function about(track: BoardTrack, what: string): Pick<FleetProblem, 'id' | 'where' | 'href'> {
  const where = `${track.environment}/${track.track}`;
  return { id: `rollout ${where} ${what}`, where, href: trackHref(track) };
}

function alertProblem(track: BoardTrack, { kind, shard, reason, at }: Alert): FleetProblem {
  const { environment, version } = track;
  const isHalt = kind === 'halted';
  return {
    ...about(track, `${kind} ${shard}`),
    message: isHalt ? `the rollout of ${version} is halted: ${shard}: ${reason}` : `${shard}: ${reason}`,
    hint: HINTS[kind],
    ...(isHalt ? {} : { href: verdictPath({ environment, id: shard }) }),
    severity: isHalt || kind === 'return-failed' || kind === 'shadow-differs' ? 'error' : 'warning',
    ...defined({ since: at }),
  };
}

function undecided(track: BoardTrack): FleetProblem[] {
  const { version, state, stoppedBy } = track;
  if (state !== 'rejected' && state !== 'paused') return [];
  return [
    {
      ...about(track, `${state} ${version}`),
      message: `the rollout of ${version} is ${state}${stoppedBy === undefined ? '' : `: ${stoppedBy.reason}`}`,
      hint: state === 'paused' ? RESUMES : 'promote another image, or lift the rejection with echelon rollout resume',
      severity: 'warning',
      ...defined({ since: stoppedBy?.at }),
    },
  ];
}

/** No wave opens while a query is not as expected, or cannot be asked. */
function waitingForQuery(track: BoardTrack): FleetProblem[] {
  const gates = track.waves.flatMap(({ shards }) => shards.flatMap((shard) => shard.gates ?? []));
  const closed = gates.find(({ gate, ok }) => gate === 'queries' && !ok);
  if (closed === undefined) return [];
  return [
    {
      ...about(track, 'queries'),
      message: `the rollout of ${track.version} waits for its queries: ${closed.reason}`,
      hint: 'check the shard and what Prometheus says of it',
      severity: 'warning',
    },
  ];
}

/** Such shards never move by themselves. */
function unselected(track: BoardTrack): FleetProblem[] {
  const left = track.waves.filter(({ name }) => name === undefined).flatMap(({ shards }) => shards);
  const [first] = left;
  if (first === undefined || track.state === 'complete') return [];
  return [
    {
      ...about(track, 'unselected'),
      message: `${count(left.length, 'shard')} of the track in no wave: ${first.id}`,
      hint: 'add a last wave without shards and percent: it takes all that are left',
      severity: 'warning',
      ...defined({ since: track.since }),
    },
  ];
}

function orphaned(orphans: readonly { readonly id: string; readonly reason: string }[]): FleetProblem[] {
  const [first] = orphans;
  if (first === undefined) return [];
  return [
    {
      ...{ id: 'rollout orphans', where: 'rollouts', href: ROLLOUTS_PATH, severity: 'warning' },
      message: `${count(orphans.length, 'shard')} held without a track: ${first.id}: ${first.reason}`,
      hint: 'declare a track that has them, or pin them',
    },
  ];
}

function over(all: readonly EndedDecision[], kind: EndedDecision['kind']): FleetProblem[] {
  const ended = all.filter((one) => one.kind === kind);
  const [first] = ended;
  if (first === undefined) return [];
  const more = ended.length === 1 ? 'is' : `and ${count(ended.length - 1, 'other')} are`;
  return [
    {
      ...{ id: `rollout ended ${kind}s`, where: 'rollouts.yml', href: ROLLOUTS_PATH, severity: 'warning' },
      message: `${first.name} (${first.reason}) ${more} over and still in the file`,
      hint: `remove what is over from rollouts.yml`,
      since: first.until,
    },
  ];
}
