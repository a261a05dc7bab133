import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';

type Labels = Readonly<Record<string, string>>;

/** The first object whose selector matches pods with these labels. */
export function selectingObject(objects: readonly KubeObject[], labels: Labels): KubeObject | undefined {
  return objects.find((object) => selects(object, labels));
}

/** As the API does: the empty selector of a Service matches nothing, that of a workload everything. */
function selects({ kind, spec }: KubeObject, labels: Labels): boolean {
  const selector = isJson(spec) ? spec['selector'] : undefined;
  if (!isJson(selector)) return false;
  if (kind === 'Service') return Object.keys(selector).length > 0 && hasAll(selector, labels);
  const { matchLabels, matchExpressions } = selector;
  const rows = Array.isArray(matchExpressions) ? matchExpressions.filter(isJson) : [];
  return hasAll(isJson(matchLabels) ? matchLabels : {}, labels) && rows.every((row) => isMet(row, labels));
}

function hasAll(wanted: Json, labels: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/** An operator that is not known counts as met: refusing too much is harmless. */
function isMet({ key, operator, values }: Json, labels: Labels): boolean {
  const name = String(key);
  const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
  const isListed = Array.isArray(values) && values.includes(value);
  if (operator === 'In') return value !== undefined && isListed;
  if (operator === 'NotIn') return value === undefined || !isListed;
  if (operator === 'Exists') return value !== undefined;
  return operator === 'DoesNotExist' ? value === undefined : true;
}
