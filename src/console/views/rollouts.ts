import { byText, count, defined, shellText } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type {
  BoardShard,
  BoardShardState,
  BoardTrack,
  BoardWave,
  RolloutBoard,
  ShadowRecord,
} from '../../rollouts/index.ts';
import { type Html, html, type Markup, openingTime, timeWithAge, withTimes } from '../html.ts';
import {
  type Columns,
  countLine,
  filteredHref,
  filterForm,
  foundRows,
  matches,
  pageOf,
  pager,
  type Query,
  valuesIn,
} from '../list.ts';
import { dated, type RenderContext, SHARDS, type View } from '../page.ts';
import { badge, gateTable, type Tone, unseenShards } from '../parts.ts';
import type { ConsoleShard, ShardsView } from '../state.ts';

export const ROLLOUTS_PATH = '/rollouts';

export const rollouts: View<ShardsView> = {
  path: ROLLOUTS_PATH,
  title: 'Rollouts',
  entry: 'Rollouts',
  filters: ['env', 'track', 'state', 'wave', 'cell'],
  half: SHARDS,
  page: (data, query, { now }) =>
    html`${unseenShards(data)}${data.rollouts === undefined ? noRollouts() : rolloutsPage(data.rollouts, query, now)}`,
  json: {
    path: '/rollouts.json',
    kind: 'ConsoleRolloutList',
    body: (data, query) => ({
      items: data?.rollouts === undefined ? [] : foundTracks(data.rollouts, query).map(boardTrackJson),
    }),
  },
  one: {
    kind: 'ConsoleRolloutShard',
    parts: 2,
    find: ([environment = '', id = ''], data, at) => {
      const found = data.rollouts && foundShard(data.rollouts, environment, id);
      if (found === undefined) return undefined;
      return {
        ...{ title: id, path: verdictPath(found.shard) },
        body: () => verdictPage(found, at),
        json: () => ({ shard: boardShardJson(found.shard) }),
      };
    },
  },
};

const TRACK_TONES: Readonly<Record<BoardTrack['state'], Tone>> = {
  halted: 'bad',
  rejected: 'bad',
  paused: 'wait',
  'under-way': 'wait',
  complete: 'good',
};

const WAVE_TONES: Readonly<Record<BoardWave['state'], Tone>> = { passed: 'good', open: 'wait', closed: 'idle' };

/** In the order of the cells: what needs a look comes first. */
const SHARD_TONES: Readonly<Record<BoardShardState, Tone>> = {
  failed: 'bad',
  unknown: 'bad',
  returning: 'bad',
  moving: 'wait',
  soaking: 'wait',
  held: 'idle',
  uncounted: 'idle',
  soaked: 'good',
};

const TRACK_COLUMNS: Columns<BoardTrack> = {
  filters: {
    env: ({ environment }) => [environment],
    track: ({ track }) => [track],
    state: ({ state }) => [state],
  },
  text: ({ track, environment, version }) => `${track} ${environment} ${version}`,
  sorts: {
    track: (a, b) => byText(a.track, b.track) || byText(a.environment, b.environment),
  },
};

/** Name of the column of shards that no wave selects. */
const NO_WAVE = 'no wave';

function waveName({ name = NO_WAVE }: Pick<BoardWave, 'name'>): string {
  return name;
}

/** Tracks that pass the filters. A wave, a state of shards and words of the search leave the shards that have them. */
function foundTracks({ tracks }: RolloutBoard, query: Query): BoardTrack[] {
  const waves = query.filters.get('wave');
  const cells = query.filters.get('cell');
  return foundRows(tracks, { ...query, q: '' }, TRACK_COLUMNS).flatMap((track) => {
    const q = query.q === '' || matches(TRACK_COLUMNS.text(track), query.q) ? '' : query.q;
    if (q === '' && waves === undefined && cells === undefined) return [track];
    const left = track.waves
      .filter((wave) => waves?.includes(waveName(wave)) ?? true)
      .map((wave) => ({
        ...wave,
        shards: wave.shards.filter((one) => (cells?.includes(one.state) ?? true) && (q === '' || isFound(one, q))),
      }));
    return left.some(({ shards }) => shards.length > 0) ? [{ ...track, waves: left }] : [];
  });
}

function isFound({ id, state, version, reason }: BoardShard, q: string): boolean {
  return matches(`${id} ${state} ${version ?? ''} ${reason}`, q);
}

/** The shards of a wave that are in one state. */
interface CellGroup {
  readonly track: BoardTrack;
  readonly wave: BoardWave;
  readonly state: BoardShardState;
  readonly shards: readonly BoardShard[];
}

/** The only shards that were found, if they are of one wave and state: they have pages. */
function onlyGroup(tracks: readonly BoardTrack[]): CellGroup | undefined {
  const [track, ...others] = tracks;
  const waves = track?.waves.filter(({ shards }) => shards.length > 0) ?? [];
  const [wave] = waves;
  if (track === undefined || wave === undefined || others.length > 0 || waves.length > 1) return undefined;
  const groups = cellsByState(wave);
  const [state, shards] = groups[0] ?? [];
  return groups.length !== 1 || state === undefined || shards === undefined
    ? undefined
    : { track, wave, state, shards };
}

/** The URL of all shards of a wave that are in one state. */
function groupHref({ track, wave, state }: Omit<CellGroup, 'shards'>): string {
  return `${trackHref(track)}&${new URLSearchParams({ wave: waveName(wave), cell: state })}`;
}

/** The permanent URL of a shard's verdict. */
export function verdictPath({ environment, id }: Pick<BoardShard, 'environment' | 'id'>): string {
  return `${ROLLOUTS_PATH}/${encodeURIComponent(environment)}/${encodeURIComponent(id)}`;
}

