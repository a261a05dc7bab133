import { count } from '../../base/index.ts';
import { type Instant, secondText } from '../../gates/index.ts';
import type { ClusterAction } from '../../upgrades/index.ts';
import { compareVersionTexts } from '../../upgrades/index.ts';
import { type Html, html, type Markup, timeWithAge } from '../html.ts';
import { filteredHref, searchOf } from '../list.ts';
import { BOTH, halfJson, upgradesJson, type View } from '../page.ts';
import { bar, isOutlookAwaited, outlookNote, staleBox, withoutData } from '../parts.ts';
import type {
  ClusterRow,
  ConsoleState,
  Counted,
  ShardsData,
  ShardsView,
  UpgradesData,
  UpgradesSummary,
  UpgradesView,
} from '../state.ts';
import { clusterPath, forecastKey } from './clusters.ts';
import { firstProblems, isAnythingAwaited } from './problems.ts';
import { REPORT_PATH } from './report.ts';

const SOONEST = 8;

export const overview: View<ConsoleState> = {
  path: '/',
  title: 'Overview',
  entry: 'Overview',
  half: BOTH,
  isAwaiting: isAnythingAwaited,
  page: (state, _, { now }) => overviewPage(state, now),
  json: { path: '/overview.json', kind: 'ConsoleOverview', body: (_data, _query, state) => overviewJson(state) },
};

/** The overview; problems come first. */
function overviewPage(state: ConsoleState, now: Instant): Html {
  const { upgrades, shards } = state;
  return html`<h1 class="unseen">Overview</h1>
<section aria-labelledby="problems"><h2 id="problems">Problems</h2>${firstProblems(state, now)}</section>
<section aria-labelledby="fleet"><h2 id="fleet">Cluster upgrades</h2>${staleBox(upgrades)}
${upgrades.kind === 'known' ? upgradePanels(upgrades.data, now) : withoutData(upgrades)}</section>
<section aria-labelledby="manager"><h2 id="manager">Integrations</h2>${staleBox(shards)}
${shards.kind === 'known' ? shardPanels(shards.data) : withoutData(shards)}</section>`;
}

function upgradePanels(data: UpgradesView, now: Instant): Html {
  const { summary } = data;
  return html`${figures(summary)}
<div class="panels">${countPanel('Versions', 'clusters by version', summary.versions, (name) => filteredHref('/clusters', 'version', name))}
${countPanel('Waiting', 'clusters by the gate they wait for', summary.gates, (name) => gateHref(name, ACTION_GROUPS.waiting))}
${summary.holds.length === 0 ? '' : countPanel('Held', 'clusters by what holds them', summary.holds, (name) => gateHref(name, ACTION_GROUPS.held))}
${nextPanel(data, now)}</div>`;
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

/** The next upgrades of the fleet. */
export function soonestUpgrades({ clusters }: UpgradesData['forecast']): UpgradesView['soonest'] {
  return clusters
    .flatMap((cluster) => cluster.upgrades.map((upgrade) => ({ cluster, upgrade })))
    .sort((a, b) => a.upgrade.startsAt - b.upgrade.startsAt)
    .slice(0, SOONEST);
}

function nextPanel(data: UpgradesView, now: Instant): Html {
  const { soonest } = data;
  const list = soonest.map(({ cluster, upgrade }) => {
    const known = data.clusters.findLast((each) => forecastKey(each) === forecastKey(cluster));
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

function shardPanels({ states, integrations }: ShardsView): Html {
  return html`<div class="panels">${countPanel('Shards', 'shards by state', states, (name) => filteredHref('/shards', 'state', name))}
${countPanel('Largest integrations', 'integrations by shards', integrations.slice(0, SOONEST), (name) =>
  filteredHref('/shards', 'integration', name),
)}</div>`;
}

/** Actions by figure of the overview; every action is in exactly one. */
const ACTION_GROUPS = {
  due: ['upgrade', 'upgrade-node-pool', 'switch-channel'],
  waiting: ['wait', 'agree-gates'],
  held: ['hold', 'cancel'],
  current: ['none'],
} as const satisfies Readonly<Record<string, readonly ClusterAction[]>>;

export function upgradesSummary(rows: readonly ClusterRow[]): UpgradesSummary {
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
    versions: tally(({ cluster }) => cluster.version).sort((a, b) => compareVersionTexts(b.name, a.name)),
    gates: gatesOf('waiting'),
    holds: gatesOf('held'),
    actions: tally(({ cluster }) => cluster.action).sort((a, b) => b.count - a.count),
  };
}

export function shardStates({ shards }: ShardsData): Counted[] {
  const states = [...Map.groupBy(shards, ({ state }) => state)];
  return states.map(([name, { length }]) => ({ name, count: length })).sort((a, b) => b.count - a.count);
}

/** Integrations by shards, most first. */
export function integrationSizes({ shards }: ShardsData): Counted[] {
  const sizes = [...Map.groupBy(shards, ({ integration }) => integration ?? 'no integration')];
  return sizes.map(([name, { length }]) => ({ name, count: length })).sort((a, b) => b.count - a.count);
}

function overviewJson(state: ConsoleState): object {
  const { upgrades, shards, problems } = state;
  return {
    problems: problems.map(({ since, firstSeen: _, ...problem }) => ({ ...problem, since: secondText(since) })),
    upgrades: {
      ...upgradesJson(upgrades),
      ...(upgrades.kind === 'known' ? { ...upgrades.data.summary, problems: upgrades.data.problems } : {}),
    },
    shards: {
      ...halfJson(shards),
      ...(shards.kind === 'known' ? { states: shards.data.states, problems: shards.data.problems } : {}),
    },
  };
}
