import type { FleetFlags } from '../manager/flags.ts';

export interface PinsFlags extends FleetFlags {
  readonly integration?: readonly string[];
  readonly environment?: readonly string[];
  /** Milliseconds. */
  readonly olderThan?: number;
  readonly expired?: boolean;
  readonly live?: boolean;
}
