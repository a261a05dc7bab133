import { changedOnly, defined } from '../../base/index.ts';
import type { UpgradeLogPort } from '../scheduler/report-ports.ts';
import type { Site } from '../scheduler/site.ts';
import type { ClusterApprovals, GateOutcome } from './approve-cluster.ts';
import { type ApproverReport, approveGates } from './approve-gates.ts';
import { approvalsFailed, type VersionGateMetrics } from './gate-metrics.ts';

export interface GatePassParts {
  load(signal: AbortSignal): Promise<{ readonly sites: readonly Site[]; readonly notes: readonly string[] }>;
  /** Whether labels are read strictly. */
  readonly strict: boolean;
  readonly dryRun: boolean;
  /** Somebody else sees to the roles of AWS STS. */
  readonly stsRolesKept: boolean;
  readonly logger: UpgradeLogPort;
  readonly metrics: VersionGateMetrics;
}

type Pass = (
  context: { readonly signal: AbortSignal },
  mayWrite: () => boolean,
) => Promise<{ readonly code: number; readonly changed: boolean }>;

/**
 * A pass over all clusters. It fails when the service does; a gate that nobody allows, or that OCM refuses for a cluster,
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
  agreed: 'agreed to a version gate',
  'would-agree': 'would agree to a version gate',
  'not-allowed': 'a version gate may not be agreed to',
  'not-supported': 'a version gate needs work that is not supported here',
  refused: 'OCM refused an agreement to a version gate',
  unconfirmed: 'an agreement to a version gate may not have arrived',
  failed: 'an agreement to a version gate failed',
  skipped: 'a version gate is left to another replica',
};

interface LogEvent {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What nobody allows is what users want, and shown in metrics only. */
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
        : [{ message: 'an environment cannot be looked at', fields: { environment: name, ...faultFields(fault) } }],
    ),
    ...organizations.flatMap(({ environment, orgId, faults }) =>
      faults.map((fault) => ({
        message: 'an organization cannot be looked at',
        fields: { environment, orgId, ...faultFields(fault) },
      })),
    ),
    ...clusters.flatMap((cluster) =>
      cluster.faults.map((fault) => ({
        message: 'a cluster cannot be looked at',
        fields: { ...whose(cluster), ...faultFields(fault) },
      })),
    ),
  ];
}

function refusalsIn({ clusters }: ApproverReport): LogEvent[] {
  return clusters.flatMap((cluster) =>
    cluster.refusal === undefined
      ? []
      : [{ message: 'OCM refused to show a cluster', fields: { ...whose(cluster), ...faultFields(cluster.refusal) } }],
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
