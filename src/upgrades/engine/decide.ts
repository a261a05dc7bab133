import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { hasError } from '../policies/problem.ts';
import { cancellations } from './cancel.ts';
import { type Choice, choose } from './choose.ts';
import { type Context, contextOf } from './context.ts';
import { type Examined, examine } from './examine.ts';
import type { OrgFacts, ServedCluster } from './facts.ts';
import { inheritSoak } from './inherit-soak.ts';
import type { Ledger } from './ledger.ts';
import { memberOf } from './members.ts';
import { type Observation, observe } from './observe.ts';
import { Panel } from './panel.ts';
import type { Explanation, MissingGates, PlanItem } from './plan.ts';
import { type RemainingSoak, remainingSoak } from './remaining-soak.ts';
import type { Rules } from './rules.ts';
import type { UpgradeGates } from './upgrade-gate.ts';
import { UPGRADE_GATES } from './upgrade-gates.ts';
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
