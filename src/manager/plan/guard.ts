import type { PlanItem } from './plan.ts';

export interface GuardOptions {
  /** Share of a cluster's objects that may be deleted in one pass. */
  readonly maxShare?: number;
  /** This many may always be deleted. */
  readonly alwaysAllowed?: number;
}

/** Why a cluster's plan must not be applied without consent. */
export interface GuardBreach {
  readonly cluster: string;
  readonly deletions: number;
  readonly objects: number;
  readonly allowed: number;
}

const MAX_SHARE = 0.3;
const ALWAYS_ALLOWED = 3;

/**
 * Mass deletion needs consent: in one pass at most 30 % of a cluster's objects, or three if that is more, may be deleted. A
 * wrong filter, an empty instance or a renamed integration is caught here instead of causing an outage.
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
