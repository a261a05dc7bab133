import { count } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { BoardShard, BoardShardState, BoardTrack, BoardWave, RolloutBoard } from '../../rollouts/index.ts';
import { type Html, html, type Markup } from '../html.ts';
import { countLine, filterForm, pageOf, pager } from '../list-parts.ts';
import { badge } from '../parts.ts';
import { filteredHref, type Query, valuesIn } from '../query.ts';
import { openingTime, timeWithAge, withTimes } from '../times.ts';
import {
  type CellGroup,
  cellsByState,
  foundTracks,
  groupHref,
  onlyGroup,
  ROLLOUTS_PATH,
  SHARD_TONES,
  TRACK_TONES,
  trackHref,
  verdictPath,
  WAVE_TONES,
  waveName,
} from './board-rows.ts';

/** Tracks on one page, and how much of each: of many an impression, of one enough to act on. */
const PAGE_TRACKS = 10;
const FEW: Most = { cells: 10, alerts: 10 };
const MANY: Most = { cells: 40, alerts: 100 };
/** Shards of one wave and state on one page. */
const PAGE_CELLS = 400;
const MOST_HALTS = 10;

interface Most {
  readonly cells: number;
  readonly alerts: number;
}

export function rolloutsPage(board: RolloutBoard, query: Query, now: Instant): Html {
  const found = foundTracks(board, query);
  const group = query.filters.has('cell') ? onlyGroup(found) : undefined;
  const paged = pageOf(ROLLOUTS_PATH, group === undefined ? query : { ...query, page: 1 }, found, PAGE_TRACKS);
  const { tracks, orphans } = board;
  return html`<h1>Rollouts</h1>
${haltBoxes(tracks, now)}
${filterForm(paged, [
  { name: 'env', title: 'Environment', values: valuesIn(tracks, ({ environment }) => [environment]) },
  { name: 'track', title: 'Track', values: valuesIn(tracks, ({ track }) => [track]) },
  { name: 'state', title: 'State', values: valuesIn(tracks, ({ state }) => [state]) },
])}
${countLine(paged.found, count(tracks.length, 'track'))}
${
  group === undefined
    ? html`${pager(paged)}${paged.rows.map((track, index) => trackSection(track, index, now, found.length > 1 ? FEW : MANY))}`
    : groupSection(group, query)
}
${found.length > 0 ? '' : html`<p class="none">No track matches. <a href="${ROLLOUTS_PATH}">Show all</a></p>`}
${group === undefined ? pager(paged, 'Pages, below') : ''}
${orphans.length === 0 ? '' : orphanSection(orphans)}`;
}

/** All shards of a wave that are in one state, page by page. */
function groupSection({ track, wave, state, shards }: CellGroup, query: Query): Html {
  const paged = pageOf(ROLLOUTS_PATH, query, shards, PAGE_CELLS);
  return html`<section class="track" aria-labelledby="group"><h2 id="group"><a href="${trackHref(track)}">${track.track}</a> <small>${track.environment}</small>, ${waveName(wave)}: ${shards.length} ${state}</h2>
${pager(paged)}${cellList(state, paged.rows)}${pager(paged, 'Pages, below')}</section>`;
}

/** Where no image moves in waves, or it cannot be decided which. */
export function noRollouts(): Html {
  return html`<h1>Rollouts</h1><div class="notice"><p><strong>No track is known.</strong></p><p>Declare tracks in <code>resources/echelon/rollouts.yml</code>, or pass <code>--rollouts FILE</code>; see docs/guide/rollouts.md.</p></div>`;
}

