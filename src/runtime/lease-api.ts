import { EchelonError } from '../base/index.ts';

/** The fields of a Kubernetes Lease that a leader election needs. */
export interface LeaseRecord {
  /** Empty when the lease is free. */
  readonly holder: string;
  readonly acquireTime: Date;
  readonly renewTime: Date;
  readonly durationSeconds: number;
  /** How often the holder changed: increases with every new leader. */
  readonly transitions: number;
  /** Changes with every write; an update of another version than the stored one is a lost race. */
  readonly resourceVersion?: string | undefined;
}

/**
 * Storage of one lease. A write that lost a race rejects with an EchelonError of code KUBE_CONFLICT, a create of what
 * exists with KUBE_EXISTS. A write whose response got lost may have been applied: the caller finds out by reading.
 */
export interface LeaseApi {
  read(signal?: AbortSignal): Promise<LeaseRecord | undefined>;
  create(record: LeaseRecord, signal?: AbortSignal): Promise<LeaseRecord>;
  /** Compare and swap on `resourceVersion`. */
  update(record: LeaseRecord, signal?: AbortSignal): Promise<LeaseRecord>;
  /** An update that changes nothing, to find out whether one is possible; one that lost a race is possible. */
  rehearse?(record: LeaseRecord, signal?: AbortSignal): Promise<void>;
}

/** Another candidate was faster: not an error. */
export function isLostRace(thrown: unknown): boolean {
  return thrown instanceof EchelonError && (thrown.code === 'KUBE_CONFLICT' || thrown.code === 'KUBE_EXISTS');
}
