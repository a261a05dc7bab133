import { instantOf } from '../../gates/index.ts';
import { type ConsoleResponse, json, type Moment, page } from '../answers.ts';
import { boardShardJson, halfJson, jsonDocument, shardJson } from '../documents.ts';
import { type Html, html, type Markup } from '../html.ts';
import { badge, staleBox, withoutData } from '../parts.ts';
import { pathParts } from '../paths.ts';
import { cellOfShard, verdictSection } from '../rollouts/one-verdict.ts';
import { shadowOfShard } from '../rollouts/shadow-section.ts';
import { sourceLink } from '../source-link.ts';
import type { ConsolePin, ConsoleShard, ShardsData } from '../state.ts';
import { timeWithAge } from '../times.ts';
import { linkTo } from './shard-links.ts';
import { integrationOf, readyText, SHARDS_PATH, shardPath, shardTone } from './shards.ts';

/** A shard by cluster, namespace and the name of its workload. Undefined when unknown. */
export function oneShard(path: string, isJson: boolean, at: Moment): ConsoleResponse | undefined {
  const [cluster, namespace, name, ...rest] = pathParts(path, SHARDS_PATH) ?? [];
  if (cluster === undefined || namespace === undefined || name === undefined || rest.length > 0) return undefined;
  const { shards } = at.state;
  if (shards.kind !== 'known') {
    const body = html`<h1>${name}</h1>${withoutData(shards)}`;
    return isJson ? undefined : page(shards.kind === 'waiting' ? 200 : 503, name, { view: 'shards', body }, at);
  }
  const shard = shards.data.shards.find(
    (one) => one.cluster === cluster && one.namespace === namespace && one.name === name,
  );
  if (shard === undefined) return undefined;
  if (isJson) return json(jsonDocument('ConsoleShard', { data: halfJson(shards), ...documentOf(shard, shards.data) }));
  const body = html`${staleBox(shards)}${shardPage(shard, shards.data, at)}`;
  return page(200, name, { view: 'shards', json: `${shardPath(shard)}.json`, body }, at);
}

function documentOf(shard: ConsoleShard, { rollouts }: ShardsData): object {
  const cell = cellOfShard(rollouts, shard);
  return { shard: shardJson(shard), ...(cell === undefined ? {} : { rollout: boardShardJson(cell) }) };
}

function shardPage(shard: ConsoleShard, data: ShardsData, at: Moment): Html {
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
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${SHARDS_PATH}">Shards</a> <span aria-hidden="true">/</span> <a href="${SHARDS_PATH}?${new URLSearchParams({ integration }).toString()}">${integration}</a></nav>
<h1>${shard.shard ?? shard.name} <span class="version">${shard.liveTag ?? ''}</span></h1>
<p class="lead">${badge(shardTone(shard.state), shard.state)} <span>${shard.reason ?? ''}</span></p>
<div class="columns"><section aria-labelledby="image"><h2 id="image">Image</h2><dl>${given.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>
${linkSection(shard, at)}</div>
${cell === undefined ? '' : verdictSection(cell, at.now)}
${shadowOfShard(shard, cell, at.now)}`;
}

function linkSection(shard: ConsoleShard, { state: { links } }: Moment): Markup {
  if (links.length === 0) return '';
  const items = links.map((link) => html`<li><a href="${linkTo(link, shard)}" rel="noreferrer">${link.name}</a></li>`);
  return html`<section aria-labelledby="links"><h2 id="links">Links</h2><ul>${items}</ul></section>`;
}

/** The line that says which image it should run. */
function originOf(shard: ConsoleShard, data: ShardsData, at: Moment): Markup {
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

function pinOrigin({ pin, since }: ConsolePin, { sources }: ShardsData, { now }: Moment): Html {
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
