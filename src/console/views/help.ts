import { type Html, html } from '../html.ts';
import { BOTH, type View } from '../page.ts';
import type { ConsoleState } from '../state.ts';
import { clusters } from './clusters.ts';
import { report } from './report.ts';
import { rollouts } from './rollouts.ts';
import { shards } from './shards.ts';

export const help: View<ConsoleState> = {
  path: '/help',
  title: 'Keys and URLs',
  half: BOTH,
  page: () => helpPage(),
};

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'focus the search field'],
  ['j, k', 'next row, previous row'],
  ['Enter', 'open the row'],
  ['n, p', 'next page, previous page'],
  ['g then o, c, t, s, r, v', 'go to the overview, clusters, timeline, shards, rollouts, versions'],
  ['?', 'go to this page'],
  ['Esc', 'leave a field'],
];

function helpPage(): Html {
  return html`<h1>Keys and URLs</h1>
<section aria-labelledby="keys"><h2 id="keys">Keys</h2>
<table class="narrow"><caption class="unseen">Keys</caption><thead><tr><th scope="col">Key</th><th scope="col">Action</th></tr></thead><tbody>${KEYS.map(([key, does]) => html`<tr><th scope="row"><kbd>${key}</kbd></th><td>${does}</td></tr>`)}</tbody></table>
<p data-keys hidden><label><input type="checkbox" data-keys-toggle> Enable keyboard shortcuts</label></p>
<p class="hint">Shortcuts need JavaScript; everything else works without it.</p></section>
<section aria-labelledby="addresses"><h2 id="addresses">URLs</h2>
<p>The URL of a view includes its filters and order, so it can be bookmarked and shared.</p>
<dl class="addresses">
<div><dt><code>/clusters</code>, <code>/timeline</code></dt><dd>filters ${codes(clusters.filters)}; search <code>q</code>; order <code>sort</code></dd></div>
<div><dt><code>/clusters/ENVIRONMENT/ORGANIZATION/CLUSTER</code></dt><dd>one cluster, by its UUID, id or name</dd></div>
<div><dt><code>/report</code></dt><dd>the report of upgrades, as <code>echelon upgrades report</code>; filters ${codes(report.filters)}; search <code>q</code>; order <code>sort</code></dd></div>
<div><dt><code>/problems</code></dt><dd>everything that needs a human</dd></div>
<div><dt><code>/shards</code></dt><dd>filters ${codes(shards.filters)}; search <code>q</code>; order <code>sort</code></dd></div>
<div><dt><code>/shards/CLUSTER/NAMESPACE/NAME</code></dt><dd>one shard, by the name of its workload</dd></div>
<div><dt><code>/rollouts</code></dt><dd>filters ${codes(rollouts.filters)}; search <code>q</code></dd></div>
<div><dt><code>/rollouts/ENVIRONMENT/SHARD</code></dt><dd>the verdict on one shard; the slash of its id as <code>%2F</code></dd></div>
<div><dt><code>/versions</code></dt><dd>which version every environment declares and runs</dd></div>
<div><dt><code>/overview.json</code>, <code>/clusters.json</code>, <code>/timeline.json</code>, <code>/report.json</code>, <code>/shards.json</code>, <code>/rollouts.json</code>, <code>/versions.json</code></dt><dd>the same as JSON, with the same filters; for one cluster or verdict append <code>.json</code></dd></div>
</dl></section>`;
}

function codes(names: readonly string[] = []): Html {
  return html`${names.map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`)}`;
}