/** What stops a track comes before everything else, whatever the filters. */
function haltBoxes(tracks: readonly BoardTrack[], now: Instant): Markup {
  const halts = tracks.flatMap((track) =>
    track.alerts.filter(({ kind }) => kind === 'halted').map((alert) => ({ track, ...alert })),
  );
  const boxes = halts
    .slice(0, MOST_HALTS)
    .map(
      ({ track, shard, reason, at }) =>
        html`<div class="notice bad" role="alert"><p><strong><a href="${trackHref(track)}">${track.environment}/${track.track}</a> is halted</strong> on ${track.version}${at === undefined ? '' : html` since ${timeWithAge(at, now)}`}</p><p><a href="${verdictPath({ environment: track.environment, id: shard })}">${shard}</a>: ${reason}</p><p>Promote a fixed image, or lift the failure: <code>echelon rollout resume ${track.track} --image ${track.version} --reason WHY</code></p></div>`,
    );
  const rest = halts.length - boxes.length;
  return html`${boxes}${rest > 0 ? html`<p class="hint"><a href="${filteredHref(ROLLOUTS_PATH, 'state', 'halted')}">${rest} more that are halted</a></p>` : ''}`;
}

function trackSection(track: BoardTrack, index: number, now: Instant, most: Most): Html {
  const { environment, version, state, since, alerts, waves } = track;
  const others = alerts.filter(({ kind }) => kind !== 'halted');
  const rest = others.length - most.alerts;
  const items = others
    .slice(0, most.alerts)
    .map(
      ({ kind, shard, reason }) =>
        html`<li class="warning"><strong><a href="${verdictPath({ environment, id: shard })}">${shard}</a></strong> <span class="kind">${kind}</span> ${reason}</li>`,
    );
  return html`<section class="track" aria-labelledby="track-${index}"><h2 id="track-${index}"><a href="${trackHref(track)}">${track.track}</a> <small>${environment}</small></h2>
<p class="lead">${badge(TRACK_TONES[state], state)} <span>target <code>${version}</code>${since === undefined ? '' : html`, declared ${timeWithAge(since, now)}`}</span></p>
${items.length === 0 ? '' : html`<ul class="problems">${items}</ul>`}${rest > 0 ? html`<p class="hint"><a href="${trackHref(track)}">${rest} more</a></p>` : ''}
<ol class="waves" aria-label="Waves of ${track.track}">${waves.map((wave) => waveColumn(track, wave, now, most))}</ol></section>
`;
}

function waveColumn(track: BoardTrack, wave: BoardWave, now: Instant, most: Most): Html {
  const { state, counting, onTarget, soaked, soak, reason, opening } = wave;
  return html`<li class="wave"><h3>${waveName(wave)} ${badge(WAVE_TONES[state], state)}</h3>
<p>${onTarget} of ${counting} on the target${soak === undefined ? '' : `, ${soaked} soaked ${soak}`}</p>
${reason === undefined ? '' : html`<p class="hint">${reason}</p>`}${opening === undefined ? '' : html`<p class="hint">Opens ${openingTime(opening, now)} at the earliest</p>`}
${cellsByState(wave).map(([of, shards]) => cells({ track, wave, state: of, shards }, most))}</li>`;
}

/** The first shards of a state; all of them have a page. */
function cells(group: CellGroup, most: Most): Html {
  const { state, shards } = group;
  const rest = shards.length - most.cells;
  return html`<p class="cells-title">${shards.length} ${state}</p>${cellList(state, shards.slice(0, most.cells))}${rest > 0 ? html`<p class="cells-title"><a href="${groupHref(group)}">${rest} more ${state}</a></p>` : ''}`;
}

function cellList(state: BoardShardState, shards: readonly BoardShard[]): Html {
  return html`<ul class="cells">${shards.map((shard) => html`<li><a href="${verdictPath(shard)}" title="${withTimes(shard.reason)}">${badge(SHARD_TONES[state], shard.id)}</a></li>`)}</ul>`;
}

function orphanSection(orphans: readonly BoardShard[]): Html {
  const items = orphans.map(
    (shard) =>
      html`<li class="warning"><strong><a href="${verdictPath(shard)}">${shard.id}</a></strong> <span class="kind">${shard.environment}</span> ${shard.reason}</li>`,
  );
  return html`<section aria-labelledby="orphans"><h2 id="orphans">Held without a track</h2><ul class="problems">${items}</ul></section>`;
}
