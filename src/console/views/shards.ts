import { byText, count, EchelonError } from '../../base/index.ts';
import { instantOf } from '../../gates/index.ts';
import { parseAssignment, type ShardState } from '../../manager/index.ts';
import { type Html, html, type Markup, timeWithAge, withTimes } from '../html.ts';
import {
  type Columns,
  countLine,
  filterForm,
  foundRows,
  PAGE_ROWS,
  pageOf,
  pager,
  type Query,
  type Sortable,
  searchOf,
  sortHead,
  valuesIn,
} from '../list.ts';
import { type RenderContext, SHARDS, type View } from '../page.ts';
import { badge, sourceLink, type Tone, unseenShards } from '../parts.ts';
import type { Choice, ConsolePin, ConsoleShard, ShardLink, ShardsData, ShardsView } from '../state.ts';
import { boardShardJson, cellOfShard, shadowOfShard, verdictSection } from './rollouts.ts';

const byShard = (a: ConsoleShard, b: ConsoleShard): number =>
  byText(integrationOf(a), integrationOf(b)) ||
  byText(`${a.cluster}/${a.namespace}/${a.shard ?? a.name}`, `${b.cluster}/${b.namespace}/${b.shard ?? b.name}`);

const SHARD_COLUMNS: Columns<ConsoleShard> = {
  filters: {
    integration: (shard) => [integrationOf(shard)],
    env: ({ environment }) => [environment ?? ''],
    namespace: ({ namespace }) => [namespace],
    cluster: ({ cluster }) => [cluster],
    state: ({ state }) => [state],
    image: (shard) => [imageOf(shard)],
  },
  text: (shard) =>
    [
      integrationOf(shard),
      shard.shard ?? shard.name,
      shard.state,
      `${shard.cluster}/${shard.namespace}`,
      imageText(shard),
      readyText(shard),
      withTimes(shard.reason ?? ''),
    ].join(' '),
  sorts: {
    integration: byShard,
    shard: (a, b) => byText(a.shard ?? a.name, b.shard ?? b.name) || byShard(a, b),
    state: (a, b) => byText(a.state, b.state) || byShard(a, b),
    where: (a, b) => byText(`${a.cluster}/${a.namespace}`, `${b.cluster}/${b.namespace}`) || byShard(a, b),
    image: (a, b) => byText(imageText(a), imageText(b)) || byShard(a, b),
  },
};

export const shards: View<ShardsView> = {
  path: '/shards',
  title: 'Shards',
  entry: 'Shards',
  filters: Object.keys(SHARD_COLUMNS.filters),
  half: SHARDS,
  page: (data, query) => html`${unseenShards(data)}${shardsPage(data, query)}`,
  json: {
    path: '/shards.json',
    kind: 'ConsoleShardList',
    body: (data, query) => ({ items: foundRows(data?.shards ?? [], query, SHARD_COLUMNS) }),
  },
  one: {
    kind: 'ConsoleShard',
    parts: 3,
    find: ([cluster, namespace, name], data, at) => {
      const shard = data.shards.find(
        (one) => one.cluster === cluster && one.namespace === namespace && one.name === name,
      );
      if (shard === undefined) return undefined;
      return {
        ...{ title: shard.name, path: shardPath(shard) },
        body: () => shardPage(shard, data, at),
        json: () => documentOf(shard, data),
      };
    },
  },
};

/** The permanent URL of a shard. */
function shardPath({ cluster, namespace, name }: Pick<ConsoleShard, 'cluster' | 'namespace' | 'name'>): string {
  return `${shards.path}/${[cluster, namespace, name].map(encodeURIComponent).join('/')}`;
}

/** Name for the integration of undeclared workloads. */
const UNDECLARED = 'no integration';

const TONES: Readonly<Record<ShardState, Tone>> = {
  converged: 'good',
  pinned: 'good',
  held: 'idle',
  lagging: 'wait',
  missing: 'bad',
  unexpected: 'bad',
  disabled: 'idle',
  unknown: 'bad',
};

export function integrationOf({ integration }: ConsoleShard): string {
  return integration ?? UNDECLARED;
}

/** The live image, else the expected one. */
function imageOf({ liveTag, expectedTag }: ConsoleShard): string {
  return liveTag ?? expectedTag ?? 'no image';
}

/** `f929a38`, or `f929a38 → 0473914` while the live image differs from the expected one. */
export function imageText({ liveTag, expectedTag }: ConsoleShard): string {
  if (liveTag === undefined || expectedTag === undefined || liveTag === expectedTag)
    return liveTag ?? expectedTag ?? '';
  return `${liveTag} → ${expectedTag}`;
}

function readyText({ kind, state, ready, wanted }: ConsoleShard): string {
  return kind === 'CronJob' || state === 'unknown' ? '' : `${ready}/${wanted}`;
}

