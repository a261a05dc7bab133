import type { OrgId } from '../../instance/index.ts';
import { assemble } from './assemble.ts';
import type { ClusterKey } from './cluster-key.ts';
import type { Reading } from './csv.ts';
import { type Inheritance, inheritanceOf } from './inheritance.ts';
import { clusterKey, type Labels } from './label-keys.ts';
import type { OrgSpec } from './org-spec.ts';
import { parseClusterLabels } from './parse-cluster-labels.ts';
import { parseOrganizationLabels } from './parse-organization-labels.ts';

/** An organization and its clusters with their labels, under full keys. */
interface LabelledOrganization {
  readonly orgId: OrgId;
  readonly labels: Labels;
  /** In order of discovery. */
  readonly clusters: readonly (ClusterKey & { readonly labels: Labels })[];
}

/** Reads an organization from OCM labels. A problem stays with the cluster, or the organization, that it is about. */
export function orgSpecFromLabels(
  { orgId, labels, clusters }: LabelledOrganization,
  network: ReadonlyMap<string, Inheritance>,
  reading: Reading,
): OrgSpec {
  const own = parseOrganizationLabels(labels, reading);
  const { inherit, faults } = inheritanceOf(orgId, network);
  return assemble(
    {
      orgId,
      blockedVersions: own.blockedVersions ?? [],
      freezes: own.freezes ?? [],
      sectors: own.sectors,
      inherit,
      faults: [...own.faults, ...faults],
    },
    clusters.map(({ labels: given, ...cluster }) => ({
      cluster,
      sectorKey: clusterKey('sector'),
      ...parseClusterLabels(given, reading),
    })),
  );
}
