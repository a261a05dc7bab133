import { byText, shortened } from '../../base/index.ts';
import { OcmError } from './ocm-error.ts';

/** Rows whose field has one of these values. There may be many: they are asked for in several searches. */
export interface Selection<Field extends string = string> {
  readonly field: Field;
  readonly values: readonly string[];
}

/** Of a search as it stands in a URL: longer ones are cut off by gateways. */
export const MAX_SEARCH_BYTES = 4096;
/** As many as fit on a page, where each value has one row. */
export const MAX_SEARCH_VALUES = 100;

export function equal(field: string, value: string): string {
  return `${field}='${quoted(value)}'`;
}

/** Sorted and without repetition, so that equal questions are equal texts. Of no values nothing is one: undefined. */
export function oneOf(field: string, values: readonly string[]): string | undefined {
  const [only, ...more] = distinct(values);
  if (only === undefined) return undefined;
  if (more.length === 0) return equal(field, only);
  return `${field} in (${[only, ...more].map((value) => `'${quoted(value)}'`).join(',')})`;
}

/** `_` and `%` in the prefix match any text, and cannot be escaped: check what comes back. */
export function startsWith(field: string, prefix: string): string {
  return `${field} like '${quoted(prefix)}%'`;
}

export function atLeast(field: string, value: string): string {
  return `${field} >= '${quoted(value)}'`;
}

/**
 * The searches that together find the rows of a selection that fulfil all terms, each short enough to be sent.
 * Undefined asks for everything; no search at all, where nothing can be found, for nothing.
 */
export function searches(given: readonly (string | undefined)[], selection?: Selection): string[] | undefined {
  const terms = given.filter((term) => term !== undefined);
  if (terms.length < given.length) return [];
  if (selection === undefined) return terms.length === 0 ? undefined : [fitting(terms.join(' and '))];
  return chunks(terms, { field: selection.field, values: distinct(selection.values) });
}

function chunks(terms: readonly string[], { field, values }: Selection): string[] {
  const found: string[] = [];
  const render = (some: readonly string[]): string => [...terms, oneOf(field, some)].join(' and ');
  for (let start = 0; start < values.length; ) {
    let end = Math.min(start + MAX_SEARCH_VALUES, values.length);
    while (end > start + 1 && sizeOf(render(values.slice(start, end))) > MAX_SEARCH_BYTES) end -= 1;
    found.push(fitting(render(values.slice(start, end))));
    start = end;
  }
  return found;
}

function fitting(search: string): string {
  if (sizeOf(search) <= MAX_SEARCH_BYTES) return search;
  throw new OcmError({
    code: 'OCM_SEARCH_TOO_LONG',
    message: `a search of ${sizeOf(search)} bytes exceeds the limit of ${MAX_SEARCH_BYTES}`,
    hint: `shorten the value that starts with ${shortened(search)}`,
  });
}

function sizeOf(search: string): number {
  return new URLSearchParams({ search }).toString().length;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort(byText);
}

function quoted(value: string): string {
  return value.replaceAll("'", "''");
}
