import { EchelonError } from '../base/index.ts';

/** The fields of a Kubernetes Lease that a leader election needs. */
export interface LeaseRecord {
  /** Empty when nobody holds it. */
  readonly holder: string;
  readonly acquireTime: Date;
  readonly renewTime: Date;
  readonly durationSeconds: number;
  /** How often the holder changed: grows with every new leader. */
  readonly transitions: number;
  /** Changes with every write; an update of another version than the stored one is a lost race. */
  readonly resourceVersion?: string | undefined;
}

/**
 * Where one lease is kept. A write that lost a race rejects with an EchelonError of code KUBE_CONFLICT, a create of what
 * exists with KUBE_EXISTS. A write whose answer got lost may have happened: the caller finds out by reading.
 */
export interface LeaseApi {
  read(signal?: AbortSignal): Promise<LeaseRecord | undefined>;
  create(record: LeaseRecord, signal?: AbortSignal): Promise<LeaseRecord>;
  /** Compare and swap on `resourceVersion`. */
  update(record: LeaseRecord, signal?: AbortSignal): Promise<LeaseRecord>;
}

/** Another was faster; nothing is wrong. */
export function isLostRace(thrown: unknown): boolean {
  return thrown instanceof EchelonError && (thrown.code === 'KUBE_CONFLICT' || thrown.code === 'KUBE_EXISTS');
}
