import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FleetConsole, fleetConsole } from '../support/console-run.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';

/** Every number of the overview that is a link, with the number. */
const FIGURE = /<a href="([^"]+)"><strong>(\d+)<\/strong>/g;
const ROW = /<th scope="row"><a href="([^"]+)">[^<]*<\/a><\/th><td class="num">(\d+)<\/td>/g;

/** Some wait for different gates, some are held by a label that cannot be used, and held ones wait for a gate too. */
const CLUSTERS = Array.from({ length: 24 }, (_, index) =>
  member(
    `c-${index}`,
    {
      'soak-days': index % 4 === 3 ? 'never' : index % 5,
      schedule: `0 ${index} * * 1-5`,
      sector: index < 6 ? 'a' : 'b',
    },
    { version: `4.18.${1 + (index % 3)}` },
  ),
);

describe('the numbers of the overview', () => {
  let fleet: FleetConsole;
  let body: string;
  beforeAll(async () => {
    fleet = await fleetConsole(upgradeFleet([{ id: 'org-1', aus: { 'sector-deps.b': 'a' }, clusters: CLUSTERS }]));
    body = await (await fetch(`${fleet.url}/`)).text();
  });
  afterAll(() => fleet?.dispose());

  it('are what the lists behind them have', async () => {
    const linked = [...body.matchAll(FIGURE), ...body.matchAll(ROW)].map(([, href = '', number = '']) => ({
      href: href.replaceAll('&amp;', '&'),
      number: Number(number),
    }));
    expect(linked.length).toBeGreaterThan(10);
    for (const { href, number } of linked) {
      const { items } = (await (await fetch(fleet.url + href.replace(/^\/(\w+)/, '/$1.json'))).json()) as {
        items: unknown[];
      };
      expect({ href, number }).toEqual({ href, number: items.length });
    }
  });

  it('add up: waiting is the sum of its gates, held of what holds, and the four groups are all', async () => {
    const { upgrades } = JSON.parse(await (await fetch(`${fleet.url}/overview.json`)).text());
    const sum = (of: { count: number }[]): number => of.reduce((total, { count }) => total + count, 0);
    const figure = (words: string): number =>
      Number(new RegExp(`<strong>(\\d+)</strong> <span>${words}`).exec(body)?.[1]);
    expect(sum(upgrades.gates)).toBe(figure('waiting'));
    expect(figure('held')).toBe(6);
    expect(sum(upgrades.holds)).toBe(6);
    expect(figure('due now') + figure('waiting') + figure('held') + figure('up to date')).toBe(upgrades.clusters);
    expect(sum(upgrades.versions)).toBe(upgrades.clusters);
  });
});
