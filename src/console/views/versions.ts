import { byText, count, shortDigests } from '../../base/index.ts';
import { type Instant, instantOf, relativeText } from '../../gates/index.ts';
import type { ListedVersion } from '../../promotion/index.ts';
import { type Html, html, type Markup, timeWithAge } from '../html.ts';
import { SHARDS, type View } from '../page.ts';
import { sourceLink, unseenShards } from '../parts.ts';
import type { ConsolePin, ConsoleShard, ShardsData, ShardsView } from '../state.ts';

export const versions: View<ShardsView> = {
  path: '/versions',
  title: 'Versions',
  entry: 'Versions',
  half: SHARDS,
  page: (data, _, { now }) => html`${unseenShards(data)}${versionsPage(data, now)}`,
  json: {
    path: '/versions.json',
    kind: 'ConsoleVersionList',
    body: (data) => ({ items: data === undefined ? [] : versionRows(data) }),
  },
};

function versionsPage(data: ShardsData, now: Instant): Html {
  const upstreams = Map.groupBy(versionRows(data), ({ upstream }) => upstream);
  return html`<h1>Versions</h1>
${[...upstreams].map(([upstream, rows], index) => upstreamSection(upstream, rows, { index, data, now }))}`;
}

interface Context {
  readonly index: number;
  readonly data: ShardsData;
  readonly now: Instant;
}

function upstreamSection(upstream: string, rows: readonly VersionRow[], context: Context): Html {
  const id = `upstream-${context.index}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${upstream === '' ? 'No upstream' : upstream}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Versions of ${upstream}"><table class="rows"><caption class="unseen">Declared and running versions by environment</caption>
<thead><tr><th scope="col">Environment</th><th scope="col">Declares</th><th scope="col">Runs</th><th scope="col">Promoted</th><th scope="col">Pins</th></tr></thead>
<tbody>${rows.map((row) => environmentRow(row, context))}</tbody></table></div></section>`;
}

function environmentRow(row: VersionRow, { data, now }: Context): Html {
  const { environment, declared, runs, pins } = row;
  const href = `/shards?${new URLSearchParams({ env: environment })}`;
  return html`<tr><th scope="row"><a href="${href}">${environment}</a> <small>${count(row.shards, 'shard')}</small></th>
<td>${declared.map((one) => declaredCell(one, data))}</td><td>${runs.map((one) => runsCell(one, environment))}</td>
<td>${declared.map((one) => promotedCell(one, now))}</td><td>${pins.map((pin) => pinCell(pin, data, now))}</td></tr>
`;
}

function declaredCell(one: ListedVersion, { sources }: ShardsData): Html {
  const { version, file, line, compareUrl } = one;
  const apart = apartText(one);
  const compared = compareUrl === undefined ? apart : html`<a href="${compareUrl}" rel="noreferrer">${apart}</a>`;
  return html`<div><span class="num" title="${version ?? ''}">${shortDigests(version ?? 'no known version')}</span> <small>${count(one.integrations, 'integration')}</small>${apart === '' ? '' : html` <small>${compared}</small>`}${file === undefined ? '' : html` <small>${sourceLink(sources, { file, ...(line === undefined ? {} : { line }) })}</small>`}</div>`;
}

function runsCell({ version, shards }: VersionRow['runs'][number], environment: string): Html {
  const text = html`${count(shards, 'shard')}`;
  if (version === undefined) return html`<div>unknown or nothing <small>${text}</small></div>`;
  const href = `/shards?${new URLSearchParams({ env: environment, image: version })}`;
  return html`<div><a class="num" href="${href}">${version}</a> <small>${text}</small></div>`;
}

function promotedCell({ promoted }: ListedVersion, now: Instant): Markup {
  if (promoted === undefined) return '';
  return html`<div>${timeWithAge(instantOf(promoted.at.getTime()), now)} <small>by ${promoted.author}</small></div>`;
}

function pinCell({ pin, since }: ConsolePin, { sources }: ShardsData, now: Instant): Html {
  const { integration, shard, imageRef, reason, file, line } = pin;
  const age = since === undefined ? 'age unknown' : relativeText(instantOf(since.getTime()), now);
  return html`<div>${integration}/${shard} <span class="num">${imageRef}</span> <small>${age}, ${reason ?? 'no reason'}</small> <small>${sourceLink(sources, { file, ...(line === undefined ? {} : { line }) })}</small></div>`;
}

/** The versions of an upstream that one environment declares and runs. */
interface VersionRow {
  readonly upstream: string;
  readonly environment: string;
  /** More than one where integrations have their own. */
  readonly declared: readonly ListedVersion[];
  /** Versions that its shards run, most shards first; unknown ones without a version. */
  readonly runs: readonly { readonly version?: string; readonly shards: number }[];
  readonly shards: number;
  readonly pins: readonly ConsolePin[];
}

/** Upstreams with their environments; every declared shard is counted in one row. */
function versionRows({ versions, shards, pins }: ShardsData): VersionRow[] {
  const declared = Map.groupBy(versions, keyOf);
  const running = Map.groupBy(
    shards.filter(({ integration, state }) => integration !== undefined && state !== 'disabled'),
    keyOf,
  );
  const upstreamOf = new Map(shards.map(({ integration, upstream }) => [integration, upstream]));
  const pinned = Map.groupBy(pins, ({ pin }) => keyOf({ ...pin, upstream: upstreamOf.get(pin.integration) }));
  const keys = new Set([...declared.keys(), ...running.keys()]);
  return [...keys]
    .map((key): VersionRow => {
      const [upstream, environment] = JSON.parse(key) as [string, string];
      const own = running.get(key) ?? [];
      return {
        ...{ upstream, environment, declared: declared.get(key) ?? [], shards: own.length },
        ...{ runs: runsOf(own), pins: pinned.get(key) ?? [] },
      };
    })
    .sort((a, b) => byText(a.upstream, b.upstream) || byText(a.environment, b.environment));
}

function keyOf(of: { readonly upstream?: string | undefined; readonly environment?: string }): string {
  return JSON.stringify([of.upstream ?? '', of.environment ?? '']);
}

function runsOf(shards: readonly ConsoleShard[]): VersionRow['runs'] {
  return [...Map.groupBy(shards, ({ liveTag }) => liveTag)]
    .map(([version, { length }]) => ({ shards: length, ...(version === undefined ? {} : { version }) }))
    .sort((a, b) => b.shards - a.shards || byText(a.version ?? '~', b.version ?? '~'));
}

/** `12 behind, 1 ahead of f929a38`. */
function apartText(one: Pick<ListedVersion, 'apart' | 'apartUnknown' | 'newest'>): string {
  const { apart, apartUnknown, newest } = one;
  if (newest === undefined) return '';
  if (apart === undefined)
    return `differs from ${newest}${apartUnknown === undefined ? '' : `, commits unknown: ${apartUnknown}`}`;
  const parts = [
    ...(apart.behind > 0 ? [`${apart.behind} behind`] : []),
    ...(apart.ahead > 0 ? [`${apart.ahead} ahead of`] : []),
  ];
  return `${parts.join(', ')} ${newest}`;
}
