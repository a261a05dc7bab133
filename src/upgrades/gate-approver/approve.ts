import { mapLimited } from '../../base/index.ts';
import type { VersionGate } from '../engine/facts.ts';
import { isVersion } from '../engine/versions.ts';
import type { Reading } from '../policies/label-keys.ts';
import type { EnvironmentOutcome } from '../scheduler/fleet-view.ts';
import { about, type Fault, faultOf, isGone, type Site, type UpgradeApi } from '../scheduler/ports.ts';
import { type ApprovableCluster, findClusters, gatesAhead, type JudgedGate, judgeGate } from './approvals.ts';

/** The scope and settings of a pass. */
export interface ApproverOptions extends Pick<ApproveParts, 'stsRolesKept' | 'dryRun' | 'mayWrite' | 'signal'> {
  readonly sites: readonly Site[];
  readonly reading: Reading;
}

/** An organization that could not be read completely. */
interface UnseenOrganization {
  readonly environment: string;
  readonly orgId: string;
  readonly faults: readonly Fault[];
}

export interface ApproverReport {
  readonly environments: readonly EnvironmentOutcome[];
  readonly organizations: readonly UnseenOrganization[];
  readonly clusters: readonly ClusterApprovals[];
}

const CLUSTERS_AT_ONCE = 8;

/**
 * One pass over all clusters in scope: agrees to approved version gates. A failing OCM, organization, cluster or gate
 * does not affect others.
 */
export async function approveGates(options: ApproverOptions): Promise<ApproverReport> {
  const reports = await Promise.all(options.sites.map((site) => approveSite(site, options)));
  options.signal.throwIfAborted();
  return {
    environments: reports.flatMap(({ environments }) => environments),
    organizations: reports.flatMap(({ organizations }) => organizations),
    clusters: reports.flatMap(({ clusters }) => clusters),
  };
}

async function approveSite(site: Site, options: ApproverOptions): Promise<ApproverReport> {
  const { name: environment } = site;
  const { signal } = options;
  try {
    const api = await site.connect();
    const { clusters, faults } = await findClusters(api, site, options.reading);
    const gates = clusters.length === 0 ? [] : await gatesOf(api);
    const approvals = await mapLimited(
      clusters,
      CLUSTERS_AT_ONCE,
      (cluster) => {
        const connect = async () => (await site.serves(cluster.orgId)?.connect?.()) ?? api;
        return approveCluster(cluster, { ...options, environment, connect, gates });
      },
      signal,
    );
    return {
      environments: [{ name: environment }],
      organizations: [...faults].map(([orgId, found]) => ({ environment, orgId, faults: found })),
      clusters: approvals,
    };
  } catch (thrown) {
    signal.throwIfAborted();
    return { environments: [{ name: environment, fault: faultOf(thrown) }], organizations: [], clusters: [] };
  }
}

/** A gate that cannot be read cannot be agreed to, and stays closed. */
async function gatesOf(api: UpgradeApi): Promise<VersionGate[]> {
  const { items } = await api.listVersionGates();
  return items.map(({ id, versionPrefix, label }) => ({ id, prefix: versionPrefix, label }));
}

/** The result for one gate without an agreement. Only `agreed` opens it. */
export type GateOutcome =
  | 'agreed'
  /** In a dry run. */
  | 'would-agree'
  | 'not-allowed'
  | 'not-supported'
  | 'refused'
  /** It may exist or still appear. */
  | 'unconfirmed'
  | 'failed'
  /** Another replica is the leader. */
  | 'skipped';

interface GateResult {
  readonly gate: VersionGate;
  readonly outcome: GateOutcome;
  readonly reason?: string;
}

/** The result of one cluster in one pass. */
export interface ClusterApprovals {
  readonly environment: string;
  readonly orgId: string;
  readonly clusterId: string;
  readonly clusterUuid: string;
  readonly name: string;
  /** One per gate ahead without an earlier agreement. */
  readonly gates: readonly GateResult[];
  /** Why it could not be observed, or not completely. */
  readonly faults: readonly Fault[];
  /** OCM refuses to show it: specific to this cluster, not a service failure. */
  readonly refusal?: Fault;
}

