import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ExplainFlags, explain } from '../support/upgrade-commands.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const FLEET = upgradeFleet([
  {
    id: 'org-1',
    clusters: [
      member('alpha', { mutexes: 'm' }),
      member('beta', { mutexes: 'm', 'soak-days': 2 }),
      member('gamma', {}, { version: '4.18.3' }),
      member('asleep', { 'soak-days': 'few' }, { state: 'hibernating' }),
    ],
  },
]);

let cli: UpgradesCli;
beforeEach(async () => {
  cli = await upgradesCli(FLEET);
});
afterEach(() => cli.dispose());

async function explained(cluster: string, output: ExplainFlags['output'] = 'table', more: Partial<ExplainFlags> = {}) {
  const code = await explain(cli.io, cluster, { configFile: 'upgrades.yml', output, ...more }, cli.clock);
  return { code, ...cli.take() };
}

describe('upgrades explain', () => {
  it('shows every candidate, every gate in order, and who stands in the way', async () => {
    const { code, stdout } = await explained('beta');
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe(
      'beta stays on 4.18.1: 4.18.3 starts not before 2026-03-04T10:07:00Z, and after the upgrade of alpha is over: wl has soaked 0 of 2 days',
    );
    expect(stdout).toMatch(/^soak days: 2$/m);
    expect(
      lines.filter((line) => / (pass|wait) {2,}/.test(line)).map((line) => line.split(/ {3,}/).slice(0, 3)),
    ).toEqual([
      ...['4.18.3', '4.18.2'].flatMap((version) => [
        [version, 'available', 'pass'],
        ['', 'blocked', 'pass'],
        ['', 'inherited-floor', 'pass'],
        ['', 'sector', 'pass'],
        ['', 'soak', 'wait'],
        ['', 'version-gate', 'pass'],
        ['', 'freeze', 'pass'],
        ['', 'schedule', 'pass'],
        ['', 'mutex', 'wait'],
        ['', 'busy', 'pass'],
        ['', 'health', 'pass'],
      ]),
    ]);
    expect(stdout).toMatch(/soak +wait +wl has soaked 0 of 2 days +2026-03-04T10:00:00Z\n/);
    expect(stdout).toMatch(/mutex +wait +mutex m is held by alpha +after the upgrade of alpha is over\n/);
    expect(stdout).toContain(
      '4.18.3: starts not before 2026-03-04T10:07:00Z, and after the upgrade of alpha is over\n',
    );
    expect(stdout).toContain(
      '4.18.2: only after a healthy cluster with the workload wl runs 4.18.2, and after the upgrade of alpha is over\n',
    );
    expect(cli.writes()).toEqual([]);
  });

  it('leads with the start in its window, not with the hour in which that can be booked', async () => {
    await cli.dispose();
    cli = await upgradesCli(
      upgradeFleet([{ id: 'org-1', clusters: [member('alpha', { schedule: '0 15 * * *' }), member('beta')] }]),
    );
    const { stdout } = await explained('alpha');
    expect(stdout.split('\n')[0]).toBe(
      'alpha stays on 4.18.1: 4.18.3 starts not before 2026-03-02T15:00:00Z: the next slot is 2026-03-02T15:00:00Z',
    );
    const { clusters } = JSON.parse((await explained('alpha', 'json')).stdout) as {
      clusters: { candidates: object[] }[];
    };
    expect(clusters[0]?.candidates[0]).toMatchObject({
      opens: { at: '2026-03-02T13:00:00Z' },
      startsNotBefore: '2026-03-02T15:00:00Z',
    });
  });

  it('shows what is taken', async () => {
    const { stdout } = await explained('alpha-id');
    expect(stdout).toContain('alpha upgrades from 4.18.1 to 4.18.3 at 2026-03-02T10:07:00Z\n');
    expect(stdout).toContain('4.18.3: taken now\n4.18.2: could be taken, but 4.18.3 is later\n');
  });

  it('shows the same to programs and pages', async () => {
    expect(JSON.parse((await explained('beta', 'json')).stdout)).toMatchObject({
      kind: 'UpgradeExplanation',
      clusters: [{ name: 'beta', candidates: [{ version: '4.18.3', chosen: false }, { version: '4.18.2' }] }],
    });
    expect((await explained('beta', 'yaml')).stdout).toContain('kind: UpgradeExplanation\n');
    expect((await explained('gamma', 'markdown')).stdout).toContain(
      '| - | available | wait | OCM offers nothing newer than 4.18.3 in stable-4.18 | after a newer version is offered |',
    );
  });

  it('explains a name for each organization that has it', async () => {
    const twin = (id: string) => ({ ...member('twin'), id, uuid: `${id}-uuid`, subscription: `${id}-sub` });
    const twins = await upgradesCli(
      upgradeFleet([
        { id: 'org-1', clusters: [twin('a')] },
        { id: 'org-2', clusters: [twin('b')] },
      ]),
    );
    await explain(twins.io, 'twin', { configFile: 'upgrades.yml', output: 'table' }, twins.clock);
    expect(twins.take().stdout.match(/^uuid: .+$/gm)).toEqual(['uuid: a-uuid', 'uuid: b-uuid']);
    await explain(twins.io, 'b', { configFile: 'upgrades.yml', output: 'table' }, twins.clock);
    expect(twins.take().stdout.match(/^uuid: .+$/gm)).toEqual(['uuid: b-uuid']);
    await twins.dispose();
  });

  it('lets no label steer the terminal', async () => {
    const hostile = await upgradesCli(
      upgradeFleet([{ id: 'org-1', clusters: [member('alpha', { sector: 'a\u001b[2Jb', workloads: 'w\u0007' })] }]),
    );
    await explain(hostile.io, 'alpha', { configFile: 'upgrades.yml', output: 'table' }, hostile.clock);
    const { stdout } = hostile.take();
    expect(stdout).toContain('sector: a\\u001b[2Jb');
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    await hostile.dispose();
  });

  it('names near names for one that nobody has', async () => {
    await expect(explained('betta')).rejects.toMatchObject({ code: 'CLUSTER_UNKNOWN', hint: 'did you mean beta?' });
  });

  it('does not know a cluster that is not ready by the rules of the existing scheduler, and says why', async () => {
    const rules = { rules: 'qontract' };
    expect((await explained('alpha', 'table', rules)).stdout).toMatch(/^alpha upgrades from 4\.18\.1 to 4\.18\.3/);
    await expect(explained('asleep', 'table', rules)).rejects.toMatchObject({
      code: 'CLUSTER_UNKNOWN',
      message: expect.stringContaining('by these rules one that is not ready does not count'),
    });
    expect((await explained('asleep')).stdout).toMatch(/^asleep stays on 4\.18\.1: /);
  });
});
