import type { KubeObject } from '../desired/desired-namespace.ts';
import type { Precondition } from './cluster-api.ts';
import type { Difference } from './differences.ts';

/** The kinds that a manager operates. */
export const KINDS = ['CronJob', 'Deployment', 'Service', 'StatefulSet'] as const;

export interface ObjectName {
  readonly cluster: string;
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/** Precondition for a change or deletion: the object is still the one that was observed. */
export interface Seen extends Precondition {
  /** Over the object's content; its status may change. */
  readonly fingerprint: string;
}

export interface Write {
  readonly object: KubeObject;
  readonly seen: Seen;
  readonly differences: readonly Difference[];
  /** Field managers whose fields Echelon takes over with this write. */
  readonly takeOver?: readonly string[];
  /** Overrides fields that other managers hold. */
  readonly force: boolean;
}

/** One action, or the reason not to act. The executor does exactly this and nothing else. */
export type PlanItem = ObjectName &
  (
    | { readonly action: 'create'; readonly object: KubeObject }
    | ({ readonly action: 'update' } & Write)
    | ({ readonly action: 'adopt'; readonly reason: string } & Write)
    | ({ readonly action: 'recreate'; readonly reason: string } & Write)
    | {
        readonly action: 'delete';
        readonly seen: Seen;
        readonly reason: string;
        /** Only after these objects were created: they replace it. */
        readonly after?: readonly ObjectName[];
      }
    | { readonly action: 'keep' }
    | {
        /** A rollout keeps the workload as it is. */
        readonly action: 'hold';
        /** Its live image; absent when it has no object yet. */
        readonly image?: string;
        /** The image that is declared. */
        readonly target: string;
        readonly reason: string;
        /** What changes with it. */
        readonly waits: readonly Difference[];
      }
    | { readonly action: 'conflict'; readonly reason: string; readonly hint: string }
    | {
        readonly action: 'withhold';
        /** What is withheld. */
        readonly withholds: 'create' | 'update' | 'adopt' | 'recreate' | 'delete';
        readonly reason: string;
        readonly hint: string;
      }
  );

export type Action = PlanItem['action'];

/** The item, not to be applied for now; an item that changes nothing stays as it is. */
export function withheld(item: PlanItem, reason: string, hint: string): PlanItem {
  const { cluster, namespace, kind, name, action } = item;
  if (action === 'keep' || action === 'conflict' || action === 'withhold' || action === 'hold') return item;
  return { cluster, namespace, kind, name, action: 'withhold', withholds: action, reason, hint };
}
