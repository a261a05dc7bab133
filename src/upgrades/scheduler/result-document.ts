import { count, defined } from '../../base/index.ts';
import type { PlanItem } from '../engine/choose.ts';
import type { ItemResult } from './apply.ts';
import { isSkipped } from './plan-organization.ts';
import type { Fault } from './ports.ts';
import type { AppliedPlan } from './scheduler.ts';

/** A plan item that was not applied. */
interface UndoneItem {
  readonly outcome: ItemResult['outcome'];
  /** `first/prod-1: upgrade 4.18.3` */
  readonly subject: string;
  readonly reason: string;
}

/** The result of an apply. */
interface ApplySummary {
  readonly done: number;
  readonly undone: readonly UndoneItem[];
  /** Service logs that were written. */
  readonly notices: number;
  readonly faults: readonly { readonly subject: string; readonly fault: Fault }[];
}

export function applySummary({ organizations }: AppliedPlan): ApplySummary {
  const undone = organizations.flatMap(({ outcome, results }) => {
    const nameOf = clusterNames(outcome);
    return results
      .filter((result) => result.outcome !== 'done')
      .map((result) => undoneItem(`${outcome.name}/${nameOf(result.item)}`, result));
  });
  return {
    done: organizations.reduce((sum, { results }) => sum + results.length, 0) - undone.length,
    undone,
    notices: organizations.reduce((sum, { notices }) => sum + notices.length, 0),
    faults: organizations.flatMap(({ outcome, faults }) =>
      faults.map((fault) => ({ subject: `${outcome.environment}/${outcome.name}`, fault })),
    ),
  };
}

function undoneItem(cluster: string, result: ItemResult): UndoneItem {
  const { item } = result;
  return {
    outcome: result.outcome,
    subject: `${cluster}: ${item.action} ${targetOf(item)}`,
    reason: 'fault' in result ? result.fault.message : 'reason' in result ? result.reason : '',
  };
}

/** `Done: 3 changes made, 1 not, 2 service logs written.` */
export function applySummaryText({ done, undone, notices }: ApplySummary): string {
  const rest = [
    ...(undone.length === 0 ? [] : [`${undone.length} not`]),
    ...(notices === 0 ? [] : [`${count(notices, 'service log')} written`]),
  ];
  return `${[`Done: ${count(done, 'change')} made`, ...rest].join(', ')}.`;
}

/** For programs. */
export function resultDocument({ environments, organizations }: AppliedPlan): object {
  return {
    environments,
    organizations: organizations.map(({ outcome, results, notices, faults }) => {
      const nameOf = clusterNames(outcome);
      return {
        environment: outcome.environment,
        orgId: outcome.orgId,
        name: outcome.name,
        results: results.map((result) => ({
          cluster: nameOf(result.item),
          clusterId: result.item.clusterId,
          action: result.item.action,
          to: targetOf(result.item),
          outcome: result.outcome,
          ...('policyId' in result ? defined({ policyId: result.policyId }) : {}),
          ...('reason' in result ? { reason: result.reason } : {}),
          ...('fault' in result ? { reason: result.fault.message, code: result.fault.code } : {}),
        })),
        serviceLogs: notices.map(({ cluster, summary }) => ({ cluster: cluster.name, summary })),
        faults: [...(isSkipped(outcome) ? outcome.skipped : outcome.faults), ...faults],
      };
    }),
  };
}

type Applied = AppliedPlan['organizations'][number]['outcome'];

function clusterNames(outcome: Applied): (item: PlanItem) => string {
  const clusters = isSkipped(outcome) ? [] : outcome.clusters;
  const names = new Map<string, string>(clusters.map(({ id, name }) => [id, name]));
  return ({ clusterId }) => names.get(clusterId) ?? clusterId;
}

function targetOf(item: PlanItem): string {
  return item.action === 'switch-channel' ? item.to : item.version;
}
