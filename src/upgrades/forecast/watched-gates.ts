import type { ClusterGate, Influence, UpgradeGate, UpgradeGates } from '../engine/gate.ts';
import type { Rules } from '../engine/rules.ts';

/** The gates of a forecast, by what makes it judge them again. */
export interface WatchedGates {
  /** Judged again when a window or a freeze begins or ends. */
  readonly window: readonly ClusterGate[];
  /** Judged again when a mutex is taken or released. */
  readonly room: readonly ClusterGate[];
  /** Judged once for all clusters with the same requirements, when what they share changed. */
  readonly shared: readonly UpgradeGate[];
  /** Whether some gate does not say what influences it, or says what cannot be watched: every pass judges everything. */
  readonly always: boolean;
}

export function watchedGates(gates: UpgradeGates, rules: Rules): WatchedGates {
  const rows = [...gates.values()];
  const ofCluster = rows.filter(isClusterGate);
  const ofVersions = rows.filter((row) => !isClusterGate(row) && (row.concerns?.('version', rules) ?? true));
  return {
    window: ofCluster.filter((row) => has(row, 'window')),
    room: ofCluster.filter(({ stage }) => stage === 'room'),
    shared: ofVersions.filter(({ influences = [] }) => influences.length > 0),
    always: !rows.every(isWatched),
  };
}

function isWatched(row: UpgradeGate): boolean {
  const { influences, steadyUntil, forecastOpening } = row;
  if (influences === undefined || !influences.every((each) => watchable(row).includes(each))) return false;
  if (has(row, 'window') && steadyUntil === undefined) return false;
  return !has(row, 'soak') || forecastOpening !== undefined;
}

/** What a gate of its kind can depend on, so that it is noticed. */
function watchable(row: UpgradeGate): readonly Influence[] {
  if (isClusterGate(row)) return row.stage === 'room' ? ['window', 'room'] : ['window'];
  return 'shared' in row && row.shared === true ? ['soak', 'sectors', 'inheritance'] : [];
}

function has({ influences }: UpgradeGate, influence: Influence): boolean {
  return influences?.includes(influence) ?? false;
}

export function isClusterGate(row: UpgradeGate): row is ClusterGate {
  return row.stage !== 'version' && row.stage !== 'consent';
}
