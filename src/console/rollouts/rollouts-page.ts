import { count } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { BoardShard, BoardShardState, BoardTrack, BoardWave, RolloutBoard } from '../../rollouts/index.ts';
import { type Html, html, type Markup } from '../html.ts';
import { filterForm, type Sortable } from '../list-parts.ts';
import { badge } from '../parts.ts';
import { type Query, valuesIn } from '../query.ts';
import { openingTime, timeWithAge, withTimes } from '../times.ts';
import {
  cellsByState,
  foundTracks,
  ROLLOUTS_PATH,
  SHARD_TONES,
  TRACK_TONES,
  trackHref,
  verdictPath,
  WAVE_TONES,
} from './board-rows.ts';

/** More shards of a wave in one state than this are folded. */
const MOST_CELLS = 40;

export function rolloutsPage(board: RolloutBoard, query: Query, now: Instant): Html {
  const at: Sortable = { path: ROLLOUTS_PATH, query };
  const found = foundTracks(board, query);
  const { tracks, orphans } = board;
  return html`<h1>Rollouts</h1>
${tracks.flatMap((track) => haltBoxes(track, now))}
${filterForm(at, [
  { name: 'env', title: 'Environment', values: valuesIn(tracks, ({ environment }) => [environment]) },
  { name: 'track', title: 'Track', values: valuesIn(tracks, ({ track }) => [track]) },
  { name: 'state', title: 'State', values: valuesIn(tracks, ({ state }) => [state]) },
])}
<p class="count" role="status"><span data-count>${found.length}</span> of ${count(tracks.length, 'track')}</p>
${found.map((track, index) => trackSection(track, index, now))}
${found.length > 0 ? '' : html`<p class="none">No track matches. <a href="${ROLLOUTS_PATH}">Show all</a></p>`}
${orphans.length === 0 ? '' : orphanSection(orphans)}`;
}

/** Where no image moves in waves, or it cannot be decided which. */
export function noRollouts(): Html {
  return html`<h1>Rollouts</h1><div class="notice"><p><strong>No track is known.</strong></p><p>Declare tracks in <code>resources/echelon/rollouts.yml</code>, or pass <code>--rollouts FILE</code>; see docs/guide/rollouts.md.</p></div>`;
}

/** What stops a track comes before everything else, whatever the filters. */
function haltBoxes({ alerts, ...track }: BoardTrack, now: Instant): Html[] {
  return alerts
    .filter(({ kind }) => kind === 'halted')
    .map(
      ({ shard, reason, at }) =>
        html`<div class="notice bad" role="alert"><p><strong><a href="${trackHref(track)}">${track.environment}/${track.track}</a> is halted</strong> on ${track.version}${at === undefined ? '' : html` since ${timeWithAge(at, now)}`}</p><p><a href="${verdictPath({ environment: track.environment, id: shard })}">${shard}</a>: ${reason}</p><p>Promote a fixed image, or lift the failure: <code>echelon rollout resume ${track.track} --image ${track.version} --reason WHY</code></p></div>`,
    );
}

function trackSection(track: BoardTrack, index: number, now: Instant): Html {
  const { environment, version, state, since, alerts, waves } = track;
  const others = alerts.filter(({ kind }) => kind !== 'halted');
  return html`<section class="track" aria-labelledby="track-${index}"><h2 id="track-${index}"><a href="${trackHref(track)}">${track.track}</a> <small>${environment}</small></h2>
<p class="lead">${badge(TRACK_TONES[state], state)} <span>target <code>${version}</code>${since === undefined ? '' : html`, declared ${timeWithAge(since, now)}`}</span></p>
${others.length === 0 ? '' : html`<ul class="problems">${others.map(({ kind, shard, reason }) => html`<li class="warning"><strong><a href="${verdictPath({ environment, id: shard })}">${shard}</a></strong> <span class="kind">${kind}</span> ${reason}</li>`)}</ul>`}
<ol class="waves" aria-label="Waves of ${track.track}">${waves.map((wave) => waveColumn(wave, now))}</ol></section>
`;
}

function waveColumn(wave: BoardWave, now: Instant): Html {
  const { name = 'no wave', state, counting, onTarget, soaked, soak, reason, opening } = wave;
  return html`<li class="wave"><h3>${name} ${badge(WAVE_TONES[state], state)}</h3>
<p>${onTarget} of ${counting} on the target${soak === undefined ? '' : `, ${soaked} soaked ${soak}`}</p>
${reason === undefined ? '' : html`<p class="hint">${withTimes(reason)}</p>`}${opening === undefined ? '' : html`<p class="hint">Opens ${openingTime(opening, now)} at the earliest</p>`}
${cellsByState(wave).map(([of, shards]) => cells(of, shards))}</li>`;
}

function cells(state: BoardShardState, shards: readonly BoardShard[]): Markup {
  const list = html`<ul class="cells">${shards.map((shard) => html`<li><a href="${verdictPath(shard)}" title="${withTimes(shard.reason)}">${badge(SHARD_TONES[state], shard.id)}</a></li>`)}</ul>`;
  const title = `${shards.length} ${state}`;
  if (shards.length > MOST_CELLS) return html`<details><summary>${title}</summary>${list}</details>`;
  return html`<p class="cells-title">${title}</p>${list}`;
}

function orphanSection(orphans: readonly BoardShard[]): Html {
  const items = orphans.map(
    (shard) =>
      html`<li class="warning"><strong><a href="${verdictPath(shard)}">${shard.id}</a></strong> <span class="kind">${shard.environment}</span> ${shard.reason}</li>`,
  );
  return html`<section aria-labelledby="orphans"><h2 id="orphans">Held without a track</h2><ul class="problems">${items}</ul></section>`;
}