export function trackHref({ environment, track }: Pick<BoardTrack, 'environment' | 'track'>): string {
  return `${ROLLOUTS_PATH}?${new URLSearchParams({ env: environment, track })}`;
}

/** Cells by state, in the order of `SHARD_TONES`. */
function cellsByState({ shards }: Pick<BoardWave, 'shards'>): (readonly [BoardShardState, readonly BoardShard[]])[] {
  const groups = Map.groupBy(shards, ({ state }) => state);
  return (Object.keys(SHARD_TONES) as BoardShardState[]).flatMap((state) => {
    const own = groups.get(state);
    return own === undefined ? [] : [[state, own] as const];
  });
}

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

function rolloutsPage(board: RolloutBoard, query: Query, now: Instant): Html {
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

/** The page without tracks, or when rollouts cannot be decided. */
function noRollouts(): Html {
  return html`<h1>Rollouts</h1><div class="notice"><p><strong>No track is known.</strong></p><p>Declare tracks in <code>resources/echelon/rollouts.yml</code>, or pass <code>--rollouts FILE</code>; see docs/guide/rollouts.md.</p></div>`;
}

/** Halted tracks, shown first whatever the filters. */
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

/** The state of a shard in its rollout, and the gates that hold it. */
export function verdictSection(shard: BoardShard, now: Instant): Html {
  const { state, reason, track, wave, gates, id } = shard;
  const where = track === undefined ? '' : `track ${track}${wave === undefined ? '' : `, wave ${wave}`}: `;
  return html`<section aria-labelledby="rollout"><h2 id="rollout">Rollout</h2>
<p class="lead"><a href="${verdictPath(shard)}">${badge(SHARD_TONES[state], state)}</a> <span>${where}${reason}</span></p>
${gates === undefined ? '' : gateTable(gates.map(gateRow), `Gates for ${id}`, now)}</section>`;
}

function verdictPage({ shard, track }: Found, { now }: RenderContext): Html {
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

const TONES: Readonly<Record<ShadowRecord['result'], Tone>> = { same: 'good', different: 'bad', inconclusive: 'wait' };

/** Differences between the dry runs on both images, line by line. */
function shadowSection(shadow: ShadowRecord, now: Instant): Html {
  const lines = shadow.text === undefined ? [] : shadow.text.split('\n');
  return html`<section aria-labelledby="shadow"><h2 id="shadow">Shadow</h2>
<p>${summary(shadow, now)}${shadow.digest === undefined ? '' : html` <code>${shadow.digest}</code>`}</p>
${lines.length === 0 ? '' : html`<ul>${lines.map((line) => html`<li><code>${line}</code></li>`)}</ul>`}</section>`;
}

/** The last comparison that concerns a shard with a link to what differs, or how to make one. */
export function shadowOfShard(shard: ConsoleShard, cell: BoardShard | undefined, now: Instant): Markup {
  if (shard.integration === undefined || shard.shard === undefined) return '';
  const { shadow, shadowOf } = cell ?? {};
  const link =
    cell === undefined
      ? ''
      : html`<a href="${verdictPath({ ...cell, id: shadowOf ?? cell.id })}#shadow">What the dry runs reported</a>`;
  const other = shadowOf === undefined ? '' : `The comparison of ${shadowOf} holds it: `;
  const found =
    shadow === undefined
      ? html`<p>No comparison of images is recorded. To make one: <code>${commandFor(shard)}</code></p>`
      : html`<p>${other}${summary(shadow, now)}. ${link}</p>`;
  return html`<section aria-labelledby="shadow"><h2 id="shadow">Shadow</h2>
${found}</section>`;
}

function summary({ image, baseline, at, triedAt, result, differences }: ShadowRecord, now: Instant): Html {
  const again = triedAt === undefined ? '' : html`; tried again ${timeWithAge(triedAt, now)} without a result`;
  return html`${badge(TONES[result], result)} ${timeWithAge(at, now)}: dry runs on <code>${image}</code> against <code>${baseline}</code>${differences === 0 ? '' : `, ${count(differences, 'action')}`}${again}`;
}

function commandFor({ integration = '', shard = '', environment, expectedTag, liveTag }: ConsoleShard): string {
  const candidate = expectedTag === undefined || expectedTag === liveTag ? 'IMAGE' : expectedTag;
  const where = environment === undefined ? [] : ['-e', environment];
  return shellText(['echelon', 'shadow', integration, '--shard', shard, ...where, '--candidate', candidate]);
}

function boardTrackJson({ since, alerts, waves, stoppedBy, ...track }: BoardTrack): object {
  return {
    ...track,
    ...(stoppedBy === undefined
      ? {}
      : { stoppedBy: { reason: stoppedBy.reason, ...dated('at', stoppedBy.at), ...dated('until', stoppedBy.until) } }),
    ...dated('since', since),
    alerts: alerts.map(({ at, ...alert }) => ({ ...alert, ...dated('at', at) })),
    waves: waves.map((wave) => ({ ...wave, shards: wave.shards.map(boardShardJson) })),
  };
}

export function boardShardJson({ gates, shadow, ...shard }: BoardShard): object {
  return {
    ...shard,
    ...(shadow === undefined ? {} : { shadow: shadowJson(shadow) }),
    ...defined({ gates: gates?.map(({ until, ...gate }) => ({ ...gate, ...dated('until', until) })) }),
  };
}

function shadowJson({ at, triedAt, ...shadow }: NonNullable<BoardShard['shadow']>): object {
  return { ...shadow, ...dated('at', at), ...dated('triedAt', triedAt) };
}
