import { count, shortDigests } from '../../base/index.ts';
import { type Instant, instantOf, relativeText } from '../../gates/index.ts';
import type { ListedVersion } from '../../promotion/index.ts';
import { type Html, html, type Markup } from '../html.ts';
import { sourceLink } from '../source-link.ts';
import type { ConsolePin, ShardsData } from '../state.ts';
import { timeWithAge } from '../times.ts';
import { apartText, type VersionRow, versionRows } from './version-rows.ts';

export function versionsPage(data: ShardsData, now: Instant): Html {
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
