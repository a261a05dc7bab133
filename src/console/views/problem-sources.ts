import { count, defined } from '../../base/index.ts';
import { type Instant, instantOf, MICROS, parseInstant } from '../../gates/index.ts';
import type { BoardTrack, EndedDecision } from '../../rollouts/index.ts';
import type { ClusterExplanation, Fault, PolicyProblem } from '../../upgrades/index.ts';
import { filteredHref } from '../list.ts';
import type { ConsolePin, ConsoleShard, EndedFreeze, FleetProblem, ShardsData, UpgradesData } from '../state.ts';
import { clusterPath } from './clusters.ts';
import { ROLLOUTS_PATH, trackHref, verdictPath } from './rollouts.ts';
import { integrationOf } from './shards.ts';

/** Two faults of one kind at one place are one problem. */
function faultProblem(where: string, { code, message, hint }: Fault): FleetProblem {
  return { id: `fault ${where} ${code} ${message}`, where, message, hint, severity: 'error' };
}

/** Problems of OCM environments, organizations and clusters, and versions that wait for a human; those that affect most come first. */
export function upgradeProblems({ plan, notes, clusters, endedFreezes = [] }: UpgradesData): FleetProblem[] {
  const paths = new Map(clusters.map((cluster) => [cluster.id as string, clusterPath(cluster)]));
  return [
    ...plan.environments.flatMap(({ name, fault }) => (fault === undefined ? [] : [faultProblem(name, fault)])),
    ...plan.organizations.flatMap(({ environment, name, skipped, faults, stopped, delayed, problems }) => {
      const where = `${environment}/${name}`;
      return [
        ...[...skipped, ...faults].map((fault) => faultProblem(where, fault)),
        ...(stopped === undefined ? [] : [stoppedProblem(where, name, stopped)]),
        ...(delayed === undefined ? [] : [delayedProblem(where, delayed)]),
        ...problems.map((problem) => labelProblem(where, problem, paths)),
      ];
    }),
    ...undecidedVersions(clusters),
    ...blockedClusters(clusters),
    ...overFreezes(endedFreezes),
    ...notes.map((message) => ({
      ...{ id: `note ${message}`, where: 'console', message, hint: '', severity: 'warning' as const },
    })),
  ];
}

function stoppedProblem(where: string, organization: string, why: string): FleetProblem {
  const href = filteredHref('/clusters', 'org', organization);
  return {
    id: `stopped ${where}`,
    where,
    message: `stopped: ${why}`,
    hint: 'fix its labels',
    severity: 'error',
    href,
  };
}

function delayedProblem(where: string, message: string): FleetProblem {
  return {
    id: `delayed ${where}`,
    where,
    message,
    hint: 'check the clock of the scheduler',
    severity: 'warning',
  };
}

function labelProblem(
  organization: string,
  { scope, key, message, hint, severity }: PolicyProblem,
  paths: ReadonlyMap<string, string>,
): FleetProblem {
  const where = scope.kind === 'organization' ? organization : `${organization}/${scope.cluster.name}`;
  const href = scope.kind === 'organization' ? undefined : paths.get(scope.cluster.id);
  return {
    ...{ id: `label ${where} ${key}`, where, message: `${key}: ${message}`, hint, severity },
    ...defined({ href }),
  };
}

/** Versions whose gates nobody has agreed to, by organization. */
function undecidedVersions(clusters: readonly ClusterExplanation[]): FleetProblem[] {
  const waiting = clusters.filter(({ action }) => action === 'agree-gates');
  const groups = Map.groupBy(waiting, ({ environment, orgId, to }) => JSON.stringify([environment, orgId, to]));
  return [...groups].map(([id, own]): FleetProblem => {
    const [{ environment, organization, to, reason }] = own as [ClusterExplanation];
    return {
      id: `undecided ${id}`,
      where: `${environment}/${organization}`,
      message: `${to ?? 'a version'} waits for an agreement on ${count(own.length, 'cluster')}: ${reason}`,
      hint: 'agree to its version gates, or run the gate approver',
      severity: 'warning',
      href: `${filteredHref('/clusters', 'org', organization)}&action=agree-gates`,
    };
  });
}

/** Clusters whose every newer version is blocked, by organization and block: they stay behind until somebody removes it. */
function blockedClusters(clusters: readonly ClusterExplanation[]): FleetProblem[] {
  const blocked = clusters.flatMap((cluster) => {
    const own = cluster.candidates.filter(({ nodePool }) => nodePool === undefined);
    const [newest] = own;
    const block = newest && blockOf(newest);
    return block !== undefined && own.every(blockOf) ? [{ cluster, block, newest: newest?.version }] : [];
  });
  const groups = Map.groupBy(blocked, ({ cluster, block }) =>
    JSON.stringify([cluster.environment, cluster.orgId, block.reason]),
  );
  return [...groups].map(([id, own]): FleetProblem => {
    const [{ cluster, block, newest }] = own as [(typeof own)[number]];
    return {
      id: `blocked ${id}`,
      where: `${cluster.environment}/${cluster.organization}`,
      message: `every version up to ${newest} is blocked for ${count(own.length, 'cluster')}: ${block.reason}`,
      hint: 'remove the block if the versions are good, or narrow its pattern',
      severity: 'warning',
      href: `${filteredHref('/clusters', 'org', cluster.organization)}&gate=blocked`,
    };
  });
}

function blockOf({ gates }: ClusterExplanation['candidates'][number]) {
  return gates.find(({ gate, state }) => gate === 'blocked' && state === 'wait');
}

