import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE } from '../support/console-fleet.ts';
import { type ConsoleRun, runConsole } from '../support/console-run.ts';
import { apply, report } from '../support/upgrade-commands.ts';
import { member, minutes, upgradeFleet } from '../support/upgrade-world.ts';
import { type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const FLEET = upgradeFleet([
  {
    id: 'org-1',
    aus: { 'version-data.publish': 'org-2' },
    clusters: [
      member('alpha', {}, { version: '4.18.3' }),
      member('beta', { mutexes: 'b,a', schedule: '0 20 * * *', workloads: 'z,wl' }),
      member('gamma', { 'soak-days': 7 }, { name: HOSTILE }),
      member('delta'),
      member('epsilon', { 'soak-days': 'few' }),
    ],
  },
  { id: 'org-2', aus: { 'version-data.inherit': 'org-1' }, clusters: [member('zeta', { 'soak-days': 1 })] },
  { id: 'org-3', aus: { 'blocked-versions': '(' }, clusters: [member('eta')] },
]);

let cli: UpgradesCli;
let run: ConsoleRun;
/** The scheduler runs for an hour: delta is under way, others soak. */
beforeAll(async () => {
  cli = await upgradesCli(FLEET);
  for (const hour of [0, 1]) {
    await cli.sim.advanceTo(minutes(hour * 60));
    await apply(cli.io, { configFile: 'upgrades.yml', output: 'table', yes: true }, cli.clock);
  }
  cli.take();
  run = await runConsole(cli.io, { configFile: 'upgrades.yml' }, cli.clock);
  await run.ready();
});
afterAll(async () => {
  await run.stop();
  await cli.dispose();
});

const get = async (path: string): Promise<string> => (await fetch(run.url + path)).text();
const clustersIn = (body: string): string[] =>
  [...body.matchAll(/<tr><th scope="row"><a [^>]*>(.*?)<\/a>/g)].map(([, name = '']) => name);

describe('the report of the console', () => {
  it('is the one of the command line', async () => {
    await report(cli.io, { configFile: 'upgrades.yml', output: 'json' }, cli.clock);
    const { data, ...shown } = JSON.parse(await get('/report.json'));
    expect(shown).toEqual(JSON.parse(cli.take().stdout));
    expect(data).toMatchObject({ state: 'known', asOf: '2026-03-02T11:00:00Z' });
  });

  it('has on its page what soaks, who is not upgraded, what is stopped, inherited and past, and runs no text', async () => {
    const body = await get('/report');
    expect(clustersIn(body)).toHaveLength(6);
    expect(body).toMatch(
      /4\.18\.3<\/span> <span class="badge wait">.*?started<\/span>.*?<small>soaked 0\.04 days<\/small>/,
    );
    expect(body).toContain('<small>soaked 0.04 days, waits for soak</small>');
    expect(body).toMatch(/<li>epsilon <small>test\/org-1<\/small> sre-capabilities\.aus\.soak-days: /);
    expect(body).toMatch(/<li>test\/org-3: nothing is upgraded: .*blocked-versions/);
    expect(body).toContain('<li>test/org-2 inherits the history of test/org-1</li>');
    expect(body).toMatch(/: delta was scheduled for 4\.18\.3, to start <time /);
    expect(body).not.toContain('<script>window');
    expect(body).toContain('&lt;script&gt;window');
  });

  it.each([
    { search: '?org=org-2', clusters: ['zeta'], lists: ['organizations'] },
    { search: '?workload=z', clusters: ['beta'], lists: ['organizations', 'held', 'history'] },
    { search: '?q=4.18.3+zeta', clusters: ['zeta'], lists: ['organizations', 'held', 'history'] },
    { search: '?env=nowhere', clusters: [], lists: [] },
  ])('of $search has $clusters, and $lists of its organizations', async ({ search, clusters, lists }) => {
    const body = await get(`/report${search}`);
    expect(clustersIn(body)).toEqual(clusters);
    expect([...body.matchAll(/<section aria-labelledby="(\w+)"/g)].map(([, id]) => id)).toEqual(lists);
    const { organizations } = JSON.parse(await get(`/report.json${search}`));
    expect(
      organizations.flatMap(({ rows }: { rows: { cluster: string }[] }) => rows.map((row) => row.cluster)),
    ).toEqual(clusters);
  });

  it('is linked from the overview', async () => {
    expect(await get('/')).toContain('<a href="/report">Upgrade report</a>');
  });
});
