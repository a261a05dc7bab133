import { didYouMean, EchelonError } from '../../base/index.ts';
import type { Rules } from '../engine/rules.ts';
import { type ClusterExplanation, explainClusters, explanationsOf } from '../explain/explain-cluster.ts';
import type { OrganizationOutcome } from '../scheduler/plan-organization.ts';
import type { PolicySource } from '../settings/instance-sites.ts';

/** Explanations of the clusters that a reference matches. */
export type ClusterAnswer = { readonly clusters: readonly ClusterExplanation[] } | { readonly unknown: EchelonError };

interface Explained {
  /** The clusters that the reference matches. */
  readonly clusters: readonly ClusterExplanation[];
  readonly names: readonly string[];
}

/** What is kept of an organization to answer for a reference. */
export function explainedIn(outcome: OrganizationOutcome, reference: string): Explained {
  const all = explainClusters([outcome]);
  return { clusters: explanationsOf(all, reference), names: all.map(({ name }) => name) };
}

export function explainReference(
  organizations: readonly Explained[],
  reference: string,
  policies: PolicySource,
  { heldClustersCount }: Pick<Rules, 'heldClustersCount'>,
): ClusterAnswer {
  const clusters = organizations.flatMap((each) => each.clusters);
  if (clusters.length > 0) return { clusters };
  const onlyReady = heldClustersCount ? '' : '; by these rules one that is not ready does not count';
  const names = new Set(organizations.flatMap((each) => each.names));
  return {
    unknown: new EchelonError({
      code: 'CLUSTER_UNKNOWN',
      message:
        policies === 'files'
          ? `no file of a served organization names a cluster ${reference} that OCM has${onlyReady}`
          : `no served organization has a labelled cluster ${reference}${onlyReady}`,
      hint: didYouMean(reference, names, 'list them with: echelon upgrades plan -o wide'),
    }),
  };
}
