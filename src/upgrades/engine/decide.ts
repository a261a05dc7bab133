import { defined } from '../../base/index.ts';
import { gateList, type Instant } from '../../gates/index.ts';
import { hasError, type UpgradePolicy } from '../policies/org-spec.ts';
import {
  availableRow,
  blockedGate,
  blockedRow,
  inheritedFloorRow,
  sectorRow,
  soakRow,
  versionGateRow,
} from './candidate-gates.ts';
import {
  type Cancellation,
  type Choice,
  choose,
  type Examined,
  type Explanation,
  examine,
  type MissingGates,
  Panel,
  type PlanItem,
} from './choose.ts';
import { busyRow, freezeRow, frozen, healthRow, mutexRow, scheduleRow } from './cluster-gates.ts';
import { type Context, contextOf, type FullContext } from './context.ts';
import { memberOf, type OrgFacts, type ScheduledUpgrade, type ServedCluster } from './facts.ts';
import type { UpgradeGates, UpgradeVerdict } from './gate.ts';
import { type RemainingSoak, remainingSoak } from './remaining-soak.ts';
import type { Rules } from './rules.ts';
import { inheritSoak, type Ledger, type Observation, observe } from './soak.ts';
import { compareVersions } from './versions.ts';

/** The plan for an organization, and why. */
export interface Planned {
  /** In execution order; empty with a fault. */
  readonly plan: readonly PlanItem[];
  /** One per served cluster, in the order in which they had their turn. */
  readonly verdicts: readonly Explanation[];
  /** The gates that gave the verdicts. */
  readonly gates: UpgradeGates;
  readonly missingGates: readonly MissingGates[];
  readonly remainingSoak: RemainingSoak;
  /** What stops the whole organization. */
  readonly fault?: string;
}

export interface Decision extends Planned {
  /** To be stored: the organization's own history, without inherited soak. */
  readonly ledger: Ledger;
}

/**
 * Observes, then plans. Pure: the same facts, time and rules give the same decision and the same explanation. A fault
 * that stops an organization does not stop the observation of its clusters, except under the rules of the existing scheduler.
 */
export function decide(facts: OrgFacts, now: Instant, rules: Rules, gates: UpgradeGates = UPGRADE_GATES): Decision {
  const fault = stopOf(facts, rules);
  if (fault !== undefined && !rules.isolateFaults) return { ...stopped(fault, gates), ledger: facts.ledger };
  const ledger = observe(facts.ledger, observations(facts, rules), now, rules);
  if (fault !== undefined) return { ...stopped(fault, gates), ledger };
  return { ...planUpgrades(facts, inheritSoak(ledger, facts.inherited), now, rules, gates), ledger };
}

export function stopOf({ problems }: OrgFacts, { isolateFaults }: Rules): string | undefined {
  const stopping = problems.filter(({ scope }) => scope.kind === 'organization' || !isolateFaults);
  if (!hasError(stopping)) return undefined;
  return stopping
    .filter(({ severity }) => severity === 'error')
    .map(({ key, message }) => `${key}: ${message}`)
    .join('; ');
}

export function observations({ clusters, held }: OrgFacts, rules: Rules): Observation[] {
  const served = clusters.map((cluster) => ({
    ...cluster,
    workloads: cluster.policy.workloads,
    healthy: cluster.healthFault === undefined,
  }));
  const others = rules.heldClustersCount ? held : [];
  return [
    ...served,
    ...others.map(({ known: { workloads }, ...cluster }) => ({
      ...cluster,
      healthy: false,
      ...defined({ workloads }),
    })),
  ];
}

/** Plans from a given history. Clusters take turns, those on the lowest versions first. */
export function planUpgrades(
  facts: OrgFacts,
  soak: Ledger,
  now: Instant,
  rules: Rules,
  gates: UpgradeGates = UPGRADE_GATES,
): Planned {
  const context = contextOf(facts, soak, now, rules);
  const panel = new Panel(gates, context);
  const plan: PlanItem[] = [...cancellations(context)];
  const verdicts: Explanation[] = [];
  const missingGates: MissingGates[] = [];
  for (const cluster of turns(facts.clusters)) {
    const examined = examine(cluster, memberOf(cluster, cluster.policy), panel);
    const choice = choose(examined, context, panel);
    if (choice.fault !== undefined) return stopped(choice.fault, gates);
    take(choice, examined, context, plan);
    missingGates.push(...(choice.missing ?? []));
    verdicts.push(explanation(examined, choice));
  }
  return { plan, verdicts, gates, missingGates, remainingSoak: remainingSoak(context) };
}

