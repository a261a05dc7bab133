import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runConsole } from '../support/console-run.ts';
import { apply, history, report } from '../support/upgrade-commands.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const FLAGS = { configFile: 'upgrades.yml', output: 'json' } as const;
const HOUR_MS = 3_600_000;

describe('the past of a fleet', () => {
  let cli: UpgradesCli;
  beforeAll(async () => {
    const clusters = [member('alpha', { 'soak-days': 0 }), member('beta', { 'soak-days': 30 })];
    cli = await upgradesCli(upgradeFleet([{ id: 'org-1', clusters }]));
    // Every pass is a process of its own.
    for (let hour = 0; hour < 6; hour += 1) {
      await apply(cli.io, { configFile: 'upgrades.yml', output: 'table', yes: true }, cli.clock);
      await cli.sim.advanceTo(new Date(cli.clock.now().getTime() + HOUR_MS));
    }
  });
  afterAll(() => cli?.dispose());

  async function events(cluster?: string) {
    cli.take();
    expect(await history(cli.io, cluster, FLAGS, cli.clock)).toBe(0);
    const { kind, items } = JSON.parse(cli.take().stdout);
    expect(kind).toBe('UpgradeEventList');
    return items as { event: string; cluster: string; version: string; at: string; from?: string; startsAt?: string }[];
  }

  it('survives every restart: what was scheduled, what changed, and when, newest first', async () => {
    const own = await events('alpha');
    expect(own.map(({ event, version, from }) => [event, from, version])).toEqual([
      ['version-changed', '4.18.1', '4.18.3'],
      ['upgrade-scheduled', undefined, '4.18.3'],
      ['first-seen', undefined, '4.18.1'],
    ]);
    const [changed, scheduled, first] = own;
    expect(scheduled?.at).toBe(first?.at);
    expect(Date.parse(scheduled?.startsAt ?? '')).toBeGreaterThan(Date.parse(scheduled?.at ?? ''));
    expect(Date.parse(changed?.at ?? '')).toBeGreaterThan(Date.parse(scheduled?.startsAt ?? ''));
    expect((await events()).filter(({ cluster }) => cluster === 'beta')).toHaveLength(1);
  });

  it('only reads: asked again later it says the same', async () => {
    const before = await events();
    await cli.sim.advanceTo(new Date(cli.clock.now().getTime() + HOUR_MS));
    expect(await events()).toEqual(before);
  });

  it('is in every console that has just started, as dates and as words', async () => {
    const [changed, scheduled] = await events('alpha');
    const pages: object[] = [];
    for (const start of ['first', 'second']) {
      const run = await runConsole(cli.io, { configFile: 'upgrades.yml' }, cli.clock);
      await run.ready();
      const { items } = JSON.parse(await (await fetch(`${run.url}/timeline.json`)).text());
      const { seen, scheduled: upgrades } = items.find(({ name }: { name: string }) => name === 'alpha');
      expect(seen.map(({ version }: { version: string }) => version)).toEqual(['4.18.1', '4.18.3']);
      expect(seen[1].since).toBe(changed?.at);
      expect(upgrades).toEqual([{ version: '4.18.3', at: scheduled?.at, startsAt: scheduled?.startsAt }]);
      const timeline = await (await fetch(`${run.url}/timeline`)).text();
      expect(timeline).toMatch(/4\.18\.3 was scheduled for <time datetime="[^"]+" data-age="\d+ h ago"/);
      const page = await (await fetch(`${run.url}/clusters/test/org-1/alpha-uuid`)).text();
      expect(page).toMatch(/<strong>4\.18\.3<\/strong> scheduled <time/);
      pages.push({ seen, upgrades, past: page.slice(page.indexOf('id="past"'), page.indexOf('id="verdicts"')) });
      expect(await run.stop(), start).toBe(0);
    }
    expect(pages[1]).toEqual(pages[0]);
  });

  it('is in the report: dates in the rows, and changes and upgrades below them', async () => {
    const [changed, scheduled] = await events('alpha');
    const reported = async (output: 'json' | 'table' | 'wide' | 'markdown') => {
      expect(await report(cli.io, { ...FLAGS, output }, cli.clock)).toBe(0);
      return cli.take().stdout;
    };
    const { organizations } = JSON.parse(await reported('json'));
    const [{ rows, history: past }] = organizations;
    expect(rows.find(({ cluster }: { cluster: string }) => cluster === 'alpha').since).toBe(changed?.at);
    expect(past).toMatchObject([
      { at: changed?.at, event: 'version-changed', cluster: 'alpha', from: '4.18.1', version: '4.18.3' },
      { at: scheduled?.at, event: 'upgrade-scheduled', cluster: 'alpha', startsAt: scheduled?.startsAt },
    ]);
    for (const output of ['table', 'wide'] as const) {
      const [above = '', below = ''] = (await reported(output)).split('\nHistory, newest first:\n');
      expect(above).toMatch(new RegExp(`^org-1 +alpha +4\\.18\\.3 +${changed?.at} `, 'm'));
      expect(above).toMatch(/^org-1 +beta +4\.18\.1 +- /m);
      expect(below.split('\n').map((line) => line.split(/ {2,}/))).toMatchObject([
        ['TIME', 'CLUSTER', 'ORGANIZATION', 'EVENT', 'FROM', 'VERSION', 'NODE POOL', 'STARTS'].map(() =>
          expect.any(String),
        ),
        [changed?.at, 'alpha', 'test/org-1', 'version-changed', '4.18.1', '4.18.3', '-', '-'],
        [scheduled?.at, 'alpha', 'test/org-1', 'upgrade-scheduled', '-', '4.18.3', '-', scheduled?.startsAt],
        [''],
      ]);
    }
    const page = await reported('markdown');
    expect(page).toContain(`"since": "${changed?.at}"`);
    expect(page.slice(page.indexOf('History, newest first:'))).toBe(
      [
        'History, newest first:\n',
        `- ${changed?.at}: alpha changed from 4.18.1 to 4.18.3`,
        `- ${scheduled?.at}: alpha was scheduled for 4.18.3, to start ${scheduled?.startsAt}\n`,
      ].join('\n'),
    );
  });

  it('of a cluster that it does not know says which one was meant', async () => {
    await expect(history(cli.io, 'alhpa', FLAGS, cli.clock)).rejects.toMatchObject({
      code: 'CLUSTER_UNKNOWN',
      hint: expect.stringContaining('alpha'),
    });
  });
});
