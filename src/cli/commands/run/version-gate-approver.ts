import { defined } from '../../../base/index.ts';
import type { Logger } from '../../../runtime/index.ts';
import { type ApproverReport, approveGates, type ClusterApprovals, type GateOutcome } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { openSources, type UpgradeSources } from '../upgrades/sources.ts';
import { type RunUpgradesFlags, upgradesLease } from './advanced-upgrade-scheduler.ts';
import { changedOnly } from './changed-only.ts';
import { type Integration, type Runner, runIntegration } from './run-integration.ts';
import { requestMetrics } from './upgrade-metrics.ts';
import { hasFailed, type VersionGateMetrics, versionGateMetrics } from './version-gate-metrics.ts';

export const APPROVER = 'version-gate-approver';

export interface RunApproverFlags extends RunUpgradesFlags {
  /** Somebody else sees to the roles of AWS STS. */
  readonly stsRolesKept?: boolean;
}

/** Agrees to version gates for those who allow it, until it is told to end. */
export function runApprover(io: Io, flags: RunApproverFlags): Promise<number> {
  return runIntegration(io, APPROVER, flags, (runner) => openApprover(runner, flags));
}

async function openApprover(runner: Runner, given: RunApproverFlags): Promise<Integration> {
  const { io, contract, dryRun, logger, metrics } = runner;
  const config = given.config ?? contract.config;
  const flags = config === undefined ? given : { ...given, config };
  const { concurrency, stsRolesKept = false } = flags;
  const connection = {
    ...{ readOnly: dryRun, onCall: requestMetrics(metrics) },
    ...defined({ concurrency }),
  };
  const sources = await openSources(io, flags, connection, { integration: APPROVER, policies: 'files' });
  const own = versionGateMetrics(metrics, APPROVER);
  return {
    pass: approverPass({ sources, dryRun, stsRolesKept, logger, metrics: own }),
    lease: () => upgradesLease(io, flags, APPROVER),
    close: () => undefined,
  };
}

interface PassParts {
  readonly sources: Pick<UpgradeSources, 'load' | 'rules'>;
  readonly dryRun: boolean;
  readonly stsRolesKept: boolean;
  readonly logger: Logger;
  readonly metrics: VersionGateMetrics;
}

/**
 * A pass over all clusters. It fails when the service does; a gate that nobody allows, or that OCM refuses for a cluster,
 * never makes it fail.
 */
function approverPass(parts: PassParts): Integration['pass'] {
  const { sources, dryRun, stsRolesKept, logger, metrics } = parts;
  const faults = changedOnly();
  const hints = changedOnly();
  return async ({ signal }, mayWrite) => {
    const { sites, notes } = await sources.load(signal);
    const reading = { strict: sources.rules.strictPolicies };
    const report = await approveGates({ sites, reading, stsRolesKept, dryRun, mayWrite, signal });
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

interface Event {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What nobody allows is what users want, and shown in metrics only. */
function eventsIn({ clusters }: ApproverReport, outcomes: readonly GateOutcome[]): Event[] {
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

function whose({ environment, orgId, clusterId, name }: ClusterApprovals): Event['fields'] {
  return { environment, orgId, clusterId, cluster: name };
}

function faultsIn({ environments, organizations, clusters }: ApproverReport): Event[] {
  return [
    ...environments.flatMap(({ name, fault }) =>
      fault === undefined
        ? []
        : [{ message: 'an environment cannot be looked at', fields: { environment: name, ...told(fault) } }],
    ),
    ...organizations.flatMap(({ environment, orgId, faults }) =>
      faults.map((fault) => ({
        message: 'an organization cannot be looked at',
        fields: { environment, orgId, ...told(fault) },
      })),
    ),
    ...clusters.flatMap((cluster) =>
      cluster.faults.map((fault) => ({
        message: 'a cluster cannot be looked at',
        fields: { ...whose(cluster), ...told(fault) },
      })),
    ),
  ];
}

function refusalsIn({ clusters }: ApproverReport): Event[] {
  return clusters.flatMap((cluster) =>
    cluster.refusal === undefined
      ? []
      : [{ message: 'OCM refused to show a cluster', fields: { ...whose(cluster), ...told(cluster.refusal) } }],
  );
}

function told({ code, message, hint }: { code: string; message: string; hint: string }): Event['fields'] {
  return { code, error: message, hint };
}

function failed({ environments, organizations, clusters }: ApproverReport): boolean {
  return environments.some(({ fault }) => fault !== undefined) || organizations.length > 0 || clusters.some(hasFailed);
}
