import type { VersionGate } from '../engine/facts.ts';
import { isVersion } from '../engine/versions.ts';
import { about, type Fault, faultOf } from '../scheduler/fault.ts';
import type { UpgradeApi } from '../scheduler/upgrade-api.ts';
import type { ApprovableCluster } from './find-clusters.ts';
import { gatesAhead, type JudgedGate, judgeGate } from './judge-gates.ts';

/** What came of one gate that nobody had agreed to. Only `agreed` opens it. */
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
  /** Another replica acts. */
  | 'skipped';

export interface GateResult {
  readonly gate: VersionGate;
  readonly outcome: GateOutcome;
  readonly reason?: string;
}

/** What came of one cluster in one pass. */
export interface ClusterApprovals {
  readonly environment: string;
  readonly orgId: string;
  readonly clusterId: string;
  readonly clusterUuid: string;
  readonly name: string;
  /** One for each gate ahead that was not agreed to before. */
  readonly gates: readonly GateResult[];
  /** Why the service could not look at it, or not in full. */
  readonly faults: readonly Fault[];
  /** OCM does not show it: that is about this cluster, and no fault of the service. */
  readonly refusal?: Fault;
}

/** Answers with 4xx to who is logged in and asks neither too often nor for nonsense. */
const REFUSALS: ReadonlySet<string> = new Set(['OCM_FORBIDDEN', 'OCM_NOT_FOUND', 'OCM_REFUSED']);

export interface ApproveParts {
  readonly environment: string;
  /** With the credentials of the organization. */
  readonly connect: () => Promise<UpgradeApi>;
  readonly gates: readonly VersionGate[];
  readonly stsRolesKept: boolean;
  readonly dryRun: boolean;
  readonly mayWrite: () => boolean;
  readonly signal: AbortSignal;
}

/** Looks at one cluster and agrees to what may be agreed to. Never throws, except when it is told to end. */
export async function approveCluster(cluster: ApprovableCluster, parts: ApproveParts): Promise<ClusterApprovals> {
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
  if (unread !== undefined) throw new Error(`an agreement of it cannot be read: ${unread.message}`);
  const agreed = new Set(items);
  const results: GateResult[] = [];
  for (const gate of ahead.filter(({ id }) => !agreed.has(id))) {
    const judged = judgeGate(gate, { allowed, stsRolesKept: parts.stsRolesKept });
    results.push({ gate, ...(await carriedOut(judged, row.id, api, parts)) });
  }
  return results;
}

/** One gate that fails leaves the others of the cluster alone. */
async function carriedOut(
  judged: JudgedGate,
  clusterId: string,
  api: UpgradeApi,
  { dryRun, mayWrite, signal }: ApproveParts,
): Promise<Omit<GateResult, 'gate'>> {
  if (judged.verdict !== 'agree') return { outcome: judged.verdict, reason: judged.reason };
  if (dryRun) return { outcome: 'would-agree' };
  signal.throwIfAborted();
  if (!mayWrite()) return { outcome: 'skipped', reason: 'another replica acts' };
  try {
    const creation = await api.agreeToGate(clusterId, judged.gate.id);
    if (creation.outcome !== 'refused') return creation;
    const { items } = await api.listAgreements(clusterId);
    return items.includes(judged.gate.id) ? { outcome: 'agreed', reason: 'by somebody else' } : creation;
  } catch (thrown) {
    signal.throwIfAborted();
    return { outcome: 'failed', reason: faultOf(thrown).message };
  }
}

function unreadable(why: string, name: string): Fault {
  return {
    code: 'OCM_RECORD_UNREADABLE',
    message: `cluster ${name}: ${why}`,
    hint: 'see the labels of its subscription in OCM; nothing is agreed to for it until then',
  };
}
