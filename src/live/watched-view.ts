import type { Table } from '../base/index.ts';
import type { Awaited } from './awaited.ts';

/** What one observation of a watched command shows. */
export interface WatchedView {
  /** Absent when nothing is waited for. */
  readonly awaited?: Awaited;
  /** Its last column is a reason in words. */
  readonly table: Table;
  /** Of each row of the table. */
  readonly rows: readonly WatchedRow[];
  /** Lines below the table: totals, errors. */
  readonly notes: readonly string[];
  /** Why nothing at all could be observed: the view before says more. */
  readonly blind?: string;
}

export interface WatchedRow {
  /** The same in every observation, and of no other row. */
  readonly key: string;
  /** For users. */
  readonly name: string;
  readonly isAwaited: boolean;
}
