import type { ClusterKey } from './cluster-key.ts';

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

export function inScope(scope: ProblemScope, faults: readonly Fault[]): PolicyProblem[] {
  return faults.map((fault) => ({ scope, ...fault }));
}
