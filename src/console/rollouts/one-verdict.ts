import type { Instant } from '../../gates/index.ts';
import type { BoardShard, BoardTrack, RolloutBoard } from '../../rollouts/index.ts';
import { type ConsoleResponse, json, type Moment, page } from '../answers.ts';
import { boardShardJson, halfJson, jsonDocument } from '../documents.ts';
import { gateTable } from '../gate-table.ts';
import { type Html, html, type Markup } from '../html.ts';
import { badge, staleBox, withoutData } from '../parts.ts';
import { pathParts } from '../paths.ts';
import type { ConsoleShard } from '../state.ts';
import { openingTime } from '../times.ts';
import { ROLLOUTS_PATH, SHARD_TONES, trackHref, verdictPath } from './board-rows.ts';
import { shadowSection } from './shadow-section.ts';

/** Why a shard of a track runs what it runs. Undefined when unknown. */
export function oneVerdict(path: string, isJson: boolean, at: Moment): ConsoleResponse | undefined {
  const [environment, id, ...rest] = pathParts(path, ROLLOUTS_PATH) ?? [];
  if (environment === undefined || id === undefined || rest.length > 0) return undefined;
  const { shards } = at.state;
  if (shards.kind !== 'known') {
    const body = html`<h1>${id}</h1>${withoutData(shards)}`;
    return isJson ? undefined : page(shards.kind === 'waiting' ? 200 : 503, id, { view: 'rollouts', body }, at);
  }
  const found = shards.data.rollouts && foundShard(shards.data.rollouts, environment, id);
  if (found === undefined) return undefined;
  if (isJson)
    return json(jsonDocument('ConsoleRolloutShard', { data: halfJson(shards), shard: boardShardJson(found.shard) }));
  const body = html`${staleBox(shards)}${verdictPage(found, at)}`;
  return page(200, id, { view: 'rollouts', json: `${verdictPath(found.shard)}.json`, body }, at);
}

interface Found {
  readonly shard: BoardShard;
  readonly track?: BoardTrack;
}

function foundShard({ tracks, orphans }: RolloutBoard, environment: string, id: string): Found | undefined {
  for (const track of tracks) {
    if (track.environment !== environment) continue;
    for (const { shards } of track.waves) {
      const shard = shards.find((one) => one.id === id);
      if (shard !== undefined) return { shard, track };
    }
  }
  const shard = orphans.find((one) => one.environment === environment && one.id === id);
  return shard === undefined ? undefined : { shard };
}

/** The cell of a shard in its track; undefined when it is in none. */
export function cellOfShard(
  board: RolloutBoard | undefined,
  { environment, integration, shard, cluster, namespace }: ConsoleShard,
): BoardShard | undefined {
  if (board === undefined || environment === undefined) return undefined;
  const id = `${integration}/${shard}`;
  return (foundShard(board, environment, id) ?? foundShard(board, environment, `${id}@${cluster}/${namespace}`))?.shard;
}

/** Where a shard is in its rollout, and what keeps it. */
export function verdictSection(shard: BoardShard, now: Instant): Html {
  const { state, reason, track, wave, gates, id } = shard;
  const where = track === undefined ? '' : `track ${track}${wave === undefined ? '' : `, wave ${wave}`}: `;
  return html`<section aria-labelledby="rollout"><h2 id="rollout">Rollout</h2>
<p class="lead"><a href="${verdictPath(shard)}">${badge(SHARD_TONES[state], state)}</a> <span>${where}${reason}</span></p>
${gates === undefined ? '' : gateTable(gates.map(gateRow), `Gates for ${id}`, now)}</section>`;
}

function verdictPage({ shard, track }: Found, { now }: Moment): Html {
  const { id, state, reason, version, opening, gates, shadow } = shard;
  return html`<nav class="crumbs" aria-label="Breadcrumb"><a href="${ROLLOUTS_PATH}">Rollouts</a>${track === undefined ? '' : html` <span aria-hidden="true">/</span> <a href="${trackHref(track)}">${track.environment}/${track.track}</a>`}</nav>
<h1>${id} ${version === undefined ? '' : html`<span class="version">${version}</span>`}</h1>
<p class="lead">${badge(SHARD_TONES[state], state)} <span>${reason}</span></p>
<div class="columns"><section aria-labelledby="facts"><h2 id="facts">Rollout</h2><dl>${facts({ shard, ...(track && { track }) }).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
${opening === undefined ? '' : html`<div><dt>Can move</dt><dd>${openingTime(opening, now)} at the earliest</dd></div>`}</dl></section></div>
${gates === undefined ? '' : html`<section aria-labelledby="verdicts"><h2 id="verdicts">Verdicts</h2>${gateTable(gates.map(gateRow), `Gates for ${id}`, now)}</section>`}
${shadow === undefined ? '' : shadowSection(shadow, now)}`;
}

function facts({ shard, track }: Found): (readonly [string, Markup])[] {
  const all: readonly (readonly [string, Markup])[] = [
    ['Track', track?.track],
    ['Environment', shard.environment],
    ['Wave', shard.wave],
    ['Target', track === undefined ? undefined : html`<code>${track.target}</code>`],
    ['State', track?.state],
  ];
  return all.filter(([, value]) => value !== undefined);
}

function gateRow({ gate, ok, reason, fault, opening }: NonNullable<BoardShard['gates']>[number]) {
  const state = ok ? 'pass' : fault === undefined ? 'wait' : 'broken';
  return { gate, reason, state, ...(opening === undefined ? {} : { opens: opening }) } as const;
}
