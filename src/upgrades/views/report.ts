import { defined } from '../../base/index.ts';
import { type Instant, MICROS, secondText, soakOf } from '../../gates/index.ts';
import type { Explanation } from '../engine/choose.ts';
import type { ScheduledUpgrade, ServedCluster } from '../engine/facts.ts';
import { closedAt, gateToName, type UpgradeGates } from '../engine/gate.ts';
import { roundTo2 } from '../engine/remaining-soak.ts';
import { inheritSoak, type Ledger } from '../engine/soak.ts';
import { compareVersions, isVersion } from '../engine/versions.ts';
import { findBlock } from '../policies/fields.ts';
import {
  isSkipped,
  type OrganizationKey,
  type OrganizationOutcome,
  type PlannedOrganization,
} from '../scheduler/plan-organization.ts';
import { type HistoryEvent, historyEvents, historyItem, newestFirst } from './history.ts';

/** A version that a cluster could move to. */
export interface SoakingUpgrade {
  readonly version: string;
  /** Days, two decimals: the least over the workloads of the cluster. */
  readonly soaked: number;
  readonly mark?: VersionStatus;
  /** The first gate that keeps the cluster from the version, unless its upgrade is scheduled or started. */
  readonly gate?: string;
}

export interface ReportRow {
  readonly id: string;
  readonly uuid: string;
  readonly cluster: string;
  readonly version: string;
  /** When it was first seen with this version, ISO 8601; absent when it had it before. */
  readonly since?: string;
  /** The channel group, such as `stable`. */
  readonly channel: string;
  readonly schedule: string;
  readonly sector: string;
  readonly mutexes: readonly string[];
  readonly soakDays: number;
  readonly workloads: readonly string[];
  readonly upgrades: readonly SoakingUpgrade[];
}

export interface OrganizationSheet extends OrganizationKey {
  /** Organizations that history is inherited from, as `environment/organization`. */
  readonly inherits: readonly string[];
  /** In the clusters' turn order. */
  readonly rows: readonly ReportRow[];
  /** Clusters that are not served, and why. */
  readonly held: readonly { readonly cluster: string; readonly reason: string }[];
  readonly stopped?: string;
  /** Version changes that were observed and upgrades that were scheduled, newest first. */
  readonly history: readonly HistoryEvent[];
}

/** The fleet report: per organization, sorted by name, what soaks for which cluster. */
export function fleetReport(outcomes: readonly OrganizationOutcome[]): OrganizationSheet[] {
  return inReportOrder(outcomes.flatMap((outcome) => (isSkipped(outcome) ? [] : [sheetOf(outcome)])));
}

