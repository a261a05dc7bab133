import { byText } from '../../base/index.ts';
import { applicableGates, gatesByMinor } from '../engine/context.ts';
import type { ClusterState, VersionGate } from '../engine/facts.ts';
import { isVersion, minorOf } from '../engine/versions.ts';
import { enabledGates, GATE_LABELS } from '../policies/fields.ts';
import { clusterKey, type Labels, organizationKey, PREFIX, type Reading } from '../policies/label-keys.ts';
import type { DeclaredPolicies } from '../policies/organization-file.ts';
import {
  clustersOf,
  Findings,
  type Owners,
  organizationsBySubscription,
  ownersOf,
  type Placed,
} from '../scheduler/discovery.ts';
import type { Fault, Site, UpgradeApi } from '../scheduler/ports.ts';

/** `agree` creates an agreement; the others leave the gate closed. */
type GateVerdict =
  | { readonly verdict: 'agree' }
  | { readonly verdict: 'not-allowed' | 'not-supported'; readonly reason: string };

export type JudgedGate = GateVerdict & { readonly gate: VersionGate };

interface GateRules {
  /** Labels of the gates that may be agreed to. */
  readonly allowed: ReadonlySet<string>;
  /** AWS STS roles are maintained elsewhere, so that their gates can be agreed to. */
  readonly stsRolesKept: boolean;
}

type Cluster = Pick<ClusterState, 'version' | 'sts' | 'availableUpgrades'>;

const KNOWN: ReadonlySet<string> = new Set(Object.values(GATE_LABELS));

/** Gates of the minors that a cluster could move to, in OCM order; agreements are not considered. */
export function gatesAhead(cluster: Cluster, gates: readonly VersionGate[]): VersionGate[] {
  const minors = new Set(cluster.availableUpgrades.filter(isVersion).map(minorOf));
  const byMinor = gatesByMinor(gates.map((gate) => (KNOWN.has(gate.label) ? gate : { ...gate, label: UNKNOWN })));
  const ahead = new Set([...minors].flatMap((minor) => applied(cluster, minor, byMinor)));
  return gates.filter(({ id }) => ahead.has(id));
}

/** Stands for every unknown label: such a gate is assumed to apply to all clusters. */
const UNKNOWN = GATE_LABELS.ocp;

function applied(cluster: Cluster, minor: string, byMinor: ReadonlyMap<string, readonly VersionGate[]>): string[] {
  return applicableGates(cluster, minor, byMinor).map(({ id }) => id);
}

/** What to do about a gate without an agreement. */
export function judgeGate(gate: VersionGate, { allowed, stsRolesKept }: GateRules): JudgedGate {
  const { label } = gate;
  if (!KNOWN.has(label)) {
    return { gate, verdict: 'not-supported', reason: `unknown version gate ${label}` };
  }
  if (!allowed.has(label)) {
    return { gate, verdict: 'not-allowed', reason: `neither the cluster nor its organization approves ${label}` };
  }
  if (label === GATE_LABELS.sts && !stsRolesKept) {
    return { gate, verdict: 'not-supported', reason: 'the AWS STS roles must be upgraded first, outside of OCM' };
  }
  return { gate, verdict: 'agree' };
}

/** Where approvals for one cluster are declared. */
interface AllowanceParts {
  readonly name: string;
  readonly orgId: string;
  /** Of the subscription; undefined when it has none about upgrades. */
  readonly labels: Labels | undefined;
  readonly organizationLabels: Labels | undefined;
  readonly declared: DeclaredPolicies | undefined;
}

/**
 * Gates approved for a cluster: by its own label, else its entry in the organization file, else the organization's
 * label. With labels but none about approvals, it is OpenShift's own gate; a file alone approves only what it names.
 * Undefined for a cluster out of scope.
 */
export function allowedGates(parts: AllowanceParts, reading: Reading): ReadonlySet<string> | undefined {
  const { labels, organizationLabels } = parts;
  const own = labels?.[clusterKey('versionGateApprovals')];
  if (own !== undefined) return enabledGates(own, reading);
  const declared = declaredGates(parts);
  if (declared !== undefined) return declared;
  if (labels === undefined && organizationLabels === undefined) return undefined;
  return enabledGates(organizationLabels?.[organizationKey('versionGateApprovals')], reading);
}

