import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply } from '../../src/cli/commands/upgrades/apply.ts';
import { history } from '../../src/cli/commands/upgrades/history.ts';
import { report } from '../../src/cli/commands/upgrades/report.ts';
import { runConsole } from '../support/console-run.ts';
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

  it('is in a console that has just started, and in the report', async () => {
    const [changed] = await events('alpha');
    const run = await runConsole(cli.io, { configFile: 'upgrades.yml' }, cli.clock);
    await run.ready();
    const { items } = JSON.parse(await (await fetch(`${run.url}/timeline.json`)).text());
    const alpha = items.find(({ name }: { name: string }) => name === 'alpha');
    expect(alpha.seen.map(({ version }: { version: string }) => version)).toEqual(['4.18.1', '4.18.3']);
    expect(alpha.seen[1].since).toBe(changed?.at);
    const page = await (await fetch(`${run.url}/clusters/test/org-1/alpha-uuid`)).text();
    expect(page).toMatch(/<strong>4\.18\.3<\/strong> scheduled <time/);
    await run.stop();
    await report(cli.io, FLAGS, cli.clock);
    const { organizations } = JSON.parse(cli.take().stdout);
    expect(organizations[0].rows.find(({ cluster }: { cluster: string }) => cluster === 'alpha').since).toBe(
      changed?.at,
    );
  });

  it('of a cluster that it does not know says which one was meant', async () => {
    await expect(history(cli.io, 'alhpa', FLAGS, cli.clock)).rejects.toMatchObject({
      code: 'CLUSTER_UNKNOWN',
      hint: expect.stringContaining('alpha'),
    });
  });
});
