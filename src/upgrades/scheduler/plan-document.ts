import { CLUSTER_ACTIONS, type ClusterAction, type ClusterPlan, type UpgradePlan } from './fleet-plan.ts';
import { environmentFaults } from './fleet-view.ts';
import type { Fault } from './ports.ts';

const CHANGES: ReadonlySet<ClusterAction> = new Set(['upgrade', 'upgrade-node-pool', 'switch-channel', 'cancel']);

/** Whether an apply does something to the cluster. */
function isClusterChange({ action }: Pick<ClusterPlan, 'action'>): boolean {
  return CHANGES.has(action);
}

/** What an apply of the plan does. */
export function clusterChanges({ organizations }: UpgradePlan): ClusterPlan[] {
  return organizations.flatMap(({ clusters }) => clusters.filter(isClusterChange));
}

/** How many clusters there are of each action. */
export function planCounts({ organizations }: UpgradePlan): Readonly<Record<ClusterAction, number>> {
  const all = organizations.flatMap(({ clusters }) => clusters);
  const entries = CLUSTER_ACTIONS.map((action) => [action, all.filter((each) => each.action === action).length]);
  return Object.fromEntries(entries) as Record<ClusterAction, number>;
}

/** Why a plan is incomplete, or later than its owner expects. */
type PlanObstacle =
  /** Errors of the service or of OCM. */
  | { readonly kind: 'fault'; readonly subject: string; readonly fault: Fault }
  /** Errors in the organization's configuration. */
  | { readonly kind: 'stopped'; readonly subject: string; readonly reason: string }
  /** Soak that is not counted for now. */
  | { readonly kind: 'delayed'; readonly subject: string; readonly reason: string };

/** What could not be observed, and what stops or delays an organization. */
export function planObstacles({ environments, organizations }: UpgradePlan): PlanObstacle[] {
  const faultsOf = (subject: string, faults: readonly Fault[]): PlanObstacle[] =>
    faults.map((fault) => ({ kind: 'fault', subject, fault }));
  return [
    ...environments.flatMap((environment) => faultsOf(environment.name, environmentFaults(environment))),
    ...organizations.flatMap(({ environment, orgId, name, skipped, faults, stopped, delayed }): PlanObstacle[] => {
      const subject = name === orgId ? `${environment}/${name}` : `${environment}/${name} (${orgId})`;
      const own = faultsOf(subject, [...skipped, ...faults]);
      return [
        ...own,
        ...(stopped === undefined ? [] : [{ kind: 'stopped' as const, subject, reason: stopped }]),
        ...(delayed === undefined ? [] : [{ kind: 'delayed' as const, subject, reason: delayed }]),
      ];
    }),
  ];
}

/** How many service logs an apply of the plan sends to users. */
export function serviceLogCount({ organizations }: UpgradePlan): number {
  return organizations.reduce((sum, { serviceLogs }) => sum + serviceLogs.length, 0);
}

/** For programs. */
export function planDocument(plan: UpgradePlan): object {
  return {
    summary: { ...planCounts(plan), serviceLogs: serviceLogCount(plan) },
    environments: plan.environments,
    organizations: plan.organizations.map(({ problems, ...organization }) => ({
      ...organization,
      problems: problems.map(({ scope, ...problem }) => ({
        ...problem,
        ...(scope.kind === 'cluster' ? { cluster: scope.cluster.name } : {}),
      })),
    })),
  };
}
