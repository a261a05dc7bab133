import { type Html, html, type Markup } from './html.ts';
import { type Query, searchOf } from './query.ts';

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

interface Choice {
  readonly name: string;
  readonly title: string;
  readonly values: readonly string[];
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

/** What a page shows of all rows that were found. */
export interface Paged<Row> extends Sortable {
  readonly rows: readonly Row[];
  readonly pages: number;
  /** Of all pages. */
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