/** Shard counts by row and image. */
interface Matrix {
  /** The kind of the rows: integrations, or the shards of the only one. */
  readonly of: 'integration' | 'shard';
  readonly images: readonly string[];
  readonly rows: readonly MatrixRow[];
}

interface MatrixRow {
  readonly name: string;
  /** One cell per image. */
  readonly cells: readonly (readonly ConsoleShard[])[];
}

/** Integrations × images; where only one integration is left, its shards × images. */
export function matrixOf(shards: readonly ConsoleShard[]): Matrix {
  const integrations = new Set(shards.map(integrationOf));
  const of = integrations.size === 1 ? 'shard' : 'integration';
  const images = [...Map.groupBy(shards, imageOf)].sort((a, b) => b[1].length - a[1].length || byText(a[0], b[0]));
  const names = images.map(([image]) => image);
  const nameOf = of === 'integration' ? integrationOf : (shard: ConsoleShard): string => shard.shard ?? shard.name;
  const rows = [...Map.groupBy(shards, nameOf)].sort(([a], [b]) => byText(a, b));
  return {
    of,
    images: names,
    rows: rows.map(([name, own]) => {
      const byImage = Map.groupBy(own, imageOf);
      return { name, cells: names.map((image) => byImage.get(image) ?? []) };
    }),
  };
}

/** More columns than this are not readable; the list below has them all. */
const MOST_IMAGES = 12;

function shardsPage(data: ShardsView, query: Query): Html {
  const found = foundRows(data.shards, query, SHARD_COLUMNS);
  const paged = pageOf(shards.path, query, found);
  const head = (key: string, title: string): Html => sortHead(paged, key, title);
  return html`<h1>Shards</h1>
${filterForm(paged, data.choices)}
${countLine(paged.found, count(data.shards.length, 'shard'), html` <small>of revision ${data.revision.slice(0, 12)}</small>`)}
${query.page > 1 ? '' : matrix(found, paged)}
<h2 id="list">Every shard</h2>
${pager(paged)}
<div class="scroll" tabindex="0" role="region" aria-label="Shards"><table class="rows" data-rows><caption class="unseen">Shards with their images and states</caption>
<thead><tr>${head('integration', 'Integration')}${head('shard', 'Shard')}${head('state', 'State')}${head('where', 'Cluster/namespace')}${head('image', 'Image')}<th scope="col">Ready</th><th scope="col">Why</th></tr></thead>
<tbody>${paged.rows.map((shard) => rowOf(shard, paged))}</tbody></table></div>
${paged.found > 0 ? '' : html`<p class="none">No shard matches. <a href="${shards.path}">Show all</a></p>`}
${pager(paged, 'Pages, below')}`;
}

export function shardChoices(rows: readonly ConsoleShard[]): Choice[] {
  const of = (name: string): string[] => valuesIn(rows, SHARD_COLUMNS.filters[name] ?? (() => []));
  return [
    { name: 'integration', title: 'Integration', values: of('integration') },
    { name: 'env', title: 'Environment', values: of('env') },
    { name: 'namespace', title: 'Namespace', values: of('namespace') },
    { name: 'state', title: 'State', values: of('state') },
    { name: 'image', title: 'Image', values: of('image') },
  ];
}

function narrowed({ path, query }: Sortable, more: Readonly<Record<string, string>>): string {
  const filters = new Map([...query.filters, ...Object.entries(more).map(([name, value]) => [name, [value]] as const)]);
  return path + searchOf({ ...query, filters, page: 1 });
}

/** Counts of shards per image, linked to the shards. */
function matrix(found: readonly ConsoleShard[], at: Sortable): Markup {
  const { of, images, rows } = matrixOf(found);
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
  const badges = states.map(([state, { length }]) => badge(TONES[state], `${length} ${state}`));
  if (of === 'shard') return html`<td data-label="${image}">${badges}</td>`;
  return html`<td data-label="${image}"><a class="cell" href="${narrowed(at, { integration: name, image })}">${badges}</a></td>`;
}

function rowOf(shard: ConsoleShard, at: Sortable): Html {
  const name = integrationOf(shard);
  return html`<tr><th scope="row"><a href="${narrowed(at, { integration: name })}">${name}</a></th><td><a data-open href="${shardPath(shard)}">${shard.shard ?? shard.name}</a></td><td>${badge(TONES[shard.state], shard.state)}</td><td>${shard.cluster}/${shard.namespace}</td><td class="num">${imageText(shard)}</td><td class="num">${readyText(shard)}</td><td class="why">${shard.reason ?? ''}</td></tr>
`;
}

function documentOf(shard: ConsoleShard, { rollouts }: ShardsData): object {
  const cell = cellOfShard(rollouts, shard);
  return { shard, ...(cell === undefined ? {} : { rollout: boardShardJson(cell) }) };
}