/** By current version, then by soak days; ties in order of discovery. */
function turns(clusters: readonly ServedCluster[]): ServedCluster[] {
  return clusters.toSorted((a, b) => compareVersions(a.version, b.version) || a.policy.soakDays - b.policy.soakDays);
}

function take({ item }: Choice, { member }: Examined, { occupancy }: Context, plan: PlanItem[]): void {
  if (item === undefined) return;
  plan.push(item);
  if (item.action === 'upgrade') occupancy.take(member);
}

export function explanation({ cluster, pool, candidates }: Examined, { item, waitsFor }: Choice): Explanation {
  return {
    clusterId: cluster.id,
    candidates: pool === undefined ? candidates : [pool, ...candidates],
    ...defined({ item, waitsFor }),
  };
}

function stopped(fault: string, gates: UpgradeGates): Planned {
  return { plan: [], verdicts: [], gates, missingGates: [], remainingSoak: new Map(), fault };
}

/** Every gate of an upgrade, in the order in which verdicts are listed. To add a gate, add its row here. */
export const UPGRADE_GATES: UpgradeGates = gateList([
  availableRow,
  blockedRow,
  inheritedFloorRow,
  sectorRow,
  soakRow,
  versionGateRow,
  freezeRow,
  scheduleRow,
  mutexRow,
  busyRow,
  healthRow,
]);

const NOT_STARTED: ReadonlySet<string> = new Set(['pending', 'scheduled']);

/**
 * Upgrades scheduled by Echelon that have not started and whose version became blocked, or whose start is in a freeze now.
 * Those of others are never touched.
 */
export function cancellations(context: CancelContext): Cancellation[] {
  const { facts, rules } = context;
  if (!rules.cancelOnBlock && !rules.freezes) return [];
  const own = new Map<string, Stopping>();
  for (const { id, policy } of facts.clusters) own.set(id, policy);
  for (const { id, known } of facts.held) own.set(id, known);
  return facts.policies.flatMap((policy) => {
    const stopping = own.get(policy.clusterId);
    if (stopping === undefined || !mayBeCancelled(policy, context)) return [];
    const closed = verdicts(policy, stopping, context).find(({ ok, fault }) => !ok && fault === undefined);
    return closed === undefined ? [] : [cancellation(policy, closed.reason)];
  });
}

/** What cancellations depend on. */
interface CancelContext extends Pick<FullContext, 'rules' | 'now'> {
  readonly facts: Pick<FullContext['facts'], 'clusters' | 'held' | 'policies' | 'blockedVersions' | 'freezes'>;
}

/** What may stop a scheduled upgrade. */
type Stopping = Pick<UpgradePolicy, 'blockedVersions' | 'freezes'>;

function verdicts({ version, nextRun }: ScheduledUpgrade, own: Stopping, context: CancelContext): UpgradeVerdict[] {
  const { rules } = context;
  const inFreeze =
    rules.freezes && nextRun !== undefined ? frozen(own.freezes, { start: nextRun, end: nextRun }, context) : undefined;
  return [...(rules.cancelOnBlock ? [blockedGate(own, version, context)] : []), ...(inFreeze ? [inFreeze] : [])];
}

function mayBeCancelled({ ours, state, nextRun }: ScheduledUpgrade, { now }: CancelContext): boolean {
  return ours && NOT_STARTED.has(state) && nextRun !== undefined && nextRun > now;
}

function cancellation({ kind, clusterId, id, version, nodePool }: ScheduledUpgrade, reason: string): Cancellation {
  return {
    action: 'cancel',
    kind,
    clusterId,
    policyId: id,
    version,
    ...defined({ nodePool }),
    reason,
  };
}
