import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createScheduler } from '../../src/upgrades/index.ts';
import { openSources, purposeOf } from '../../src/upgrades/service/sources.ts';
import { entry } from '../support/declared-organizations.ts';
import { apply, type ReportFlags, report, upgradesPorts } from '../support/upgrade-commands.ts';
import { member, minutes, upgradeFleet } from '../support/upgrade-world.ts';
import { type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';
import { instanceFlags, putInstance } from '../support/upgrades-instance.ts';

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

  it('lists rows sorted by all values, without symbols', async () => {
    const { stdout } = await reported();
    expect(stdout.split('\n')[0]).toMatch(
      /^OCM +CLUSTER +VERSION +SINCE +CHANNEL +SCHEDULE +SECTOR +MUTEXES +SOAK_DAYS +WORKLOAD +SOAKING_UPGRADES$/,
    );
    expect(
      stdout
        .split('\n\n')[0]
        ?.split('\n')
        .slice(1)
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

/** The same policies, said twice. */
const LABELLED = upgradeFleet([
  {
    id: 'org-1',
    aus: {
      'blocked-versions': '2$',
      'sector-deps.early': '',
      'sector-deps.late': 'early',
      'sector-max-parallel-upgrades.late': '50%',
      'version-data.publish': 'org-2',
    },
    clusters: [
      member('alpha', { sector: 'early' }, { version: '4.18.3' }),
      member('beta', { mutexes: 'b,a', schedule: '0 20 * * *', workloads: 'z,wl' }),
      member('gamma', { 'soak-days': 7, sector: 'late' }),
      member('delta', { sector: 'late', 'blocked-versions': '^4\\.19' }),
      member('epsilon', { sector: 'nowhere' }),
    ],
  },
  {
    id: 'org-2',
    aus: { 'version-data.inherit': 'org-1' },
    clusters: [member('zeta', { 'soak-days': 1, schedule: '0 20 * * *' })],
  },
]);
const FILES = {
  'org-1': {
    blockedVersions: ['2$'],
    sectors: [{ name: 'early' }, { name: 'late', dependencies: [{ name: 'early' }], maxParallelUpgrades: '50%' }],
    publishVersionData: [{ $ref: '/ocm/org-2.yml' }],
    upgradePolicyClusters: [
      entry('alpha', { sector: 'early' }),
      entry('beta', { mutexes: ['b', 'a'] }, { schedule: '0 20 * * *', workloads: ['z', 'wl'] }),
      entry('gamma', { soakDays: 7, sector: 'late' }),
      entry('delta', { sector: 'late', blockedVersions: ['^4\\.19'] }),
      entry('epsilon', { sector: 'nowhere' }),
    ],
  },
  'org-2': {
    inheritVersionData: [{ $ref: '/ocm/org-1.yml' }],
    upgradePolicyClusters: [entry('zeta', { soakDays: 1 }, { schedule: '0 20 * * *' })],
  },
};
const NO_POLICIES = { 'org-1': {}, 'org-2': {} };

/** The scheduler of a source runs for some hours; then the page, as people and as programs get it. */
async function pagesOf(policies: 'labels' | 'files'): Promise<readonly string[]> {
  const own = await upgradesCli(policies === 'labels' ? LABELLED : withoutLabels(LABELLED));
  try {
    putInstance(own, policies === 'labels' ? NO_POLICIES : FILES);
    const flags = { ...instanceFlags(own), policies };
    const purpose = purposeOf(flags);
    const { load, store, rules, ignoreSts } = await openSources(
      flags,
      upgradesPorts(own.io, flags, { readOnly: false }),
      purpose,
    );
    const { integration } = purpose;
    const scheduler = createScheduler({ integration, store, rules, ignoreSts, clock: own.clock });
    for (let hour = 0; hour <= 2; hour += 1) {
      await own.sim.advanceTo(minutes(hour * 60));
      await scheduler.pass(await load());
    }
    const pages: string[] = [];
    for (const output of ['markdown', 'json', 'table'] as const) {
      expect(await report(own.io, { ...flags, output }, own.clock)).toBe(0);
      pages.push(own.take().stdout);
    }
    return pages;
  } finally {
    await own.dispose();
  }
}

function withoutLabels(fleet: object): unknown {
  return JSON.parse(JSON.stringify(fleet, (key, value) => (key === 'aus' ? undefined : value)));
}

describe('upgrades report of the second source', () => {
  it('is the same for the same policies; what is wrong names the field instead of the label', async () => {
    const field = 'upgradePolicyClusters[4].upgradePolicy.conditions.sector';
    const fromLabels = await pagesOf('labels');
    const fromFiles = await pagesOf('files');
    expect(fromFiles[0]).toContain(`- epsilon: ${field}: sector nowhere is not declared`);
    expect(fromFiles.map((page) => page.replaceAll(field, 'sre-capabilities.aus.sector'))).toEqual(fromLabels);
    expect(fromLabels[0]).toContain('"soaking_upgrades": "4.18.2 (0.0), 4.18.3 (0.08)"');
  });

  it('is not that of a configuration file, which declares no policies', async () => {
    await expect(reported({ policies: 'files' })).rejects.toMatchObject({
      code: 'FLAG_INVALID',
      message: expect.stringContaining('--policies files reads from an instance'),
      hint: expect.stringContaining('--data'),
    });
  });

  it('says so where there is no instance', async () => {
    const flags: ReportFlags = { policies: 'files', output: 'table', data: 'nowhere' };
    await expect(report(cli.io, flags, cli.clock)).rejects.toMatchObject({
      message: expect.stringContaining('nowhere'),
    });
  });
});
