import { count, defined } from '../../base/index.ts';
import type { ClusterExplanation, PolicyProblem } from '../../upgrades/index.ts';
import { clusterPath } from '../clusters/rows.ts';
import { filteredHref } from '../query.ts';
import type { EndedFreeze, UpgradesData } from '../state.ts';
import { type FleetProblem, faultProblem } from './fleet-problem.ts';

/** Problems of OCM environments, organizations and clusters, and versions that wait for a human; those that affect most come first. */
export function upgradeProblems({ plan, notes, clusters, endedFreezes = [] }: UpgradesData): FleetProblem[] {
  const paths = new Map(clusters.map((cluster) => [cluster.id as string, clusterPath(cluster)]));
  return [
    ...plan.environments.flatMap(({ name, fault, unread = [] }) =>
      [...(fault === undefined ? [] : [fault]), ...unread].map((each) => faultProblem(name, each)),
    ),
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
