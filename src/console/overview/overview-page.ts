import { count } from '../../base/index.ts';
import { type ClusterRow, clusterPath, clusterRows } from '../clusters/rows.ts';
import { type Html, html, type Markup } from '../html.ts';
import { bar, isOutlookAwaited, outlookNote, staleBox, withoutData } from '../parts.ts';
import { filteredHref } from '../query.ts';
import type { ConsoleState, ShardsData, UpgradesData } from '../state.ts';
import { time } from '../times.ts';
import {
  type Counted,
  type FleetProblem,
  shardProblems,
  shardStates,
  type UpgradesSummary,
  upgradeProblems,
  upgradesSummary,
} from './overview.ts';

/** Cluster actions by group. */
const DUE = ['upgrade', 'upgrade-node-pool', 'switch-channel'] as const;
const WAITING = ['wait', 'agree-gates'] as const;
const HELD = ['hold', 'cancel'] as const;
const SOONEST = 8;
const MOST_PROBLEMS = 12;

export function overviewPage({ upgrades, shards }: ConsoleState): Html {
  const rows = upgrades.kind === 'known' ? clusterRows(upgrades.data) : [];
  const problems = [
    ...(upgrades.kind === 'known' ? upgradeProblems(upgrades.data, rows) : []),
    ...(shards.kind === 'known' ? shardProblems(shards.data) : []),
  ];
  return html`<h1 class="unseen">Overview</h1>
<section aria-labelledby="fleet"><h2 id="fleet">Cluster upgrades</h2>${staleBox(upgrades)}
${upgrades.kind === 'known' ? upgradePanels(upgrades.data, rows) : withoutData(upgrades)}</section>
<section aria-labelledby="manager"><h2 id="manager">Integrations</h2>${staleBox(shards)}
${shards.kind === 'known' ? shardPanels(shards.data) : withoutData(shards)}</section>
<section aria-labelledby="problems"><h2 id="problems">Problems</h2>${problemList(problems)}</section>`;
}

function upgradePanels(data: UpgradesData, rows: readonly ClusterRow[]): Html {
  const summary = upgradesSummary(rows);
  return html`${figures(summary)}
<div class="panels">${countPanel('Versions', 'clusters by version', summary.versions, (name) => filteredHref('/clusters', 'version', name))}
${countPanel('Waiting', 'clusters by the gate they wait for', summary.gates, (name) => filteredHref('/clusters', 'gate', name))}
${nextPanel(data, rows)}</div>`;
}

function figures({ clusters, organizations, actions }: UpgradesSummary): Html {
  const of = (...names: readonly string[]): number =>
    actions.filter(({ name }) => names.includes(name)).reduce((sum, each) => sum + each.count, 0);
  return html`<ul class="figures">
${figure(clusters, `${clusters === 1 ? 'cluster' : 'clusters'} of ${count(organizations, 'organization')}`, '/clusters')}
${figure(of(...DUE), 'due now', filteredHref('/clusters', 'action', ...DUE))}
${figure(of(...WAITING), 'waiting', filteredHref('/clusters', 'action', ...WAITING))}
${figure(of(...HELD), 'held', filteredHref('/clusters', 'action', ...HELD))}
${figure(of('none'), 'up to date', filteredHref('/clusters', 'action', 'none'))}</ul>`;
}

function figure(number: number, words: string, href: string): Html {
  return html`<li><a href="${href}"><strong>${number}</strong> <span>${words}</span></a></li>`;
}

function countPanel(title: string, caption: string, counted: readonly Counted[], href: (name: string) => string): Html {
  const most = Math.max(1, ...counted.map((each) => each.count));
  const rows = counted.map(
    ({ name, count: number }) =>
      html`<tr><th scope="row"><a href="${href(name)}">${name}</a></th><td class="num">${number}</td><td class="bars">${bar(number, most)}</td></tr>`,
  );
  return html`<div class="panel"><h3>${title}</h3>${counted.length === 0 ? html`<p>None.</p>` : html`<table class="counts"><caption class="unseen">${caption}</caption><thead class="unseen"><tr><th scope="col">${title}</th><th scope="col">Number</th><th scope="col">Share</th></tr></thead><tbody>${rows}</tbody></table>`}</div>`;
}

function nextPanel(data: UpgradesData, rows: readonly ClusterRow[]): Html {
  const byId = new Map(rows.map(({ cluster }) => [`${cluster.environment}/${cluster.id}`, cluster]));
  const soonest = data.forecast.clusters
    .flatMap((cluster) => cluster.upgrades.map((upgrade) => ({ cluster, upgrade })))
    .sort((a, b) => a.upgrade.startsAt - b.upgrade.startsAt)
    .slice(0, SOONEST);
  const list = soonest.map(({ cluster, upgrade }) => {
    const known = byId.get(`${cluster.environment}/${cluster.id}`);
    const name = known === undefined ? cluster.name : html`<a href="${clusterPath(known)}">${cluster.name}</a>`;
    return html`<tr><th scope="row">${name}</th><td class="num">${upgrade.version}</td><td class="num">${time(upgrade.startsAt)}</td></tr>`;
  });
  return html`<div class="panel"><h3>Next</h3>${outlookNote(data)}${soonest.length === 0 ? nothingNext(data) : html`<table class="counts next"><caption class="unseen">Next upgrades</caption><thead class="unseen"><tr><th scope="col">Cluster</th><th scope="col">Version</th><th scope="col">Starts</th></tr></thead><tbody>${list}</tbody></table>`}
<p><a href="/timeline">Full timeline</a></p></div>`;
}

function nothingNext(data: UpgradesData): Markup {
  return isOutlookAwaited(data) ? '' : html`<p>No upgrade is forecast.</p>`;
}

function shardPanels(data: ShardsData): Html {
  const integrations = [...Map.groupBy(data.shards, ({ integration }) => integration ?? 'no integration')].map(
    ([name, { length }]) => ({ name, count: length }),
  );
  return html`<div class="panels">${countPanel('Shards', 'shards by state', shardStates(data), (name) => filteredHref('/shards', 'state', name))}
${countPanel(
  'Largest integrations',
  'integrations by shards',
  integrations.sort((a, b) => b.count - a.count).slice(0, SOONEST),
  (name) => filteredHref('/shards', 'integration', name),
)}</div>`;
}

function problemList(all: readonly FleetProblem[]): Markup {
  if (all.length === 0) return html`<p>No problems found.</p>`;
  const sorted = all.toSorted((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
  const items = sorted.map(
    ({ where, message, hint, href, severity }) =>
      html`<li class="${severity}"><strong>${href === undefined ? where : html`<a href="${href}">${where}</a>`}</strong> <span class="kind">${severity}</span> ${message}. <small>${hint}</small></li>`,
  );
  const rest = items.slice(MOST_PROBLEMS);
  return html`<ul class="problems">${items.slice(0, MOST_PROBLEMS)}</ul>
${rest.length === 0 ? '' : html`<details><summary>${rest.length} more</summary><ul class="problems">${rest}</ul></details>`}`;
}