export function inReportOrder(sheets: readonly OrganizationSheet[]): OrganizationSheet[] {
  return sheets.toSorted(
    (a, b) => compare(a.name, b.name) || compare(a.environment, b.environment) || compare(a.orgId, b.orgId),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function sheetOf(outcome: PlannedOrganization): OrganizationSheet {
  const { environment, orgId, name, spec, facts, decision } = outcome;
  const soak = inheritSoak(decision.ledger, facts.inherited);
  const explanations = new Map(decision.verdicts.map((each) => [each.clusterId, each]));
  const policies = Map.groupBy(facts.policies, ({ clusterId }) => clusterId);
  const inTurn = facts.clusters.toSorted(
    (a, b) => compareVersions(a.version, b.version) || a.policy.soakDays - b.policy.soakDays,
  );
  return {
    ...{ environment, orgId, name },
    inherits: spec.inherit.map((source) => `${source.environment}/${source.orgId}`),
    rows: inTurn.map((cluster) => {
      const [policy] = policies.get(cluster.id) ?? [];
      return rowOf(cluster, { explanation: explanations.get(cluster.id), policy }, soak, outcome);
    }),
    held: facts.held.map(({ name: cluster, held: reason }) => ({ cluster, reason })),
    history: newestFirst(historyEvents(outcome).filter(({ event }) => event !== 'first-seen')),
    ...defined({ stopped: decision.fault }),
  };
}

/** What else is known of a cluster. */
interface Around {
  readonly explanation: Explanation | undefined;
  /** Its first upgrade that is scheduled or under way. */
  readonly policy: ScheduledUpgrade | undefined;
}

function rowOf(cluster: ServedCluster, around: Around, soak: Ledger, outcome: PlannedOrganization): ReportRow {
  const { id, uuid, name, version, channel, policy } = cluster;
  return {
    ...{ id, uuid, cluster: name, version, schedule: policy.schedule, soakDays: policy.soakDays },
    channel: channel.replace(/-\d+\.\d+$/, ''),
    sector: policy.sector ?? '',
    mutexes: policy.mutexes ?? [],
    workloads: policy.workloads.toSorted(compare),
    upgrades: upgradesOf(cluster, around, soak, outcome),
    ...defined({ since: sinceOf(cluster, outcome) }),
  };
}

/** A change that this very pass sees for the first time is not stored yet. */
function sinceOf({ uuid, version }: ServedCluster, { stored }: PlannedOrganization): string | undefined {
  const versions = stored.state.past.clusters.get(uuid)?.versions ?? [];
  const last = versions.at(-1);
  return versions.length < 2 || last?.version !== version ? undefined : secondText(last.since);
}

function upgradesOf(
  cluster: ServedCluster,
  { explanation, policy }: Around,
  soak: Ledger,
  { facts, decision, decidedAt }: PlannedOrganization,
): SoakingUpgrade[] {
  const blocks = [...facts.blockedVersions, ...(cluster.policy.blockedVersions ?? [])];
  const ready = readyVersion(explanation, decision.gates);
  return cluster.availableUpgrades
    .filter(isVersion)
    .filter((version) => findBlock(blocks, version) === undefined)
    .sort(compareVersions)
    .map((version) => {
      const mark = versionStatus(version, policy, ready, decidedAt);
      const isUnderWay = mark !== undefined && mark.state !== 'ready';
      const gate = isUnderWay ? undefined : closedFor(version, explanation, decision.gates);
      return { version, soaked: soakedDays(cluster, version, soak), ...defined({ mark, gate }) };
    });
}

function closedFor(version: string, explanation: Explanation | undefined, gates: UpgradeGates): string | undefined {
  const candidate = explanation?.candidates.find((each) => each.version === version && each.nodePool === undefined);
  return candidate && gateToName(gates, candidate.verdicts)?.gate;
}

function soakedDays({ policy }: ServedCluster, version: string, soak: Ledger): number {
  return Math.min(...policy.workloads.map((workload) => roundTo2(soakOf(soak, version, workload) / MICROS.day)));
}

/** The status of a version for a cluster. */
export type VersionStatus =
  | { readonly state: 'scheduled' | 'started' | 'ready' }
  /** Started so many hours ago; it should have finished. */
  | { readonly state: 'late'; readonly hours: number };

/** An upgrade that takes longer is late. */
const LATE_AFTER = 6 * MICROS.hour;

export function versionStatus(
  version: string,
  policy: ScheduledUpgrade | undefined,
  ready: string | undefined,
  now: Instant,
): VersionStatus | undefined {
  if (policy?.version !== version || policy.nextRun === undefined)
    return version === ready && policy?.version !== version ? { state: 'ready' } : undefined;
  if (policy.nextRun > now) return { state: 'scheduled' };
  const since = now - policy.nextRun;
  return since > LATE_AFTER ? { state: 'late', hours: since / MICROS.hour } : { state: 'started' };
}

/** The highest version that is open by itself, regardless of window, mutexes and version gates. */
function readyVersion(explanation: Explanation | undefined, gates: UpgradeGates): string | undefined {
  return explanation?.candidates.find(
    ({ nodePool, verdicts }) => nodePool === undefined && closedAt(gates, verdicts, 'version') === undefined,
  )?.version;
}

/** The report for programs; times are text. */
export function reportDocument(sheets: readonly OrganizationSheet[]): object {
  const organizations = sheets.map(({ history, ...sheet }) => ({ ...sheet, history: history.map(historyItem) }));
  return { kind: 'UpgradeReport', organizations };
}
