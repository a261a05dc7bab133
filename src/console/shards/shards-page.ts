import { count } from '../../base/index.ts';
import { type Html, html, type Markup } from '../html.ts';
import { countLine, filterForm, PAGE_ROWS, pageOf, pager, type Sortable, sortHead } from '../list-parts.ts';
import { oncePer } from '../once.ts';
import { badge } from '../parts.ts';
import { foundRows, type Query, searchOf, valuesIn } from '../query.ts';
import type { ConsoleShard, ShardsData } from '../state.ts';
import {
  imageText,
  integrationOf,
  matrixOf,
  readyText,
  SHARD_COLUMNS,
  SHARDS_PATH,
  shardPath,
  shardTone,
} from './shards.ts';

/** More columns than this are not readable; the list below has them all. */
const MOST_IMAGES = 12;

export function foundShards({ shards }: ShardsData, query: Query): readonly ConsoleShard[] {
  return foundRows(shards, query, SHARD_COLUMNS);
}

export function shardsPage(data: ShardsData, query: Query): Html {
  const found = foundShards(data, query);
  const paged = pageOf(SHARDS_PATH, query, found);
  const head = (key: string, title: string): Html => sortHead(paged, key, title);
  return html`<h1>Shards</h1>
${filterForm(paged, choicesIn(data.shards))}
${countLine(paged.found, count(data.shards.length, 'shard'), html` <small>of revision ${data.revision.slice(0, 12)}</small>`)}
${query.page > 1 ? '' : matrix(found, paged)}
<h2 id="list">Every shard</h2>
${pager(paged)}
<div class="scroll" tabindex="0" role="region" aria-label="Shards"><table class="rows" data-rows><caption class="unseen">Shards with their images and states</caption>
<thead><tr>${head('integration', 'Integration')}${head('shard', 'Shard')}${head('state', 'State')}${head('where', 'Cluster/namespace')}${head('image', 'Image')}<th scope="col">Ready</th><th scope="col">Why</th></tr></thead>
<tbody>${paged.rows.map((shard) => rowOf(shard, paged))}</tbody></table></div>
${paged.found > 0 ? '' : html`<p class="none">No shard matches. <a href="${SHARDS_PATH}">Show all</a></p>`}
${pager(paged, 'Pages, below')}`;
}

const choicesIn = oncePer((shards: readonly ConsoleShard[]) => {
  const of = (name: string): string[] => valuesIn(shards, SHARD_COLUMNS.filters[name] ?? (() => []));
  return [
    { name: 'integration', title: 'Integration', values: of('integration') },
    { name: 'env', title: 'Environment', values: of('env') },
    { name: 'namespace', title: 'Namespace', values: of('namespace') },
    { name: 'state', title: 'State', values: of('state') },
    { name: 'image', title: 'Image', values: of('image') },
  ];
});

function narrowed({ path, query }: Sortable, more: Readonly<Record<string, string>>): string {
  const filters = new Map([...query.filters, ...Object.entries(more).map(([name, value]) => [name, [value]] as const)]);
  return path + searchOf({ ...query, filters, page: 1 });
}

const shardMatrix = oncePer(matrixOf);

/** Counts of shards per image, linked to the shards. */
function matrix(shards: readonly ConsoleShard[], at: Sortable): Markup {
  const { of, images, rows } = shardMatrix(shards);
  if (rows.length === 0) return '';
  const columns = images.slice(0, MOST_IMAGES);
  const left = images.length - columns.length;
  const head = columns.map((image) => html`<th scope="col"><a href="${narrowed(at, { image })}">${image}</a></th>`);
  const body = rows.slice(0, PAGE_ROWS).map(({ name, cells }) => {
    const label = of === 'integration' ? html`<a href="${narrowed(at, { integration: name })}">${name}</a>` : name;
    const own = columns.map((image, index) => cellOf(cells[index] ?? [], of, name, image, at));
    return html`<tr><th scope="row">${label}</th>${own}</tr>`;
  });
  const notes = [
    ...(left > 0 ? [`${count(left, 'image')} more`] : []),
    ...(rows.length > PAGE_ROWS ? [`${count(rows.length - PAGE_ROWS, 'row')} more`] : []),
  ];
  return html`<h2 id="matrix">${of === 'integration' ? 'Integrations' : 'Shards'} × images</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Matrix"><table class="matrix"><caption class="unseen">How many shards run which image, and in which state</caption><thead><tr><th scope="col">${of === 'integration' ? 'Integration' : 'Shard'}</th>${head}</tr></thead><tbody>${body}</tbody></table></div>
${notes.length === 0 ? '' : html`<p class="hint">${notes.join(', ')} in the list below.</p>`}`;
}

function cellOf(
  shards: readonly ConsoleShard[],
  of: 'integration' | 'shard',
  name: string,
  image: string,
  at: Sortable,
): Html {
  if (shards.length === 0) return html`<td class="empty"><span class="unseen">none</span></td>`;
  const states = [...Map.groupBy(shards, ({ state }) => state)];
  const badges = states.map(([state, { length }]) => badge(shardTone(state), `${length} ${state}`));
  if (of === 'shard') return html`<td data-label="${image}">${badges}</td>`;
  return html`<td data-label="${image}"><a class="cell" href="${narrowed(at, { integration: name, image })}">${badges}</a></td>`;
}

function rowOf(shard: ConsoleShard, at: Sortable): Html {
  const name = integrationOf(shard);
  return html`<tr><th scope="row"><a href="${narrowed(at, { integration: name })}">${name}</a></th><td><a data-open href="${shardPath(shard)}">${shard.shard ?? shard.name}</a></td><td>${badge(shardTone(shard.state), shard.state)}</td><td>${shard.cluster}/${shard.namespace}</td><td class="num">${imageText(shard)}</td><td class="num">${readyText(shard)}</td><td class="why">${shard.reason ?? ''}</td></tr>
`;
}
