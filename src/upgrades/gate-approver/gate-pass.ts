import { changedOnly, defined } from '../../base/index.ts';
import type { UpgradeLogPort } from '../metrics/catalogue.ts';
import type { Site } from '../scheduler/ports.ts';
import type { ClusterApprovals, GateOutcome } from './approve-cluster.ts';
import { type ApproverReport, approveGates } from './approve-gates.ts';
import { approvalsFailed, type VersionGateMetrics } from './gate-metrics.ts';

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