function overFreezes(ended: readonly EndedFreeze[]): FleetProblem[] {
  const groups = Map.groupBy(ended, ({ environment, organization }) => `${environment}/${organization}`);
  return [...groups].map(([where, own]): FleetProblem => {
    const [{ until, reason, organization }] = own as [EndedFreeze];
    const more = own.length === 1 ? '' : ` and ${count(own.length - 1, 'other')}`;
    return {
      ...{ id: `ended freezes ${where}`, where, severity: 'warning', since: until },
      message: `a freeze${reason === '' ? '' : ` (${reason})`}${more} ${own.length === 1 ? 'is' : 'are'} over and still declared`,
      hint: 'remove it from the labels or the file of the organization',
      href: filteredHref('/clusters', 'org', organization),
    };
  });
}

/** A pin that is older keeps a shard from every fix since. */
const OLD_PIN_DAYS = 14;

/** Reasons of Kubernetes for a container that does not start by itself. */
const CRASH =
  /^(?:CrashLoopBackOff|ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainer\w*Error|RunContainerError|Error|OOMKilled)$/;

/** Clusters that cannot be observed with the number of shards that are unknown; shards that crash, lag or are missing; errors. */
export function shardProblems({ shards, faults, errors }: ShardsData): FleetProblem[] {
  const unknown = Map.groupBy(
    shards.filter(({ state }) => state === 'unknown'),
    ({ reason }) => reason ?? '',
  );
  return [
    ...faults.map((fault) => withUnknown(faultProblem('shards', fault), unknown.get(fault.message) ?? [])),
    ...(errors === 0 ? [] : [invalid(errors)]),
    ...unsettled(shards),
  ];
}

function withUnknown(problem: FleetProblem, shards: readonly ConsoleShard[]): FleetProblem {
  const [first] = shards;
  if (first === undefined) return problem;
  const { cluster } = first;
  return {
    ...problem,
    where: cluster,
    message: `${count(shards.length, 'shard')} unknown: ${problem.message}`,
    href: `${filteredHref('/shards', 'state', 'unknown')}&${new URLSearchParams({ cluster })}`,
  };
}

function invalid(errors: number): FleetProblem {
  return {
    id: 'instance',
    where: 'instance',
    message: `${count(errors, 'error')} in the instance`,
    hint: 'run echelon validate',
    severity: 'error',
  };
}

type Trouble = 'crashing' | 'missing' | 'lagging' | 'unexpected';

const TROUBLES: Readonly<Record<Trouble, Pick<FleetProblem, 'hint' | 'severity'> & { readonly state: string }>> = {
  crashing: { state: 'lagging', severity: 'error', hint: 'read the logs of the shards' },
  missing: { state: 'missing', severity: 'error', hint: 'check the log of the manager' },
  lagging: { state: 'lagging', severity: 'warning', hint: 'if it lasts, check the pods and the log of the manager' },
  unexpected: { state: 'unexpected', severity: 'warning', hint: 'check the log of the manager' },
};

function troubleOf({ state, reason }: ConsoleShard): Trouble | undefined {
  if (state === 'lagging') return CRASH.test(reason ?? '') ? 'crashing' : 'lagging';
  return state === 'missing' || state === 'unexpected' ? state : undefined;
}

/** One problem for all shards of an integration that have the same. */
function unsettled(shards: readonly ConsoleShard[]): FleetProblem[] {
  const troubled = shards.flatMap((shard) => {
    const trouble = troubleOf(shard);
    return trouble === undefined ? [] : [{ trouble, shard, integration: integrationOf(shard) }];
  });
  const groups = Map.groupBy(troubled, ({ trouble, integration }) => JSON.stringify([trouble, integration]));
  return [...groups].map(([id, own]): FleetProblem => {
    const [{ trouble, shard, integration }] = own as [(typeof own)[number]];
    const { state, severity, hint } = TROUBLES[trouble];
    const since = sinceOf(own.map((one) => one.shard));
    const reason = shard.reason === undefined ? '' : `: ${shard.shard ?? shard.name}: ${shard.reason}`;
    return {
      ...{ id: `shards ${id}`, where: integration, severity, hint },
      message: `${count(own.length, 'shard')} ${trouble}${reason}`,
      href: `${filteredHref('/shards', 'state', state)}&${new URLSearchParams({ integration })}`,
      ...defined({ since }),
    };
  });
}

/** The first that is known. */
function sinceOf(shards: readonly ConsoleShard[]): Instant | undefined {
  const known = shards.flatMap(({ since }) => (since === undefined ? [] : (parseInstant(since) ?? [])));
  return known.sort((a, b) => a - b)[0];
}

/** Pins that are old, or past their date. */
export function pinProblems({ pins }: ShardsData, asOf: Instant): FleetProblem[] {
  return pins.flatMap((pin) => {
    const isOld = pin.since !== undefined && asOf - instantOf(pin.since.getTime()) > OLD_PIN_DAYS * MICROS.day;
    return isOld || pin.expired ? [pinProblem(pin)] : [];
  });
}

function pinProblem({ pin, since, expired }: ConsolePin): FleetProblem {
  const { integration, shard, imageRef, reason, until } = pin;
  const why = reason === undefined ? ', without a reason' : `: ${reason}`;
  return {
    id: `pin ${integration}/${shard} ${pin.cluster}/${pin.namespace} ${imageRef}`,
    where: `${integration}/${shard}`,
    message: `pinned to ${imageRef}${expired ? ` until ${until}, which is over` : ''}${why}`,
    hint: `remove it with echelon unpin, or give it a later date`,
    severity: 'warning',
    href: `/shards?${new URLSearchParams({ integration, q: shard })}`,
    ...(since === undefined ? {} : { since: instantOf(since.getTime()) }),
  };
}

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

/** The fields that problems of one track share: location, page, and an id that lasts as long as the problem. */
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
