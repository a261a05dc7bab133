import { count, type EchelonError } from '../../base/index.ts';
import type { FleetPlan } from '../plan/fleet-plan.ts';
import { breachText, consentHint } from '../plan/guard.ts';
import type { PlaceFailure } from '../plan/observe.ts';

/** An error to report; errors that share a hint are followed by it once. */
interface Obstacle {
  readonly message: string;
  readonly code: string;
}

export interface FleetObstacles {
  readonly failures: readonly (Obstacle & Pick<EchelonError, 'hint'>)[];
  readonly breaches: readonly Obstacle[];
  readonly consentHints: readonly string[];
  readonly conflictHints: readonly string[];
  readonly notes: readonly string[];
  /** Whether any of them prevents the plan from being applied completely. */
  readonly any: boolean;
}

/** What rollouts leave undone; absent without rollouts. */
interface HeldBack {
  /** Why all of them are held. */
  readonly fault?: EchelonError;
  /** How many only the holder of the lease moves. */
  readonly leaderless: number;
}

/** What prevents a plan from being applied completely, and what it cannot know. */
export function fleetObstacles({ failures, breaches, items, blind }: FleetPlan, rollout?: HeldBack): FleetObstacles {
  const { fault, leaderless = 0 } = rollout ?? {};
  return {
    failures: [
      ...(fault === undefined ? [] : [{ message: fault.message, code: fault.code, hint: fault.hint }]),
      ...failures.map((failure) => ({
        message: placeFailureText(failure),
        code: failure.error.code,
        hint: failure.error.hint,
      })),
    ],
    breaches: breaches.map((breach) => ({
      message: breachText(breach),
      code: breach.scope === 'images' ? 'MASS_IMAGE_CHANGE' : 'MASS_DELETION',
    })),
    consentHints: [...new Set(breaches.map(consentHint))],
    conflictHints: [...new Set(items.flatMap((item) => (item.action === 'conflict' ? [item.hint] : [])))],
    notes: [
      ...(blind.length === 0 ? [] : [blindText(blind)]),
      ...(leaderless === 0 ? [] : [leaderlessText(leaderless)]),
    ],
    any:
      fault !== undefined ||
      failures.length > 0 ||
      breaches.length > 0 ||
      items.some(({ action }) => action === 'conflict' || action === 'withhold'),
  };
}

/** The message of a failure, which names the place. */
export function placeFailureText({ cluster, namespace, error }: PlaceFailure): string {
  const place = namespace === undefined ? cluster : `${cluster}/${namespace}`;
  return error.message.startsWith(cluster) ? error.message : `${place}: ${error.message}`;
}

function blindText(blind: readonly string[]): string {
  return `${blind.join(', ')}: the account may not list other namespaces; orphaned objects there are not found`;
}

function leaderlessText(shards: number): string {
  const own = shards === 1 ? 'its image' : 'their images';
  return `rollouts: ${count(shards, 'shard')} could move now, but ${shards === 1 ? 'keeps' : 'keep'} ${own}: only the holder of the lease moves shards, see --lease`;
}
