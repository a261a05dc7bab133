import { didYouMean, EchelonError } from '../../base/index.ts';
import type { Rules } from '../engine/rules.ts';
import { type ClusterExplanation, explanationsOf } from '../explain/explain-cluster.ts';
import type { PolicySource } from '../settings/instance-sites.ts';

/** Explanations of the clusters that a reference matches. */
export type ClusterAnswer = { readonly clusters: readonly ClusterExplanation[] } | { readonly unknown: EchelonError };

export function explainReference(
  all: readonly ClusterExplanation[],
  reference: string,
  policies: PolicySource,
  { heldClustersCount }: Pick<Rules, 'heldClustersCount'>,
): ClusterAnswer {
  const clusters = explanationsOf(all, reference);
  if (clusters.length > 0) return { clusters };
  const onlyReady = heldClustersCount ? '' : '; by these rules one that is not ready does not count';
  const names = new Set(all.map(({ name }) => name));
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
