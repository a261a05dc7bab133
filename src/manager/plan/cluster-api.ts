import type { KubeObject } from '../desired/desired-namespace.ts';

export interface ObjectId {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a live object must still be for a write to be accepted; otherwise KUBE_CONFLICT. */
export interface Precondition {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface ListWhere {
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Namespaces to leave out. */
  readonly notIn?: readonly string[];
  readonly name?: string;
  /** What to keep of each object; called page by page, so that a large list is never entirely in memory. */
  readonly keep?: (object: KubeObject) => KubeObject;
  readonly signal?: AbortSignal;
  /** The list may be that of an earlier pass, if a watch has reported no change since; always a new one when absent. */
  readonly watched?: WatchedPass;
}

/** A pass of the loop. */
export interface WatchedPass {
  /** Counts up. */
  readonly pass: number;
  /** Lists everything again, whatever watches report. */
  readonly renew: boolean;
}

/**
 * What a manager needs from a cluster. One shared test suite runs against every implementation. Errors are EchelonErrors
 * with the codes in `docs/reference/cli.md`: KUBE_UNREACHABLE, KUBE_FORBIDDEN, KUBE_NO_NAMESPACE, KUBE_CONFLICT, …
 */
export interface ClusterApi {
  list(kind: string, where?: ListWhere): Promise<KubeObject[]>;
  /** Server-side apply with field manager Echelon. A uid or resource version, if set, must match the live object. */
  apply(object: KubeObject, options: { readonly force: boolean }): Promise<{ readonly created: boolean }>;
  /** A JSON patch; the result is the patched object. */
  patch(id: ObjectId, operations: readonly object[]): Promise<KubeObject>;
  /** Deletes the object with this uid and version; succeeds if it is already gone. With `orphan` its pods stay. */
  remove(id: ObjectId, options: Precondition & { readonly orphan?: boolean }): Promise<void>;
}

/** Connects to a cluster; throws an EchelonError if that is not possible. */
export type Connect = (cluster: string) => Promise<ClusterApi>;