function shardPage(shard: ConsoleShard, data: ShardsData, at: RenderContext): Html {
  const integration = integrationOf(shard);
  const cell = cellOfShard(data.rollouts, shard);
  const rows: readonly (readonly [string, Markup])[] = [
    ['Expected', shard.expected === undefined ? '' : html`<code>${shard.expected}</code>`],
    ['Comes from', originOf(shard, data, at)],
    ['Runs', shard.live === undefined ? '' : html`<code>${shard.live}</code>`],
    ['Ready', readyText(shard)],
    ['Restarts', shard.restarts === undefined ? '' : `${shard.restarts}, of the pods that exist`],
    ['Object', `${shard.kind} ${shard.name}`],
    ['Place', `${shard.cluster}/${shard.namespace}`],
    ['Environment', shard.environment ?? ''],
    ['Upstream', shard.upstream ?? ''],
  ];
  const given = rows.filter(([, value]) => value !== '');
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${shards.path}">Shards</a> <span aria-hidden="true">/</span> <a href="${shards.path}?${new URLSearchParams({ integration }).toString()}">${integration}</a></nav>
<h1>${shard.shard ?? shard.name} <span class="version">${shard.liveTag ?? ''}</span></h1>
<p class="lead">${badge(TONES[shard.state], shard.state)} <span>${shard.reason ?? ''}</span></p>
<div class="columns"><section aria-labelledby="image"><h2 id="image">Image</h2><dl>${given.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>
${linkSection(shard, at)}</div>
${cell === undefined ? '' : verdictSection(cell, at.now)}
${shadowOfShard(shard, cell, at.now)}`;
}

function linkSection(shard: ConsoleShard, { state: { links } }: RenderContext): Markup {
  if (links.length === 0) return '';
  const items = links.map((link) => html`<li><a href="${linkTo(link, shard)}" rel="noreferrer">${link.name}</a></li>`);
  return html`<section aria-labelledby="links"><h2 id="links">Links</h2><ul>${items}</ul></section>`;
}

/** The line that says which image it should run. */
function originOf(shard: ConsoleShard, data: ShardsData, at: RenderContext): Markup {
  const pin = data.pins.find((one) => isOf(one, shard));
  if (pin !== undefined) return pinOrigin(pin, data, at);
  const declared = data.versions.find(
    ({ upstream, environment, version }) =>
      upstream === shard.upstream && environment === shard.environment && version?.split('@')[0] === shard.expectedTag,
  );
  if (declared?.file === undefined) return '';
  const { file, line, promoted } = declared;
  const by =
    promoted === undefined
      ? ''
      : html`, promoted ${timeWithAge(instantOf(promoted.at.getTime()), at.now)} by ${promoted.author}`;
  return html`${sourceLink(data.sources, { file, ...(line === undefined ? {} : { line }) })}${by}`;
}

function pinOrigin({ pin, since }: ConsolePin, { sources }: ShardsData, { now }: RenderContext): Html {
  const { file, line, reason } = pin;
  const age = since === undefined ? '' : html` since ${timeWithAge(instantOf(since.getTime()), now)}`;
  return html`a pin in ${sourceLink(sources, { file, ...(line === undefined ? {} : { line }) })}${age}: ${reason ?? 'no reason given'}`;
}

/** A pin of a divided shard is one of all its parts. */
function isOf(
  { pin }: ConsolePin,
  { integration, shard = '', cluster, namespace, expectedTag }: ConsoleShard,
): boolean {
  const isThere = pin.integration === integration && pin.cluster === cluster && pin.namespace === namespace;
  const isImage = expectedTag !== undefined && pin.imageRef.split('@')[0] === expectedTag;
  return isThere && (pin.shard === shard || (isImage && shard.startsWith(`${pin.shard}-`)));
}

/** Values for the placeholders of a link. */
interface LinkedShard {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly integration?: string;
  readonly shard?: string;
  readonly liveTag?: string;
}

const PLACEHOLDER = /\$(cluster|namespace|integration|shard|name|image)\b/g;

/** `NAME=URL`; throws FLAG_INVALID. */
export function parseShardLink(text: string): ShardLink {
  const [name, url] = parseAssignment(text, '--link', 'NAME=URL');
  if (/^https?:\/\/[^/$]/.test(url) && URL.canParse(url)) return { name, url };
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--link ${name}: ${url === '' ? 'no URL' : `${url} is not a URL`}`,
    hint: "use an http or https URL, such as --link 'Logs=https://logs.example.com/?namespace=$namespace&pod=$name'",
  });
}

/** Values are encoded, so that a name cannot change the rest of the address. */
export function linkTo({ url }: ShardLink, shard: LinkedShard): string {
  const values: Readonly<Record<string, string>> = {
    ...{ cluster: shard.cluster, namespace: shard.namespace, name: shard.name },
    ...{ integration: shard.integration ?? '', shard: shard.shard ?? '', image: shard.liveTag ?? '' },
  };
  return url.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}
