import type { Instant } from '../../gates/index.ts';
import type { RolloutRecords } from '../../rollouts/index.ts';
import type { RenderScope } from '../desired/select.ts';

/** What rollouts need from outside. */
export interface RolloutPorts {
  readonly records: RolloutRecords;
  /** Called before the record is loaded: only with the instance is it known what the defaults of manager.yml restrict it to. */
  readonly useScope?: (scope: RenderScope) => void;
  /** Whether the record was named; otherwise one that may not be read counts as none, while there is no file. */
  readonly isRequired: boolean;
  readonly now: () => Instant;
  /** Of the loop, in microseconds. */
  readonly period: number;
  /** Another file than that of the instance. */
  readonly file?: () => Promise<{ readonly name: string; readonly content: string }>;
  /** The samples that a Prometheus gives for an expression. */
  readonly query?: (promql: string, signal: AbortSignal) => Promise<readonly number[]>;
  /** Whether this process may move shards: only the holder of a lease does (A4). */
  readonly mayMove: () => boolean;
}

/** What the manager that may move shards would decide now; nothing is kept or stored. */
export function readOnlyRollouts(ports: RolloutPorts): RolloutPorts {
  return { ...ports, mayMove: () => true, records: { ...ports.records, keep: () => undefined } };
}
