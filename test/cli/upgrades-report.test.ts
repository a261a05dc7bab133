import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apply } from '../../src/cli/commands/upgrades/apply.ts';
import { type ReportFlags, report } from '../../src/cli/commands/upgrades/report.ts';
import { member, minutes, upgradeFleet } from '../support/upgrade-world.ts';
import { type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const FLEET = upgradeFleet([
  {
    id: 'org-1',
    aus: { 'blocked-versions': '2$', 'version-data.publish': 'org-2' },
    clusters: [
      member('alpha', {}, { version: '4.18.3' }),
      member('beta', { mutexes: 'b,a', schedule: '0 20 * * *', workloads: 'z,wl' }),
      member('gamma', { 'soak-days': 7 }),
      member('delta'),
      member('epsilon', { 'soak-days': '`few`' }),
    ],
  },
  {
    id: 'org-2',
    aus: { 'version-data.inherit': 'org-1' },
    clusters: [member('zeta', { 'soak-days': 1, schedule: '0 20 * * *' })],
  },
]);

let cli: UpgradesCli;
/** The scheduler runs for some hours: delta is under way, others soak. */
beforeEach(async () => {
  cli = await upgradesCli(FLEET);
  for (let hour = 0; hour <= 1; hour += 1) {
    await cli.sim.advanceTo(minutes(hour * 60));
    await apply(cli.io, { configFile: 'upgrades.yml', output: 'table', yes: true }, cli.clock);
  }
  cli.sim.clearRequests();
  cli.take();
});
afterEach(() => cli.dispose());

async function reported(more: Partial<ReportFlags> = {}) {
  const code = await report(cli.io, { configFile: 'upgrades.yml', output: 'table', ...more }, cli.clock);
  return { code, ...cli.take() };
}

describe('upgrades report', () => {
  it('is the page as it is known', async () => {
    const { code, stdout } = await reported({ output: 'markdown' });
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(join(import.meta.dirname, 'upgrades-report.golden.md'), 'utf8'));
    expect(cli.writes()).toEqual([]);
  });

  it('lists rows sorted by all values, without marks', async () => {
    const { stdout } = await reported();
    expect(stdout.split('\n')[0]).toMatch(
      /^OCM +CLUSTER +VERSION +CHANNEL +SCHEDULE +SECTOR +MUTEXES +SOAK_DAYS +WORKLOAD +SOAKING_UPGRADES$/,
    );
    expect(
      stdout
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(/ +/)[1]),
    ).toEqual(['alpha', 'beta', 'delta', 'gamma', 'zeta']);
    expect(stdout).not.toContain('💫');
    expect((await reported({ sort: false })).stdout.split('\n')[1]).toContain('beta');
  });

  it('tells programs the same', async () => {
    const { organizations } = JSON.parse((await reported({ output: 'json' })).stdout);
    expect(organizations.map(({ orgId }: { orgId: string }) => orgId)).toEqual(['org-1', 'org-2']);
    expect(organizations[0].rows).toContainEqual(
      expect.objectContaining({
        cluster: 'delta',
        upgrades: [{ version: '4.18.3', soaked: 0.04, mark: { state: 'started' } }],
      }),
    );
    expect((await reported({ output: 'yaml' })).stdout).toContain('kind: UpgradeReport\n');
  });
});
