import { expect, it } from 'vitest';
import { consoleFacts, consoleState } from '../../test/support/console-state.ts';
import { drawFrom, MADE_AT, madeShards, madeUpgrades } from '../../test/support/made-fleet.ts';
import { later, MICROS, secondText } from '../gates/index.ts';
import { respond } from './respond.ts';
import type { ShardsData, UpgradesData } from './state.ts';

const NOW = later(MADE_AT, 2 * MICROS.hour);
const AT = secondText(later(MADE_AT, 26 * MICROS.hour));
/** What anybody may say, anywhere. */
const SAID = `until ${AT} (or <b>${AT}</b>)`;
const FAULT = { code: 'X', message: `no response since ${AT}`, hint: `it was there ${AT}` };

function upgrades(): UpgradesData {
  const made = madeUpgrades(3, drawFrom(1));
  const gate = { gate: 'soak', state: 'wait', reason: SAID, opens: { at: AT, after: SAID } } as const;
  const clusters = made.clusters.map((cluster) => ({
    ...{ ...cluster, reason: SAID, startsAt: AT, action: 'agree-gates' as const, before: [gate] },
    candidates: [{ version: '4.18.12', chosen: false, opens: { at: AT }, gates: [gate] }],
  }));
  const versions = [-40, -3, -1].map((days, index) => ({
    ...{ version: `4.18.${index}`, since: later(MADE_AT, days * MICROS.day) },
  }));
  const scheduled = [{ name: 'x', version: '4.18.2', at: MADE_AT, startsAt: later(MADE_AT, -MICROS.hour) }];
  const forecasts = made.forecast.clusters.map((one, index) => ({
    ...{ ...one, waiting: [{ from: MADE_AT, action: 'wait', gate: 'soak', reason: SAID }] },
    ...(index === 0 ? { upgrades: [] } : {}),
  }));
  return {
    ...{ ...made, clusters, notes: [SAID], outlook: { kind: 'failed', error: FAULT } },
    report: made.report.map((sheet) => ({
      ...{ ...sheet, stopped: SAID, held: [{ cluster: 'h', reason: SAID }] },
      history: [...sheet.history, { ...sheet.history[0], event: 'upgrade-scheduled', startsAt: MADE_AT }],
    })),
    past: new Map(clusters.map(({ id }) => [id as string, { versions, scheduled }])),
    forecast: { ...made.forecast, assumptions: [SAID], clusters: forecasts },
    plan: {
      environments: [{ name: 'test', fault: FAULT }],
      organizations: [{ ...clusters[0], name: 'org', skipped: [FAULT], faults: [], problems: [], stopped: SAID }],
    },
  } as unknown as UpgradesData;
}

function shards(): ShardsData {
  const made = madeShards(10, drawFrom(1));
  const [track] = made.rollouts?.tracks ?? [];
  const alerting = track?.waves[0]?.shards[0]?.id;
  const gates = [{ gate: 'window', ok: false, reason: SAID, opening: { at: AT, after: SAID } }];
  const shadow = {
    image: 'a',
    baseline: 'b',
    at: MADE_AT,
    triedAt: NOW,
    result: 'inconclusive',
    differences: 0,
    text: SAID,
  };
  const waves = track?.waves.map((wave) => ({
    ...{ ...wave, reason: SAID, opening: { at: AT } },
    shards: wave.shards.map((shard) => ({ ...shard, reason: SAID, gates, shadow, opening: { at: AT } })),
  }));
  const alerts = ['halted', 'set-by-hand'].map((kind) => ({
    kind,
    shard: alerting,
    image: 'r',
    reason: SAID,
    at: MADE_AT,
  }));
  const [first] = made.shards;
  const pin = { integration: first?.integration, shard: first?.shard, cluster: 'c', namespace: 'n', imageRef: 'abc' };
  return {
    ...{ ...made, faults: [FAULT] },
    shards: made.shards.map((shard) => ({ ...shard, reason: SAID })),
    pins: [{ pin: { ...pin, file: '/x.yml', reason: SAID }, since: new Date(0), expired: true }],
    versions: [
      {
        upstream: 'u',
        environment: 'lab',
        integrations: 1,
        version: '0473914',
        file: '/e.yml',
        promoted: { at: new Date(0), author: 'A' },
        newest: 'x',
        apartUnknown: SAID,
      },
    ],
    rollouts: {
      tracks: [{ ...track, waves, alerts, since: MADE_AT, stoppedBy: { reason: SAID, at: MADE_AT } }],
      orphans: [{ id: 'o/o', environment: 'lab', state: 'held', reason: SAID, gates }],
      ended: [{ kind: 'freeze', name: 'the freeze f', reason: SAID, until: MADE_AT }],
    },
  } as unknown as ShardsData;
}

const STATE = consoleState(
  consoleFacts({
    startedAt: MADE_AT,
    upgrades: { kind: 'known', asOf: MADE_AT, data: upgrades(), error: FAULT },
    shards: { kind: 'known', asOf: MADE_AT, data: shards(), error: FAULT },
  }),
);

/** Every page that a page leads to, each kind of them a few times. */
function pages(): Map<string, string> {
  const found = new Map<string, string>();
  const kinds = new Map<string, number>();
  const open = ['/'];
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const kind =
      path
        .replace(/[?#].*/, '')
        .split('/')
        .slice(0, 2)
        .join('/') + path.split('/').length;
    if (found.has(path) || (kinds.get(kind) ?? 0) >= 4) continue;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const { body, status } = respond({ method: 'GET', target: path }, STATE, NOW);
    found.set(path, `${status} ${body}`);
    for (const [, href = ''] of body.matchAll(/<a [^>]*href="(\/[^"]*)"/g))
      if (!/^\/assets|\.json/.test(href)) open.push(href.replaceAll('&amp;', '&'));
  }
  return found;
}

/** What is hovered over, and commands to copy, are as they are. */
const EXEMPT = /<code[^>]*>.*?<\/code>|<rect[^>]*>\s*<title>.*?<\/title>/gs;
const ABSOLUTE = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

/** Times of a page without an age, with what is around them. */
function withoutAge(page: string): string[] {
  const body = page.replaceAll(EXEMPT, '');
  const elements = [...body.matchAll(/<time ([^>]*)>[^<]*<\/time>(.{0,60})/gs)];
  const bare = elements.filter(
    ([, attributes = '', after = '']) =>
      !/data-age="(?:in .+|.+ ago|now)"/.test(attributes) && !/^ <small data-age>\((?:in .+|.+ ago|now)\)/s.test(after),
  );
  const text = body.replaceAll(/<time [^>]*>[^<]*<\/time>/g, '').replaceAll(/<[^>]*>/g, ' ');
  const written = new RegExp(`.{0,60}${ABSOLUTE.source}.{0,20}`, 'g');
  return [...bare.map(([whole]) => whole), ...(text.match(written) ?? [])];
}

it('every time on every page has a relative one beside it', () => {
  const all = pages();
  for (const path of ['/', '/clusters', '/timeline', '/report', '/shards', '/rollouts', '/versions', '/help'])
    expect([...all.keys()]).toContain(path);
  for (const start of ['/clusters/', '/shards/', '/rollouts/'])
    expect([...all.keys()].some((path) => path.startsWith(start))).toBe(true);
  for (const [path, page] of all) {
    expect({ path, withoutAge: withoutAge(page) }).toEqual({ path, withoutAge: [] });
    expect(page, path).toMatch(/^200 .*<time .*data-age/s);
  }
});
