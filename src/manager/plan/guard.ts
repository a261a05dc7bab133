import type { PlanItem } from './plan.ts';

export interface GuardOptions {
  /** Share of a cluster's objects that may go in one pass. */
  readonly maxShare?: number;
  /** So many may always go. */
  readonly alwaysAllowed?: number;
}

/** Why a cluster's plan must not be carried out without consent. */
export interface GuardBreach {
  readonly cluster: string;
  readonly deletions: number;
  readonly objects: number;
  readonly allowed: number;
}

const MAX_SHARE = 0.3;
const ALWAYS_ALLOWED = 3;

/**
 * Mass change needs consent: per cluster at most 30 % of what is there, and more than three objects, may be deleted in one
 * pass. A wrong filter, an empty instance or a renamed integration shows here, not in an outage.
 */
export function guardBreaches(items: readonly PlanItem[], options: GuardOptions = {}): GuardBreach[] {
  const { maxShare = MAX_SHARE, alwaysAllowed = ALWAYS_ALLOWED } = options;
  return [...Map.groupBy(items, ({ cluster }) => cluster)].flatMap(([cluster, own]) => {
    const deletions = own.filter(({ action }) => action === 'delete').length;
    const objects = own.filter(({ action }) => action !== 'create').length;
    const allowed = Math.max(alwaysAllowed, Math.floor(objects * maxShare));
    return deletions > allowed ? [{ cluster, deletions, objects, allowed }] : [];
  });
}
