import { byText, defined } from '../../base/index.ts';
import { type Instant, MICROS } from '../../gates/index.ts';
import type { Cancellation, PlanItem, Upgrade } from '../engine/choose.ts';
import type { ScheduledUpgrade } from '../engine/facts.ts';
import type { ClusterDetails } from './memory.ts';

/**
 * An upgrade policy that Echelon requests, stored before the request. While it exists the cluster and its mutexes count
 * as taken, whether OCM shows the policy already or not; it also records that the policy is Echelon's.
 */
export interface Reservation {
  readonly kind: Upgrade['kind'];
  readonly clusterId: Upgrade['clusterId'];
  readonly nodePool?: string;
  readonly version: string;
  readonly nextRun: Instant;
  /** When it was requested. */
  readonly at: Instant;
  /** Once OCM has confirmed it. */
  readonly policyId?: string;
}

/** A policy that OCM does not show after this time does not exist: it was never created, or it was deleted. */
const HOLD = 15 * MICROS.minute;

/** Reservations for upgrades about to be requested. */
export function reservationsFor(plan: readonly PlanItem[], at: Instant): Reservation[] {
  return plan.flatMap((item) => {
    if (item.action !== 'upgrade') return [];
    const { kind, clusterId, nodePool, version, nextRun } = item;
    return [{ kind, clusterId, version, nextRun, at, ...defined({ nodePool }) }];
  });
}

type Shown = ClusterDetails['policies'][number];

/** Whether a reservation is for this policy: by its id, or by everything else as long as the id is not known. */
function isFor(reservation: Reservation, policy: Shown): boolean {
  if (reservation.policyId !== undefined) return reservation.policyId === policy.id;
  return (
    reservation.clusterId === policy.clusterId &&
    reservation.kind === policy.kind &&
    reservation.nodePool === policy.nodePool &&
    reservation.version === policy.version &&
    reservation.nextRun === policy.nextRun
  );
}

/** The same for a deleted policy. */
function wasFor(reservation: Reservation, { policyId, kind, clusterId, nodePool, version }: Cancellation): boolean {
  if (reservation.policyId !== undefined) return reservation.policyId === policyId;
  const { kind: own, clusterId: cluster, nodePool: pool, version: to } = reservation;
  return own === kind && cluster === clusterId && pool === nodePool && to === version;
}

/** Policies as OCM shows them, each with whether it is ours; then those that it does not show yet. */
export function policiesWith(
  shown: readonly Shown[],
  reservations: readonly Reservation[],
  now: Instant,
): ScheduledUpgrade[] {
  const reserved = Map.groupBy(reservations, ({ clusterId }) => clusterId);
  const policies = Map.groupBy(shown, ({ clusterId }) => clusterId);
  const isOurs = (policy: Shown): boolean =>
    reserved.get(policy.clusterId)?.some((each) => isFor(each, policy)) === true;
  const isShown = (reservation: Reservation): boolean =>
    policies.get(reservation.clusterId)?.some((policy) => isFor(reservation, policy)) === true;
  const own = shown.map((policy) => ({ ...policy, ours: isOurs(policy) }));
  const awaited = reservations.filter((each) => isFresh(each, now) && !isShown(each));
  return [...own, ...awaited.map(awaitedPolicy)];
}

function awaitedPolicy({ kind, clusterId, nodePool, version, nextRun, policyId }: Reservation): ScheduledUpgrade {
  return {
    kind,
    clusterId,
    id: policyId ?? 'unconfirmed',
    version,
    state: policyId === undefined ? 'unconfirmed' : 'not shown by OCM yet',
    nextRun,
    ...defined({ nodePool }),
    ours: true,
  };
}

function isFresh({ at }: Reservation, now: Instant): boolean {
  return now - at < HOLD;
}

/** Drops obsolete ones: the upgrade has started, or OCM does not have it. */
export function stillReserved(
  reservations: readonly Reservation[],
  details: ReadonlyMap<string, ClusterDetails>,
  now: Instant,
): Reservation[] {
  return reservations.filter((each) => {
    if (isFresh(each, now)) return true;
    const seen = details.get(each.clusterId);
    const isOpen = seen?.fault !== undefined || seen?.policies.some((policy) => isFor(each, policy)) === true;
    return isOpen && now < each.nextRun;
  });
}

/** The result of a request, by its reservation; or a policy of ours that was deleted. */
export type Settlement =
  | { readonly reservation: Reservation; readonly policyId: string | 'refused' }
  | { readonly cancelled: Cancellation };

/** Sets the ids of confirmed ones, and drops refused and cancelled ones. */
export function settled(reservations: readonly Reservation[], settlements: readonly Settlement[]): Reservation[] {
  const byKey = new Map(
    settlements.flatMap((each) => ('cancelled' in each ? [] : [[keyOf(each.reservation), each.policyId]])),
  );
  const cancelled = Map.groupBy(
    settlements.flatMap((each) => ('cancelled' in each ? [each.cancelled] : [])),
    ({ clusterId }) => clusterId,
  );
  return reservations.flatMap((each) => {
    if (cancelled.get(each.clusterId)?.some((item) => wasFor(each, item)) === true) return [];
    const policyId = byKey.get(keyOf(each));
    if (policyId === 'refused') return [];
    return policyId === undefined ? [each] : [{ ...each, policyId }];
  });
}

function keyOf({ kind, clusterId, nodePool, version, nextRun, at }: Reservation): string {
  return JSON.stringify([kind, clusterId, nodePool, version, nextRun, at]);
}

/** A canonical order. */
export function inOrder(reservations: readonly Reservation[]): Reservation[] {
  return reservations.toSorted((a, b) => a.at - b.at || byText(keyOf(a), keyOf(b)));
}
