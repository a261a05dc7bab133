import { count } from '../../base/index.ts';
import type { ItemResult } from '../plan/execute.ts';
import { placeOf } from '../plan/places.ts';
import type { PlanItem } from '../plan/plan-item.ts';

/** `update cluster/namespace Deployment name`. */
export function itemText(item: PlanItem): string {
  return `${item.action} ${placeOf(item)} ${item.kind} ${item.name}`;
}

/** `Applied r1: 3 objects written, 1 failed, 0 not attempted.` */
export function appliedText(revision: string, results: readonly ItemResult[]): string {
  const failed = results.filter(({ outcome }) => outcome !== 'done').length;
  const skipped = results.filter(({ outcome }) => outcome === 'skipped').length;
  const rest = failed === 0 ? '' : `, ${failed - skipped} failed, ${skipped} not attempted`;
  return `Applied ${revision}: ${count(results.length - failed, 'object')} written${rest}.`;
}

/** Machine-readable. */
export function appliedDocument(revision: string, results: readonly ItemResult[]): object {
  return {
    revision,
    items: results.map(({ item: { action, cluster, namespace, kind, name }, outcome, error }) => ({
      action,
      cluster,
      namespace,
      kind,
      name,
      outcome,
      ...(error === undefined ? {} : { code: error.code, message: error.message }),
    })),
  };
}
