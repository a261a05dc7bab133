import { MICROS } from '../../gates/index.ts';
import type { Upgrade } from '../engine/plan.ts';

/** How long things take in a forecast, in microseconds. */
export interface Durations extends Readonly<Record<Upgrade['kind'], number>> {
  /** How long a policy that is over is still shown, so that the cluster counts as busy. */
  readonly lingering: number;
}

export const DEFAULT_DURATIONS: Durations = {
  cluster: 90 * MICROS.minute,
  control_plane: 30 * MICROS.minute,
  node_pool: 40 * MICROS.minute,
  lingering: 5 * MICROS.minute,
};

/** What has to hold for a forecast to come true, as sentences. */
export function assumptionsOf(durations: Durations, every: number): string[] {
  const minutes = (micros: number): string => String(Math.round(micros / MICROS.minute));
  return [
    `an upgrade of a cluster takes ${minutes(durations.cluster)} minutes, of a hosted control plane ` +
      `${minutes(durations.control_plane)}, of a node pool ${minutes(durations.node_pool)}, and none fails`,
    `there is a pass every ${minutes(every)} minutes, beginning now; dates can be off by one`,
    'no version is released or withdrawn, and nobody changes labels, gates, agreements or policies by hand',
    'clusters that are healthy stay so, and those that are held or unhealthy stay so',
    'after an upgrade a cluster is offered what it was offered before, or what others in its channel are, if newer; ' +
      'a channel that no cluster is in offers nothing new',
    'histories that are inherited from organizations outside of this forecast stay as they are',
  ];
}
