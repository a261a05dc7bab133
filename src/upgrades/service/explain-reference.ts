import { didYouMean, EchelonError } from '../../base/index.ts';
import { type ClusterExplanation, explanationsOf } from '../explain/explain-cluster.ts';
import type { PolicySource } from '../settings/instance-sites.ts';

/** Explanations of the clusters that a reference means, or why there is none. */
export type ClusterAnswer = { readonly clusters: readonly ClusterExplanation[] } | { readonly unknown: EchelonError };

export function explainReference(
  all: readonly ClusterExplanation[],
  reference: string,
  policies: PolicySource,
): ClusterAnswer {
  const clusters = explanationsOf(all, reference);
  if (clusters.length > 0) return { clusters };
  const names = new Set(all.map(({ name }) => name));
  return {
    unknown: new EchelonError({
      code: 'CLUSTER_UNKNOWN',
      message:
        policies === 'files'
          ? `no file of an organization that is served names a cluster ${reference} that OCM has`
          : `no organization that is served has a labelled cluster ${reference}`,
      hint: didYouMean(reference, names, 'name a cluster that echelon upgrades plan -o wide shows'),
    }),
  };
}
