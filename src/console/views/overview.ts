import { count } from '../../base/index.ts';
import { type Instant, secondText } from '../../gates/index.ts';
import type { ClusterAction } from '../../upgrades/index.ts';
import { type Html, html, type Markup, timeWithAge } from '../html.ts';
import { filteredHref, searchOf } from '../list.ts';
import { inOrder } from '../observe.ts';
import { oncePer } from '../once.ts';
import { halfJson, upgradesJson } from '../page.ts';
import { bar, isOutlookAwaited, outlookNote, staleBox, withoutData } from '../parts.ts';
import type { ConsoleState, ShardsData, UpgradesData } from '../state.ts';
import { type ClusterRow, clusterPath, clusterRows } from './clusters.ts';
import { shardProblems, upgradeProblems } from './problem-sources.ts';
import { agedProblems, firstProblems } from './problems.ts';
import { REPORT_PATH } from './report.ts';

const SOONEST = 8;

/** What needs a human comes first. */
export function overviewPage(state: ConsoleState, now: Instant): Html {
  const { upgrades, shards } = state;
  const rows = upgrades.kind === 'known' ? clusterRows(upgrades.data) : [];
  return html`<h1 class="unseen">Overview</h1>
<section aria-labelledby="problems"><h2 id="problems">Problems</h2>${firstProblems(state, now)}</section>
<section aria-labelledby="fleet"><h2 id="fleet">Cluster upgrades</h2>${staleBox(upgrades)}
${upgrades.kind === 'known' ? upgradePanels(upgrades.data, rows, now) : withoutData(upgrades)}</section>
<section aria-labelledby="manager"><h2 id="manager">Integrations</h2>${staleBox(shards)}
${shards.kind === 'known' ? shardPanels(shards.data) : withoutData(shards)}</section>`;
}

function upgradePanels(data: UpgradesData, rows: readonly ClusterRow[], now: Instant): Html {
  const summary = upgradesSummary(rows);
  return html`${figures(summary)}
<div class="panels">${countPanel('Versions', 'clusters by version', summary.versions, (name) => filteredHref('/clusters', 'version', name))}
${countPanel('Waiting', 'clusters by the gate they wait for', summary.gates, (name) => gateHref(name, ACTION_GROUPS.waiting))}
${summary.holds.length === 0 ? '' : countPanel('Held', 'clusters by what holds them', summary.holds, (name) => gateHref(name, ACTION_GROUPS.held))}
${nextPanel(data, rows, now)}</div>`;
}

/** The same clusters that are counted, no others. */
function gateHref(gate: string, actions: readonly string[]): string {
  const filters = new Map([
    ['gate', [gate]],
    ['action', actions],
  ]);
  return `/clusters${searchOf({ filters, q: '', sort: '', page: 1 })}`;
}

function figures({ clusters, organizations, actions }: UpgradesSummary): Html {
  const of = (...names: readonly string[]): number =>
    actions.filter(({ name }) => names.includes(name)).reduce((sum, each) => sum + each.count, 0);
  return html`<ul class="figures">
${figure(clusters, `${clusters === 1 ? 'cluster' : 'clusters'} of ${count(organizations, 'organization')}`, '/clusters')}
${figure(of(...ACTION_GROUPS.due), 'due now', filteredHref('/clusters', 'action', ...ACTION_GROUPS.due))}
${figure(of(...ACTION_GROUPS.waiting), 'waiting', filteredHref('/clusters', 'action', ...ACTION_GROUPS.waiting))}
${figure(of(...ACTION_GROUPS.held), 'held', filteredHref('/clusters', 'action', ...ACTION_GROUPS.held))}
${figure(of('none'), 'up to date', filteredHref('/clusters', 'action', 'none'))}</ul>`;
}

function figure(number: number, words: string, href: string): Html {
  return html`<li><a href="${href}"><strong>${number}</strong> <span>${words}</span></a></li>`;
}

function countPanel(title: string, caption: string, counted: readonly Counted[], href: (name: string) => string): Html {
  const most = Math.max(1, ...counted.map((each) => each.count));
  const rows = counted.map(
    ({ name, count: number }) =>
      html`<tr><th scope="row">${name === '' ? 'no gate' : html`<a href="${href(name)}">${name}</a>`}</th><td class="num">${number}</td><td class="bars">${bar(number, most)}</td></tr>`,
  );
  return html`<div class="panel"><h3>${title}</h3>${counted.length === 0 ? html`<p>None.</p>` : html`<table class="counts"><caption class="unseen">${caption}</caption><thead class="unseen"><tr><th scope="col">${title}</th><th scope="col">Number</th><th scope="col">Share</th></tr></thead><tbody>${rows}</tbody></table>`}</div>`;
}

const clustersById = oncePer(
  (rows: readonly ClusterRow[]) =>
    new Map(rows.map(({ cluster }) => [`${cluster.environment}/${cluster.id}`, cluster])),
);