/** 4xx responses that are about the cluster, not about login, rate or request format. */
const REFUSALS: ReadonlySet<string> = new Set(['OCM_FORBIDDEN', 'OCM_NOT_FOUND', 'OCM_REFUSED']);

interface ApproveParts {
  readonly environment: string;
  /** With the credentials of the organization. */
  readonly connect: () => Promise<UpgradeApi>;
  readonly gates: readonly VersionGate[];
  readonly stsRolesKept: boolean;
  readonly dryRun: boolean;
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
}

/** Observes one cluster and agrees to approved gates. Never throws, except when aborted. */
async function approveCluster(cluster: ApprovableCluster, parts: ApproveParts): Promise<ClusterApprovals> {
  const { row, orgId } = cluster;
  const key = { environment: parts.environment, orgId, clusterId: row.id, clusterUuid: row.externalId, name: row.name };
  try {
    if (cluster.unread !== undefined) return { ...key, gates: [], faults: [unreadable(cluster.unread, row.name)] };
    return { ...key, faults: [], gates: await agreeToAll(cluster, parts) };
  } catch (thrown) {
    parts.signal.throwIfAborted();
    const fault = about(`cluster ${row.name}`, faultOf(thrown));
    if (REFUSALS.has(fault.code)) return { ...key, gates: [], faults: [], refusal: fault };
    return { ...key, gates: [], faults: [fault] };
  }
}

async function agreeToAll({ row, allowed }: ApprovableCluster, parts: ApproveParts): Promise<GateResult[]> {
  const { rawId, availableUpgrades } = row.version;
  if (!isVersion(rawId)) return [];
  const ahead = gatesAhead({ version: rawId, sts: row.sts, availableUpgrades }, parts.gates);
  if (ahead.length === 0) return [];
  const api = await parts.connect();
  const { items, problems } = await api.listAgreements(row.id);
  const [unread] = problems;
  if (unread !== undefined) throw new Error(`one of its agreements is unreadable: ${unread.message}`);
  const agreed = new Set(items);
  const results: GateResult[] = [];
  for (const gate of ahead.filter(({ id }) => !agreed.has(id))) {
    const judged = judgeGate(gate, { allowed, stsRolesKept: parts.stsRolesKept });
    results.push({ gate, ...(await carriedOut(judged, row.id, api, parts)) });
  }
  return results;
}

/** A failing gate does not affect the cluster's other gates. */
async function carriedOut(
  judged: JudgedGate,
  clusterId: string,
  api: UpgradeApi,
  { dryRun, mayWrite, signal }: ApproveParts,
): Promise<Omit<GateResult, 'gate'>> {
  if (judged.verdict !== 'agree') return { outcome: judged.verdict, reason: judged.reason };
  if (dryRun) return { outcome: 'would-agree' };
  signal.throwIfAborted();
  if (!mayWrite()) return { outcome: 'skipped', reason: 'another replica is the leader' };
  try {
    const creation = await api.agreeToGate(clusterId, judged.gate.id);
    if (creation.outcome !== 'refused') return creation;
    const { items } = await api.listAgreements(clusterId);
    return items.includes(judged.gate.id) ? { outcome: 'agreed', reason: 'by another party' } : creation;
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = faultOf(thrown);
    if (isGone(thrown)) return { outcome: 'refused', reason: message };
    return { outcome: code === 'LEASE_LOST' ? 'skipped' : 'failed', reason: message };
  }
}

function unreadable(why: string, name: string): Fault {
  return {
    code: 'OCM_RECORD_UNREADABLE',
    message: `cluster ${name}: ${why}`,
    hint: 'check the labels of its subscription in OCM; no gate is agreed to until then',
  };
}
