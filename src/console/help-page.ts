import { CLUSTER_FILTERS } from './clusters/rows.ts';
import { type Html, html } from './html.ts';
import { SHARD_FILTERS } from './shards/shards.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'to the field that finds words'],
  ['j, k', 'to the next row, to the row before'],
  ['Enter', 'opens the row'],
  ['g then o, c, t, s', 'to the overview, the clusters, the timeline, the shards'],
  ['?', 'to this page'],
  ['Esc', 'leaves a field'],
];

export function helpPage(): Html {
  return html`<h1>Keys and addresses</h1>
<section aria-labelledby="keys"><h2 id="keys">Keys</h2>
<table class="narrow"><caption class="unseen">Keys</caption><thead><tr><th scope="col">Key</th><th scope="col">Does</th></tr></thead><tbody>${KEYS.map(([key, does]) => html`<tr><th scope="row"><kbd>${key}</kbd></th><td>${does}</td></tr>`)}</tbody></table>
<p data-keys hidden><label><input type="checkbox" data-keys-toggle> Single keys do something on these pages</label></p>
<p class="hint">They need the script of this page; everything else works without it.</p></section>
<section aria-labelledby="addresses"><h2 id="addresses">Addresses</h2>
<p>The address of every view is all that it takes to see the same view again, filters and order included.</p>
<dl class="addresses">
<div><dt><code>/clusters</code>, <code>/timeline</code></dt><dd>filters ${codes(CLUSTER_FILTERS)}; words <code>q</code>; order <code>sort</code></dd></div>
<div><dt><code>/clusters/ENVIRONMENT/ORGANIZATION/CLUSTER</code></dt><dd>one cluster, by its UUID, id or name</dd></div>
<div><dt><code>/shards</code></dt><dd>filters ${codes(SHARD_FILTERS)}; words <code>q</code>; order <code>sort</code></dd></div>
<div><dt><code>/overview.json</code>, <code>/clusters.json</code>, <code>/timeline.json</code>, <code>/shards.json</code></dt><dd>the same for programs, with the same filters; one cluster has <code>.json</code> at the end too</dd></div>
</dl></section>`;
}

function codes(names: readonly string[]): Html {
  return html`${names.map((name, index) => html`${index === 0 ? '' : ', '}<code>${name}</code>`)}`;
}
