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
  return html`<th scope="col" aria-sort="${order}"><a href="${href}">${title}<i aria-hidden="true">${up ? '↑' : down ? '↓' : '↕'}</i></a></th>`;
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

/** Links to the previous and next page. */
export function pager({ path, query }: Sortable, pages: number): Markup {
  if (pages <= 1) return '';
  const link = (page: number, words: string, rel: string): Markup =>
    page < 1 || page > pages
      ? html`<span class="off">${words}</span>`
      : html`<a rel="${rel}" href="${path + searchOf({ ...query, page })}">${words}</a>`;
  return html`<nav class="pager" aria-label="Pages">${link(query.page - 1, '← Previous', 'prev')} <span>Page ${query.page} of ${pages}</span> ${link(query.page + 1, 'Next →', 'next')}</nav>`;
}

interface Paged<Row> {
  readonly rows: readonly Row[];
  readonly pages: number;
  readonly query: Query;
}

/** One page of rows; a page number beyond the end is the last page. */
export function pageOf<Row>(rows: readonly Row[], query: Query, size: number): Paged<Row> {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const page = Math.min(query.page, pages);
  return { rows: rows.slice((page - 1) * size, page * size), pages, query: { ...query, page } };
}
