import { describe, expect, it } from 'vitest';
import { consoleFacts, consoleState } from '../../test/support/console-state.ts';
import { member, upgradeWorld } from '../../test/support/upgrade-world.ts';
import { instantOf, later, MICROS } from '../gates/index.ts';
import { simulatedScheduler } from '../sim/index.ts';
import {
  DEFAULT_RULES,
  explainClusters,
  type Forecast,
  fleetPlan,
  forecastFrom,
  forecastInput,
  isSkipped,
} from '../upgrades/index.ts';
import { respond } from './respond.ts';
import type { ConsoleState, Observed, Outlook, ShardsData, UpgradesData } from './state.ts';

const NOW = instantOf(Date.parse('2026-03-02T10:00:00Z'));
const NO_SHARDS: Observed<ShardsData> = { kind: 'absent', message: '', hint: '' };
const FAILED: Outlook = { kind: 'failed', error: { code: 'X', message: 'out of <memory>', hint: 'look less far' } };

/** Two clusters; what is foreseen of them, or nothing yet. */
async function dataWith(outlook: Outlook, isForeseen: boolean): Promise<UpgradesData> {
  const clusters = [member('alpha'), member('beta', { 'soak-days': 2 })];
  const planned = await simulatedScheduler([upgradeWorld([{ id: 'org-1', clusters }])]).plan();
  const organizations = planned.organizations.flatMap((each) => (isSkipped(each) ? [] : [each]));
  const nothing: Forecast = { from: NOW, to: later(NOW, MICROS.day), assumptions: [], clusters: [] };
  const options = { from: NOW, days: 3, every: MICROS.hour, rules: DEFAULT_RULES };
  return {
    plan: fleetPlan(planned),
    clusters: explainClusters(planned.organizations),
    outlook,
    forecast: isForeseen ? forecastFrom(forecastInput(organizations), options) : nothing,
    report: [],
    recorded: new Map(),
    past: new Map(),
    notes: [],
  };
}

function stateOf(upgrades: Observed<UpgradesData>, shards = NO_SHARDS): ConsoleState {
  return consoleState(consoleFacts({ startedAt: NOW, upgrades, shards }));
}

const known = (data: UpgradesData): Observed<UpgradesData> => ({ kind: 'known', asOf: NOW, data });
const get = (target: string, state: ConsoleState): string => respond({ method: 'GET', target }, state, NOW).body;
const CLUSTER = '/clusters/sim/org-1/alpha-uuid';
const REFRESH = '<meta http-equiv="refresh" content="2">';

describe('before the first forecast is made', () => {
  it.each([
    { view: '/clusters', asksAgain: false },
    { view: '/timeline', asksAgain: true },
    { view: '/', asksAgain: true },
  ])('$view shows the clusters, says so, and asks again by itself: $asksAgain', async ({ view, asksAgain }) => {
    const body = get(view, stateOf(known(await dataWith({ kind: 'making' }, false))));
    expect(body).toContain('The forecast is being computed.');
    expect(body).toContain(view === '/' ? '<strong>2</strong> <span>clusters of 1 organization' : '>alpha</a>');
    expect(body).not.toContain('upgrade is forecast');
    expect(body.includes(REFRESH)).toBe(asksAgain);
  });

  it('a cluster has its verdicts and no word of what comes', async () => {
    const state = stateOf(known(await dataWith({ kind: 'making' }, false)));
    const [environment] = state.upgrades.kind === 'known' ? state.upgrades.data.clusters : [];
    const body = get(CLUSTER.replace('sim', environment?.environment ?? ''), state);
    expect(body).toContain('Gates for 4.18.3');
    expect(body).toContain('The forecast is being computed.');
    expect(body).not.toContain('No upgrade is forecast');
  });

  it('a program sees that it is not there', async () => {
    const { data, items } = JSON.parse(
      get('/clusters.json', stateOf(known(await dataWith({ kind: 'making' }, false)))),
    );
    expect({ forecast: data.forecast, names: items.map(({ name }: { name: string }) => name) }).toEqual({
      forecast: { state: 'making' },
      names: ['alpha', 'beta'],
    });
  });
});

describe('while another forecast is made', () => {
  it.each(['/clusters', '/timeline', '/'])(
    '%s shows the one before, with its time, and is left alone',
    async (view) => {
      const body = get(view, stateOf(known(await dataWith({ kind: 'making' }, true))));
      expect(body).toContain('forecast from <time datetime="2026-03-02T10:00:00Z">');
      expect(body).toContain('2026-03-02T10:07:00Z'.slice(0, 16).replace('T', view === '/clusters' ? ' ' : 'T'));
      expect(body).not.toContain(REFRESH);
    },
  );
});

describe('a forecast that cannot be made', () => {
  it.each(['/clusters', '/timeline', '/'])('leaves everything else on %s, and says why', async (view) => {
    const body = get(view, stateOf(known(await dataWith(FAILED, false))));
    expect(body).toContain('The forecast failed: out of &lt;memory&gt;');
    expect(body).not.toContain(REFRESH);
  });
});

describe('a page asks again by itself', () => {
  const waiting = { kind: 'waiting' } as const;

  it.each([
    { view: '/', because: 'of the shards', shards: waiting, asks: true },
    { view: '/shards', because: 'of the shards', shards: waiting, asks: true },
    { view: '/clusters', because: 'of nothing that it shows', shards: waiting, asks: false },
    { view: '/help', because: 'of nothing', shards: waiting, asks: false },
  ])('$view: $asks, because $because', async ({ view, shards, asks }) => {
    const state = stateOf(known(await dataWith({ kind: 'ready' }, true)), shards);
    expect(get(view, state).includes(REFRESH)).toBe(asks);
  });

  it.each(['/', '/clusters', '/timeline', CLUSTER])('%s before the first look', (view) => {
    expect(get(view, stateOf(waiting))).toContain(REFRESH);
  });
});
