import { type Brand, count, didYouMean } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';

/** When and under which conditions a cluster takes a new version. An absent list differs from an empty one only in labels. */
export interface UpgradePolicy {
  /** Days, summed over clusters with the same workload, that a version must have run elsewhere before. */
  readonly soakDays: number;
  readonly workloads: readonly string[];
  /** Cron in UTC. */
  readonly schedule: string;
  readonly mutexes?: readonly string[];
  readonly sector?: string;
  /** Regular expressions, matched anywhere in a version. */
  readonly blockedVersions?: readonly string[];
  readonly versionGateApprovals?: readonly string[];
  /** Times without upgrades, as `FROM/UNTIL=REASON`. */
  readonly freezes?: readonly string[];
}

/** The readable part of an invalid policy; enough to keep counting the cluster. */
export type KnownPolicy = Partial<UpgradePolicy>;

export interface SectorSpec {
  readonly name: string;
  /** `2` or `50%`. */
  readonly maxParallelUpgrades?: string;
  readonly dependencies: readonly string[];
}

/** A cluster and its policy; with an unreadable policy it is held: not upgraded, but still counted. */
export type ClusterSpec =
  | (ClusterKey & { readonly policy: UpgradePolicy })
  | (ClusterKey & { readonly known: KnownPolicy; readonly held: string });

/** An organization whose history may be used, and its environment. */
export interface InheritedFrom {
  readonly environment: string;
  readonly orgId: OrgId;
}

/** What one organization declares, from whichever source. */
export interface OrgSpec {
  readonly orgId: OrgId;
  readonly blockedVersions: readonly string[];
  /** Times without upgrades, as `FROM/UNTIL=REASON`. */
  readonly freezes: readonly string[];
  readonly sectors: readonly SectorSpec[];
  /** Verified: each of them publishes its history to this organization. */
  readonly inherit: readonly InheritedFrom[];
  /** In order of discovery, or of the file that declares them; this order decides ties. */
  readonly clusters: readonly ClusterSpec[];
  readonly problems: readonly PolicyProblem[];
}

/** Id of a cluster in OCM, as in API paths. */
export type ClusterId = Brand<string, 'ClusterId'>;
/** The external id of a cluster; never reused, unlike a name. */
export type ClusterUuid = Brand<string, 'ClusterUuid'>;

export interface ClusterKey {
  readonly id: ClusterId;
  readonly uuid: ClusterUuid;
  readonly name: string;
}

/** Whose configuration is at fault, and so who is notified and what stops: one cluster, or its organization. */
type ProblemScope = { readonly kind: 'organization' } | { readonly kind: 'cluster'; readonly cluster: ClusterKey };

/** A problem in a user's configuration. A value: one never hides another, and none stops another organization. */
export interface PolicyProblem {
  readonly scope: ProblemScope;
  readonly severity: 'error' | 'warning';
  /** The label, or the field of a data file. */
  readonly key: string;
  readonly message: string;
  /** One imperative sentence. */
  readonly hint: string;
}

/** A problem that is not yet assigned to a cluster or organization. */
export type Fault = Omit<PolicyProblem, 'scope'>;

export function error(key: string, message: string, hint: string): Fault {
  return { severity: 'error', key, message, hint };
}

export function warning(key: string, message: string, hint: string): Fault {
  return { severity: 'warning', key, message, hint };
}

export function hasError(faults: readonly Pick<PolicyProblem, 'severity'>[]): boolean {
  return faults.some(({ severity }) => severity === 'error');
}

function inScope(scope: ProblemScope, faults: readonly Fault[]): PolicyProblem[] {
  return faults.map((fault) => ({ scope, ...fault }));
}

/** A cluster with its policy as read. */
export interface ReadCluster {
  readonly cluster: ClusterKey;
  readonly policy?: UpgradePolicy;
  readonly known: KnownPolicy;
  readonly faults: readonly Fault[];
  /** The label or field that names the sector, for messages. */
  readonly sectorKey: string;
}

/** An organization as read, apart from its clusters. */
interface ReadOrganization extends Omit<OrgSpec, 'clusters' | 'problems'> {
  readonly faults: readonly Fault[];
}

/**
 * Assembles one organization. A cluster whose policy is invalid is held, and so is one in a sector that is not declared;
 * when that is every cluster, the error is in the organization's sectors.
 */
export function assemble(organization: ReadOrganization, clusters: readonly ReadCluster[]): OrgSpec {
  const { faults, ...spec } = organization;
  const read = clusters.map((cluster) => ({
    ...cluster,
    faults: [...cluster.faults, ...stray(cluster, spec.sectors)],
  }));
  const strays = clusters.filter((cluster) => stray(cluster, spec.sectors).length > 0);
  const problems: PolicyProblem[] = [
    ...inScope({ kind: 'organization' }, faults),
    ...(strays.length > 0 && strays.length === clusters.length ? [allStray(strays)] : []),
    ...read.flatMap(({ cluster, faults: own }) => inScope({ kind: 'cluster', cluster }, own)),
  ];
  return { ...spec, clusters: read.map(clusterSpec), problems };
}

function stray({ known: { sector }, sectorKey }: ReadCluster, sectors: readonly SectorSpec[]): Fault[] {
  if (!sector || sectors.some(({ name }) => name === sector)) return [];
  const names = sectors.map(({ name }) => name);
  const hint = didYouMean(sector, names, `declare ${sector} in the organization, or use another sector`);
  return [error(sectorKey, `sector ${sector} is not declared`, hint)];
}

function allStray([first, ...others]: readonly ReadCluster[]): PolicyProblem {
  const message = `no cluster is in a declared sector (${first?.known.sector})`;
  const hint = `declare the sectors of ${count(others.length + 1, 'cluster')}`;
  return { scope: { kind: 'organization' }, ...error(first?.sectorKey ?? '', message, hint) };
}

function clusterSpec({ cluster, policy, known, faults }: ReadCluster): ClusterSpec {
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (policy !== undefined && !hasError(faults)) return { ...cluster, policy };
  return { ...cluster, known, held: errors.map(({ key, message }) => `${key}: ${message}`).join('; ') };
}

/** Where cluster policies are declared: in OCM labels, or in organization files. */
export type PolicySource = 'labels' | 'files';
