import { changedOnly, defined } from '../../base/index.ts';
import { COUNTERS, GAUGES, type UpgradeLogPort, type UpgradeMetricsPort } from '../metrics/catalogue.ts';
import type { Site } from '../scheduler/ports.ts';
import { type ApproverReport, approveGates, type ClusterApprovals, type GateOutcome } from './approve.ts';

interface GatePassParts {
  load(signal: AbortSignal): Promise<{ readonly sites: readonly Site[]; readonly notes: readonly string[] }>;
  /** Whether labels are read strictly. */
  readonly strict: boolean;
  readonly dryRun: boolean;
  /** AWS STS roles are maintained elsewhere. */
  readonly stsRolesKept: boolean;
  readonly logger: UpgradeLogPort;
  readonly metrics: VersionGateMetrics;
}

type Pass = (
  context: { readonly signal: AbortSignal },
  mayWrite: () => boolean,
) => Promise<{ readonly code: number; readonly changed: boolean }>;

/**
 * A pass over all clusters. It fails when the service does; a gate that is not approved, or that OCM refuses for a cluster,
 * never makes it fail.
 */
export function gatePass({ load, strict, dryRun, stsRolesKept, logger, metrics }: GatePassParts): Pass {
  const faults = changedOnly();
  const hints = changedOnly();
  return async ({ signal }, mayWrite) => {
    const { sites, notes } = await load(signal);
    const report = await approveGates({ sites, reading: { strict }, stsRolesKept, dryRun, mayWrite, signal });
    metrics.passed(report);
    for (const event of eventsIn(report, DONE)) logger.info(event.message, event.fields);
    const warnings = [
      ...notes.map((note) => ({ message: 'note', fields: { note } })),
      ...[...eventsIn(report, LEFT), ...refusalsIn(report)],
    ];
    hints(warnings, ({ message, fields }) => logger.warn(message, fields));
    faults([...faultsIn(report), ...eventsIn(report, FAILED)], ({ message, fields }) => logger.error(message, fields));
    return { code: failed(report) ? 1 : 0, changed: eventsIn(report, ['agreed']).length > 0 };
  };
}

const DONE = ['agreed', 'would-agree'] as const;
const LEFT = ['not-supported', 'refused', 'skipped'] as const;
const FAILED = ['unconfirmed', 'failed'] as const;

const MESSAGES: Readonly<Record<GateOutcome, string>> = {
  agreed: 'version gate agreed',
  'would-agree': 'version gate would be agreed (dry run)',
  'not-allowed': 'version gate not approved',
  'not-supported': 'version gate not supported',
  refused: 'version gate agreement refused',
  unconfirmed: 'version gate agreement unconfirmed',
  failed: 'version gate agreement failed',
  skipped: 'version gate left to another replica',
};

