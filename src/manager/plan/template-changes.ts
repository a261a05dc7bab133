import { byText, count } from '../../base/index.ts';
import { isWorkload } from '../desired/identity.ts';
import { type PlanItem, withheld } from './plan-item.ts';

/** What happens to the workloads that Echelon takes over from an existing manager. */
export interface TakeOver {
  /** Workloads whose fields it takes over. */
  readonly workloads: number;
  /** Those whose pod template changes: their pods restart, scheduled ones run differently. */
  readonly templates: number;
  /** The fields of pod templates that change, with the number of objects, most frequent first. */
  readonly fields: readonly { readonly path: string; readonly objects: number }[];
  /** Whether the templates may change. */
  readonly adoptTemplates: boolean;
}

/** Undefined if nothing is taken over. */
export function takeOverOf(items: readonly PlanItem[], adoptTemplates: boolean): TakeOver | undefined {
  const taken = items.filter((item) => isWorkload(item) && 'takeOver' in item && item.takeOver !== undefined);
  if (taken.length === 0) return undefined;
  const changed = taken.map(templateFields).filter((fields) => fields.length > 0);
  const objects = new Map<string, number>();
  for (const path of changed.flat()) objects.set(path, (objects.get(path) ?? 0) + 1);
  return {
    workloads: taken.length,
    templates: changed.length,
    fields: [...objects]
      .map(([path, number]) => ({ path, objects: number }))
      .toSorted((a, b) => b.objects - a.objects || byText(a.path, b.path)),
    adoptTemplates,
  };
}

/** Leaves workloads alone whose pod template would change by taking them over: that needs consent. */
export function withoutTemplateChanges(items: readonly PlanItem[], adoptTemplates: boolean): readonly PlanItem[] {
  if (adoptTemplates) return items;
  return items.map((item) => {
    if (item.action !== 'update' || item.takeOver === undefined || !isWorkload(item)) return item;
    const fields = templateFields(item);
    return fields.length === 0 ? item : withheld(item, reasonOf(item.takeOver, fields), ADOPT_TEMPLATES);
  });
}

export const ADOPT_TEMPLATES =
  "render with the fleet's own chart (--chart) to keep the pod templates, or pass --adopt-templates to change them";

const SHOWN = 3;

function reasonOf(takeOver: readonly string[], fields: readonly string[]): string {
  const more = fields.length - SHOWN;
  const rest = more > 0 ? ` and ${count(more, 'more field', 'more fields')}` : '';
  const shown = fields.slice(0, SHOWN).join(', ');
  return `taking it over from ${takeOver.join(', ')} would change its pod template: ${shown}${rest}`;
}

const TEMPLATE = /^spec\.(?:jobTemplate\.spec\.)?template(?:\.|$)/;
const IDENTITY = 'echelon/';

/** The fields of its pod template that an item changes; identity annotations come along and do not count. */
function templateFields(item: PlanItem): string[] {
  if (!('differences' in item)) return [];
  const paths = item.differences.map(({ path }) => path).filter((path) => TEMPLATE.test(path));
  return [
    ...new Set(paths.filter((path) => !path.includes(IDENTITY)).map((path) => path.replace(TEMPLATE, '') || 'all')),
  ];
}
