import { defined, sha256Of } from '../../base/index.ts';
import type { ShadowRecord } from '../../rollouts/index.ts';
import type { Capabilities } from '../../sharding/index.ts';
import type { ShadowCluster } from '../shadow/shadow-cluster.ts';
import { instanceId, type OperatedFleet } from './operated-fleet.ts';

/** How shadows of rollouts are run: as Jobs in the namespaces of their shards. */
export interface ShadowAccess {
  readonly connect: (cluster: string) => Promise<ShadowCluster>;
  /** Whose Jobs are read and removed: this manager's. */
  readonly owner: string;
  readonly capabilities?: Capabilities;
  readonly memory: ShadowMemory;
}

/** What a process remembers between passes; a restart only tries again. */
export interface ShadowMemory {
  /** Comparisons that could not be started, and why, by `shardKey`. */
  readonly refused: Map<string, ShadowRecord>;
  /** Namespaces in which Jobs of an earlier process were looked for. */
  readonly swept: Set<string>;
}

export function shadowMemory(): ShadowMemory {
  return { refused: new Map(), swept: new Set() };
}

/** Identifies a manager, by what it operates, among others that run shadows in the same namespaces. */
export function shadowOwner(fleet: Pick<OperatedFleet, 'instance' | 'settings' | 'scope'>): string {
  const identity = ['manager', instanceId(fleet), fleet.scope.environment, fleet.settings.caller];
  return sha256Of(JSON.stringify(identity)).slice(0, 20);
}

/** Of a manager: its Jobs are known by what it operates. */
export function shadowAccess(
  fleet: Pick<OperatedFleet, 'instance' | 'settings' | 'scope'>,
  connect: ShadowAccess['connect'],
  memory: ShadowMemory,
): ShadowAccess {
  const { capabilities } = fleet.settings;
  return { connect, owner: shadowOwner(fleet), memory, ...defined({ capabilities }) };
}