interface LogEvent {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A gate without approval is the user's choice, and shown in metrics only. */
function eventsIn({ clusters }: ApproverReport, outcomes: readonly GateOutcome[]): LogEvent[] {
  return clusters.flatMap((cluster) =>
    cluster.gates
      .filter(({ outcome }) => outcomes.includes(outcome))
      .map(({ gate, outcome, reason }) => ({
        message: MESSAGES[outcome],
        fields: {
          ...{ ...whose(cluster), gate: gate.label, gateId: gate.id, version: gate.prefix },
          ...defined({ reason }),
        },
      })),
  );
}

function whose({ environment, orgId, clusterId, name }: ClusterApprovals): LogEvent['fields'] {
  return { environment, orgId, clusterId, cluster: name };
}

function faultsIn({ environments, organizations, clusters }: ApproverReport): LogEvent[] {
  return [
    ...environments.flatMap(({ name, fault }) =>
      fault === undefined
        ? []
        : [{ message: 'environment observation failed', fields: { environment: name, ...faultFields(fault) } }],
    ),
    ...organizations.flatMap(({ environment, orgId, faults }) =>
      faults.map((fault) => ({
        message: 'organization observation failed',
        fields: { environment, orgId, ...faultFields(fault) },
      })),
    ),
    ...clusters.flatMap((cluster) =>
      cluster.faults.map((fault) => ({
        message: 'cluster observation failed',
        fields: { ...whose(cluster), ...faultFields(fault) },
      })),
    ),
  ];
}

function refusalsIn({ clusters }: ApproverReport): LogEvent[] {
  return clusters.flatMap((cluster) =>
    cluster.refusal === undefined
      ? []
      : [{ message: 'cluster read refused', fields: { ...whose(cluster), ...faultFields(cluster.refusal) } }],
  );
}

function faultFields({ code, message, hint }: { code: string; message: string; hint: string }): LogEvent['fields'] {
  return { code, error: message, hint };
}

function failed({ environments, organizations, clusters }: ApproverReport): boolean {
  return (
    environments.some(({ fault }) => fault !== undefined) || organizations.length > 0 || clusters.some(approvalsFailed)
  );
}

/** Metrics of the approver's passes. */
interface VersionGateMetrics {
  passed(report: ApproverReport): void;
}

const COUNTED: readonly GateOutcome[] = ['agreed', 'refused', 'unconfirmed', 'failed'];

const REFUSALS = {
  name: 'echelon_version_gate_refusals_total',
  help: 'Agreements to version gates, and reads of them, that OCM refused, by cluster',
  labels: ['ocm_env', 'org_id', 'cluster_uuid'],
};

interface Shown extends Pick<ClusterApprovals, 'environment' | 'orgId'> {
  readonly series: readonly { readonly labels: Record<string, string>; readonly value: number }[];
}

/** A cluster, organization or OCM that could not be observed keeps its last values. */
export function versionGateMetrics(metrics: UpgradeMetricsPort, integration: string): VersionGateMetrics {
  const { name, help, labels } = GAUGES.missingGates;
  const missing = metrics.gauge<string>(name, help, labels);
  const counters = {
    reconciled: metrics.counter<string>(...specOf(COUNTERS.reconciled)),
    errors: metrics.counter<string>(...specOf(COUNTERS.errors)),
    environmentErrors: metrics.counter<string>(...specOf(COUNTERS.environmentErrors)),
    agreements: metrics.counter<string>('echelon_version_gate_agreements_total', 'Version gates by outcome', [
      'ocm_env',
      'outcome',
    ]),
    refusals: metrics.counter<string>(...specOf(REFUSALS)),
  };
  let shown = new Map<string, Shown>();
  return {
    passed: (report) => {
      for (const { name: ocm_env, fault } of report.environments) {
        counters.environmentErrors.inc({ integration, ocm_env }, Number(fault !== undefined));
        for (const outcome of COUNTED) counters.agreements.inc({ ocm_env, outcome }, countOf(report, ocm_env, outcome));
      }
      for (const cluster of report.clusters) {
        const refused = refusalsOf(cluster);
        const { environment: ocm_env, orgId: org_id, clusterUuid: cluster_uuid } = cluster;
        if (refused > 0) counters.refusals.inc({ ocm_env, org_id, cluster_uuid }, refused);
      }
      for (const { ocm_env, org_id, failed } of organizationsIn(report)) {
        counters.reconciled.inc({ integration, ocm_env, org_id });
        counters.errors.inc({ integration, ocm_env, org_id }, Number(failed));
      }
      shown = nowShown(shown, report, integration);
      missing.replace([...shown.values()].flatMap(({ series }) => [...series]));
    },
  };
}

function specOf(spec: { name: string; help: string; labels: readonly string[] }): [string, string, readonly string[]] {
  return [spec.name, spec.help, spec.labels];
}

function countOf({ clusters }: ApproverReport, environment: string, outcome: GateOutcome): number {
  const gates = clusters.filter((cluster) => cluster.environment === environment).flatMap((cluster) => cluster.gates);
  return gates.filter((gate) => gate.outcome === outcome).length;
}

function organizationsIn({ organizations, clusters }: ApproverReport) {
  const parts = [
    ...organizations.map(({ environment, orgId }) => ({ environment, orgId, failed: true })),
    ...clusters.map((cluster) => ({ ...cluster, failed: approvalsFailed(cluster) })),
  ];
  const byOrganization = Map.groupBy(parts, keyOf);
  return [...byOrganization.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          {
            ocm_env: first.environment,
            org_id: first.orgId,
            failed: [first, ...others].some(({ failed }) => failed),
          },
        ],
  );
}

function keyOf({ environment, orgId }: Pick<ClusterApprovals, 'environment' | 'orgId'>): string {
  return JSON.stringify([environment, orgId]);
}

/** Whether the service failed for a cluster; not approved, refused and not supported do not count. */
function approvalsFailed({ faults, gates }: ClusterApprovals): boolean {
  return faults.length > 0 || gates.some(({ outcome }) => outcome === 'failed' || outcome === 'unconfirmed');
}

/** How often OCM refused something for a cluster in a pass. */
function refusalsOf({ gates, refusal }: ClusterApprovals): number {
  return gates.filter(({ outcome }) => outcome === 'refused').length + Number(refusal !== undefined);
}

function nowShown(before: ReadonlyMap<string, Shown>, report: ApproverReport, integration: string): Map<string, Shown> {
  const blind = new Set(report.environments.flatMap(({ name, fault }) => (fault === undefined ? [] : [name])));
  const unseen = new Set(report.organizations.map(keyOf));
  const now = new Map([...before].filter(([, each]) => blind.has(each.environment) || unseen.has(keyOf(each))));
  for (const cluster of report.clusters) {
    const { environment, orgId, clusterUuid } = cluster;
    const key = JSON.stringify([environment, clusterUuid]);
    const isSeen = cluster.faults.length === 0 && cluster.refusal === undefined;
    const series = isSeen ? missingOf(cluster, integration) : before.get(key)?.series;
    now.set(key, { environment, orgId, series: series ?? [] });
  }
  return now;
}

/** Gates that are still closed after the pass, by minor. */
function missingOf({ environment, orgId, clusterUuid, gates }: ClusterApprovals, integration: string): Shown['series'] {
  const closed = Map.groupBy(
    gates.filter(({ outcome }) => outcome !== 'agreed'),
    ({ gate }) => gate.prefix,
  );
  const labels = { integration, ocm_env: environment, org_id: orgId, cluster_uuid: clusterUuid };
  return [...closed].map(([prefix, left]) => ({ labels: { ...labels, version_prefix: prefix }, value: left.length }));
}
