import { MICROS } from '../../gates/index.ts';
import type { Upgrade } from '../engine/choose.ts';

/** How long things take in a forecast, in microseconds. */
export interface Durations extends Readonly<Record<Upgrade['kind'], number>> {
  /** How long a finished policy stays visible, so that the cluster counts as busy. */
  readonly lingering: number;
}

export const DEFAULT_DURATIONS: Durations = {
  cluster: 90 * MICROS.minute,
  control_plane: 30 * MICROS.minute,
  node_pool: 40 * MICROS.minute,
  lingering: 5 * MICROS.minute,
};

/** The assumptions of a forecast, as sentences. */
export function assumptionsOf(durations: Durations, every: number): string[] {
  const minutes = (micros: number): string => String(Math.round(micros / MICROS.minute));
  return [
    `an upgrade of a cluster takes ${minutes(durations.cluster)} minutes, of a hosted control plane ` +
      `${minutes(durations.control_plane)}, of a node pool ${minutes(durations.node_pool)}, and none fails`,
    `a pass runs every ${minutes(every)} minutes, starting now; times can be off by one pass`,
    'no version is released or withdrawn, and no user changes labels, gates, agreements or policies',
    'healthy clusters stay healthy; held and unhealthy ones stay held and unhealthy',
    'after an upgrade a cluster is offered newer versions that it, or others in its channel, were offered before; ' +
      'a channel without clusters offers nothing new',
    'histories inherited from organizations outside this forecast do not change',
  ];
}