function declaredGates({ name, orgId, declared }: AllowanceParts): ReadonlySet<string> | undefined {
  const entry = declared?.organizations.get(orgId)?.policyClusters.find((each) => each.name === name);
  const approvals = entry?.upgradePolicy.versionGateApprovals ?? [];
  return approvals.length === 0 ? undefined : new Set(approvals);
}

/** Organizations whose files allow something. */
export function organizationsThatAllow(declared: DeclaredPolicies | undefined): string[] {
  return [...(declared?.organizations.values() ?? [])]
    .filter(({ policyClusters }) =>
      policyClusters.some(({ upgradePolicy }) => (upgradePolicy.versionGateApprovals ?? []).length > 0),
    )
    .map(({ orgId }) => orgId);
}

/** A cluster in scope, and the gates approved for it. */
export interface ApprovableCluster {
  readonly orgId: string;
  readonly row: Placed['row'];
  readonly allowed: ReadonlySet<string>;
  /** One of its labels could not be read: its approvals are unknown. */
  readonly unread?: string;
}

interface FoundClusters {
  readonly clusters: readonly ApprovableCluster[];
  /** Of organizations that could not be read completely: nothing is agreed to there. */
  readonly faults: ReadonlyMap<string, readonly Fault[]>;
}

const READY = 'ready';

/** Clusters that are ready and whose subscription, organization or file says something about upgrades. */
export async function findClusters(api: UpgradeApi, site: Site, reading: Reading): Promise<FoundClusters> {
  const findings = new Findings();
  const owners = ownersOf(await api.listLabels(PREFIX), findings);
  const rows = await clustersOf(api, await subscriptionsOf(api, site, owners, findings), findings);
  const orgIds = new Set([...rows.map(({ orgId }) => orgId), ...findings.organizations()]);
  const served = [...orgIds].filter((orgId) => site.serves(orgId) !== undefined).sort(byText);
  const faults = new Map(
    served.flatMap((orgId) => {
      const found = findings.faultsOf(orgId);
      return found.length === 0 ? [] : [[orgId, found]];
    }),
  );
  return {
    faults,
    clusters: rows
      .filter(({ row, orgId }) => row.state === READY && !faults.has(orgId))
      .flatMap((placed) => approvable(placed, site, owners, findings, reading)),
  };
}

/** Those with labels of their own, and all of organizations that have a label or allow something in their file. */
async function subscriptionsOf(
  api: UpgradeApi,
  site: Site,
  { bySubscription, byOrganization }: Owners,
  findings: Findings,
): Promise<ReadonlyMap<string, string>> {
  const serves = (orgId: string): boolean => site.serves(orgId) !== undefined;
  const whole = [...new Set([...byOrganization.keys(), ...organizationsThatAllow(site.declared)])].filter(serves);
  const single = [...new Set([...bySubscription.keys(), ...findings.unreadLabels.keys()])];
  const lists = [
    ...(single.length === 0 ? [] : [await api.listSubscriptions(single)]),
    ...(whole.length === 0 ? [] : [await api.listOrganizationSubscriptions(whole.sort(byText))]),
  ];
  return new Map(
    lists.flatMap((list) => [...organizationsBySubscription(list, findings)]).filter(([, orgId]) => serves(orgId)),
  );
}

function approvable(
  { row, subscriptionId, orgId }: Placed,
  { declared }: Site,
  { bySubscription, byOrganization }: Owners,
  { unreadLabels }: Findings,
  reading: Reading,
): ApprovableCluster[] {
  const labels = bySubscription.get(subscriptionId);
  const unread = unreadLabels.get(subscriptionId);
  const organizationLabels = byOrganization.get(orgId);
  const allowed = allowedGates({ name: row.name, orgId, labels, organizationLabels, declared }, reading);
  if (unread !== undefined) return [{ orgId, row, allowed: new Set(), unread }];
  return allowed === undefined ? [] : [{ orgId, row, allowed }];
}
