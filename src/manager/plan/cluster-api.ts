import type { KubeObject } from '../desired/desired-namespace.ts';

export interface ObjectId {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ListWhere {
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Namespaces to leave out. */
  readonly notIn?: readonly string[];
  readonly name?: string;
  /** What is kept of each object, asked page by page, so that a large list is never whole in memory. */
  readonly keep?: (object: KubeObject) => KubeObject;
  readonly signal?: AbortSignal;
}

/**
 * What a manager needs of a cluster. One suite of tests runs against every implementation. Errors are EchelonErrors with
 * the codes of `docs/reference/cli.md`: KUBE_UNREACHABLE, KUBE_FORBIDDEN, KUBE_NO_NAMESPACE, KUBE_CONFLICT, …
 */
export interface ClusterApi {
  list(kind: string, where?: ListWhere): Promise<KubeObject[]>;
  /** Server-side apply in the name of Echelon. A uid or resource version in it must be that of the live object. */
  apply(object: KubeObject, options: { readonly force: boolean }): Promise<{ readonly created: boolean }>;
  /** A JSON patch. */
  patch(id: ObjectId, operations: readonly object[]): Promise<void>;
  /** Removes the object of this uid; that it is gone already is as good. With `orphan` its pods stay. */
  remove(id: ObjectId, options: { readonly uid?: string; readonly orphan?: boolean }): Promise<void>;
}

/** Gives the way to a cluster; throws an EchelonError where there is none. */
export type Connect = (cluster: string) => Promise<ClusterApi>;
