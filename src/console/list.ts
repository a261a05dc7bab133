import { byText } from '../base/index.ts';
import { type Html, html, type Markup } from './html.ts';
import type { Choice } from './state.ts';

/** Filters, order and page of a view, as in its URL. A name may occur more than once. */
export interface Query {
  readonly filters: ReadonlyMap<string, readonly string[]>;
  /** Words that a row must contain. */
  readonly q: string;
  /** The name of a column; with a leading `-`, descending. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
}

/** Longer values are truncated. */
const MOST_LETTERS = 200;
const MOST_VALUES = 20;

/** Reads the parameters that a view supports; other parameters are ignored. */
export function readQuery(search: string, filterNames: readonly string[]): Query {
  const given = new URLSearchParams(search);
  const filters = filterNames.flatMap((name) => {
    const values = [...new Set(given.getAll(name).filter((value) => value !== ''))].slice(0, MOST_VALUES);
    return values.length === 0 ? [] : [[name, values.map((value) => value.slice(0, MOST_LETTERS))] as const];
  });
  return {
    filters: new Map(filters),
    q: (given.get('q') ?? '').trim().slice(0, MOST_LETTERS),
    sort: (given.get('sort') ?? '').slice(0, MOST_LETTERS),
    page: Math.max(1, Math.trunc(Number(given.get('page') ?? 1)) || 1),
  };
}

/** The canonical form of a query, so that the same view has the same URL. */
export function searchOf({ filters, q, sort, page }: Query): string {
  const written = new URLSearchParams();
  for (const [name, values] of filters) for (const value of values) written.append(name, value);
  if (q !== '') written.set('q', q);
  if (sort !== '') written.set('sort', sort);
  if (page > 1) written.set('page', String(page));
  const text = written.toString();
  return text === '' ? '' : `?${text}`;
}

const NO_QUERY: Query = { filters: new Map(), q: '', sort: '', page: 1 };

/** The URL of a view with one filter: rows with one of the values. */
export function filteredHref(path: string, name: string, ...values: readonly string[]): string {
  return path + searchOf({ ...NO_QUERY, filters: new Map([[name, values]]) });
}

/** How the rows of a view are filtered and ordered. */
export interface Columns<Row> {
  /** Values of a row for filters. */
  readonly filters: Readonly<Record<string, (row: Row) => readonly string[]>>;
  /** The text that `q` searches. */
  readonly text: (row: Row) => string;
  readonly sorts: Readonly<Record<string, (a: Row, b: Row) => number>>;
}

/** Rows that pass the filters and have all words of the search, in order. */
export function foundRows<Row>(rows: readonly Row[], query: Query, columns: Columns<Row>): readonly Row[] {
  const tests = [...query.filters].map(([name, wanted]) => {
    const valuesOf = columns.filters[name];
    return (row: Row): boolean => valuesOf?.(row).some((value) => wanted.includes(value)) ?? true;
  });
  if (query.q !== '') tests.push((row) => matches(columns.text(row), query.q));
  const all = ordered(rows, query.sort, columns);
  return tests.length === 0 ? all : all.filter((row) => tests.every((test) => test(row)));
}

function ordered<Row>(rows: readonly Row[], sort: string, { sorts }: Columns<Row>): readonly Row[] {
  const key = sort.replace(/^-/, '');
  const compare = Object.hasOwn(sorts, key) ? sorts[key] : undefined;
  if (compare === undefined) return rows;
  return rows.toSorted(sort === key ? compare : (a, b) => compare(b, a));
}

/** Whether a text contains all words, case-insensitively. */
export function matches(text: string, q: string): boolean {
  const within = text.toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}

/** Values to choose from, in order. */
export function valuesIn<Row>(rows: readonly Row[], valuesOf: (row: Row) => readonly string[]): string[] {
  return [...new Set(rows.flatMap(valuesOf))].filter((value) => value !== '').sort(byText);
}

export interface Sortable {
  readonly path: string;
  readonly query: Query;
}

/** The header of a sortable column. */
export function sortHead({ path, query }: Sortable, key: string, title: string): Html {
  const up = query.sort === key;
  const down = query.sort === `-${key}`;
  const order = up ? 'ascending' : down ? 'descending' : 'none';
  const href = path + searchOf({ ...query, sort: up ? `-${key}` : key, page: 1 });
  return html`<th scope="col" aria-sort="${order}"><a href="${href}" data-key="sort ${key}">${title}<i aria-hidden="true">${up ? '↑' : down ? '↓' : '↕'}</i></a></th>`;
}

/** Filters as a form that works without a script. */
export function filterForm({ path, query }: Sortable, choices: readonly Choice[]): Html {
  const kept = query.sort === '' ? '' : html`<input type="hidden" name="sort" value="${query.sort}">`;
  const unlisted = [...query.filters].filter(([name]) => !choices.some((choice) => choice.name === name));
  const hidden = unlisted.flatMap(([name, values]) =>
    values.map((value) => html`<input type="hidden" name="${name}" value="${value}">`),
  );
  const active = query.filters.size > 0 || query.q !== '';
  const chips = unlisted.flatMap(([name, values]) =>
    values.map(
      (value) =>
        html`<li><a href="${path + without(query, name, value)}"><span class="unseen">Remove filter </span>${name}: ${value} <span aria-hidden="true">×</span></a></li>`,
    ),
  );
  return html`<form class="filters" method="get" action="${path}" role="search" data-filters>
<label class="find"><span>Search</span><input type="search" name="q" value="${query.q}" placeholder="words in a row" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" maxlength="200"></label>
${choices.map((choice) => choiceField(choice, query.filters.get(choice.name) ?? []))}${kept}${hidden}
<span class="buttons"><button type="submit">Apply</button>${active ? html` <a href="${path}">Clear</a>` : ''}</span></form>
${chips.length === 0 ? '' : html`<ul class="chips" aria-label="More filters">${chips}</ul>`}`;
}

function without(query: Query, name: string, value: string): string {
  const left = (query.filters.get(name) ?? []).filter((each) => each !== value);
  const filters = [...query.filters].flatMap(([key, values]) =>
    key !== name ? [[key, values] as const] : left.length === 0 ? [] : [[key, left] as const],
  );
  return searchOf({ ...query, filters: new Map(filters), page: 1 });
}

function choiceField({ name, title, values }: Choice, chosen: readonly string[]): Html {
  const all = [...values, ...chosen.filter((value) => !values.includes(value))];
  const [only] = chosen;
  const options = all.map(
    (value) => html`<option value="${value}"${value === only ? html` selected` : ''}>${value}</option>`,
  );
  return html`<label><span>${title}</span><select name="${name}"><option value="">any</option>${options}</select></label>`;
}

/** Rows on one page: as many as render at once, however large the fleet. */
export const PAGE_ROWS = 100;

/** One page of the rows that were found. */
interface Paged<Row> extends Sortable {
  readonly rows: readonly Row[];
  readonly pages: number;
  /** The number of rows on all pages. */
  readonly found: number;
  /** How many rows are on the pages before. */
  readonly before: number;
}

/** One page of rows; a page number beyond the end is the last page. */
export function pageOf<Row>(path: string, query: Query, found: readonly Row[], size = PAGE_ROWS): Paged<Row> {
  const pages = Math.max(1, Math.ceil(found.length / size));
  const page = Math.min(query.page, pages);
  const before = (page - 1) * size;
  const rows = found.slice(before, before + size);
  return { path, query: { ...query, page }, rows, pages, found: found.length, before };
}

/** How many rows were found on all pages together. The script replaces its content, so that a change is announced. */
export function countLine(found: number, all: string, more: Markup = ''): Html {
  return html`<p class="count" role="status"><span data-count>${found}</span> of ${all}${more}</p>`;
}

/** Links to other pages, above and below the rows. */
export function pager({ path, query, pages, found, before, rows }: Paged<unknown>, label = 'Pages'): Markup {
  if (pages <= 1) return '';
  const { page } = query;
  const link = (to: number, words: string, rel: string): Markup =>
    to === page || to < 1 || to > pages
      ? html`<span class="off">${words}</span>`
      : html`<a rel="${rel}" href="${path + searchOf({ ...query, page: to })}" data-key="page ${rel}">${words}</a>`;
  return html`<nav class="pager" aria-label="${label}">${link(1, 'First', 'first')} ${link(page - 1, '← Previous', 'prev')} <span>${before + 1} to ${before + rows.length} of ${found}, page ${page} of ${pages}</span> ${link(page + 1, 'Next →', 'next')} ${link(pages, 'Last', 'last')}</nav>`;
}
