import { count, didYouMean } from '../../base/index.ts';
import type { ClusterKey } from './cluster-key.ts';
import type { ClusterSpec, KnownPolicy, OrgSpec, SectorSpec, UpgradePolicy } from './org-spec.ts';
import { error, type Fault, hasError, inScope, type PolicyProblem } from './problem.ts';

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