const soonestOf = oncePer(({ clusters }: UpgradesData['forecast']) =>
  clusters
    .flatMap((cluster) => cluster.upgrades.map((upgrade) => ({ cluster, upgrade })))
    .sort((a, b) => a.upgrade.startsAt - b.upgrade.startsAt)
    .slice(0, SOONEST),
);

function nextPanel(data: UpgradesData, rows: readonly ClusterRow[], now: Instant): Html {
  const soonest = soonestOf(data.forecast);
  const list = soonest.map(({ cluster, upgrade }) => {
    const known = clustersById(rows).get(`${cluster.environment}/${cluster.id}`);
    const name = known === undefined ? cluster.name : html`<a href="${clusterPath(known)}">${cluster.name}</a>`;
    return html`<tr><th scope="row">${name}</th><td class="num">${upgrade.version}</td><td>${timeWithAge(upgrade.startsAt, now)}</td></tr>`;
  });
  return html`<div class="panel"><h3>Next</h3>${outlookNote(data, now)}${soonest.length === 0 ? nothingNext(data) : html`<table class="counts next"><caption class="unseen">Next upgrades</caption><thead class="unseen"><tr><th scope="col">Cluster</th><th scope="col">Version</th><th scope="col">Starts</th></tr></thead><tbody>${list}</tbody></table>`}
<p><a href="/timeline">Full timeline</a></p>
<p><a href="${REPORT_PATH}">Upgrade report</a></p></div>`;
}

function nothingNext(data: UpgradesData): Markup {
  return isOutlookAwaited(data) ? '' : html`<p>No upgrade is forecast.</p>`;
}

function shardPanels(data: ShardsData): Html {
  return html`<div class="panels">${countPanel('Shards', 'shards by state', shardStates(data), (name) => filteredHref('/shards', 'state', name))}
${countPanel('Largest integrations', 'integrations by shards', integrationSizes(data).slice(0, SOONEST), (name) =>
  filteredHref('/shards', 'integration', name),
)}</div>`;
}

/** What the figures of the overview count: every action is in one of them. */
const ACTION_GROUPS = {
  due: ['upgrade', 'upgrade-node-pool', 'switch-channel'],
  waiting: ['wait', 'agree-gates'],
  held: ['hold', 'cancel'],
  current: ['none'],
} as const satisfies Readonly<Record<string, readonly ClusterAction[]>>;

/** The count of one kind. */
interface Counted {
  readonly name: string;
  readonly count: number;
}

/** Fleet statistics. */
interface UpgradesSummary {
  readonly clusters: number;
  readonly organizations: number;
  readonly versions: readonly Counted[];
  /** Of those that wait, and of those that are held. */
  readonly gates: readonly Counted[];
  readonly holds: readonly Counted[];
  readonly actions: readonly Counted[];
}

const upgradesSummary = oncePer((rows: readonly ClusterRow[]): UpgradesSummary => {
  const tally = (of: (row: ClusterRow) => string): Counted[] =>
    [...Map.groupBy(rows, of)].map(([name, { length }]) => ({ name, count: length }));
  const gatesOf = (group: 'waiting' | 'held'): Counted[] => {
    const actions: readonly ClusterAction[] = ACTION_GROUPS[group];
    const own = rows.filter(({ cluster }) => actions.includes(cluster.action));
    const counted = [...Map.groupBy(own, ({ gate }) => gate)].map(([name, { length }]) => ({ name, count: length }));
    return counted.sort((a, b) => b.count - a.count);
  };
  return {
    clusters: rows.length,
    organizations: new Set(rows.map(({ cluster }) => `${cluster.environment}/${cluster.orgId}`)).size,
    versions: tally(({ cluster }) => cluster.version).sort((a, b) => inOrder(b.name, a.name)),
    gates: gatesOf('waiting'),
    holds: gatesOf('held'),
    actions: tally(({ cluster }) => cluster.action).sort((a, b) => b.count - a.count),
  };
});

const shardStates = oncePer(({ shards }: ShardsData): readonly Counted[] => {
  const states = [...Map.groupBy(shards, ({ state }) => state)];
  return states.map(([name, { length }]) => ({ name, count: length })).sort((a, b) => b.count - a.count);
});

/** Integrations by shards, most first. */
const integrationSizes = oncePer(({ shards }: ShardsData): readonly Counted[] => {
  const sizes = [...Map.groupBy(shards, ({ integration }) => integration ?? 'no integration')];
  return sizes.map(([name, { length }]) => ({ name, count: length })).sort((a, b) => b.count - a.count);
});

export function overviewJson(state: ConsoleState): object {
  const { upgrades, shards } = state;
  const rows = upgrades.kind === 'known' ? clusterRows(upgrades.data) : [];
  return {
    problems: agedProblems(state).map(({ since, ...problem }) => ({ ...problem, since: secondText(since) })),
    upgrades: {
      ...upgradesJson(upgrades),
      ...(upgrades.kind === 'known' ? { ...upgradesSummary(rows), problems: upgradeProblems(upgrades.data) } : {}),
    },
    shards: {
      ...halfJson(shards),
      ...(shards.kind === 'known' ? { states: shardStates(shards.data), problems: shardProblems(shards.data) } : {}),
    },
  };
}
