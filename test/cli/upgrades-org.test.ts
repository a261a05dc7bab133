import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { addCommand } from '../../src/cli/command.ts';
import { run as runCommands } from '../../src/cli/commands/run/commands.ts';
import { runningClock } from '../../src/sim/index.ts';
import { entry } from '../support/declared-organizations.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { SIM_SECRET, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';
import { instanceFlags, putInstance } from '../support/upgrades-instance.ts';

const bare = (name: string) => ({ ...member(name), aus: {} });
const FLEET = upgradeFleet([
  { id: 'org-1', clusters: [bare('alpha'), bare('beta'), member('labelled')] },
  { id: 'org-2', clusters: [bare('gamma')] },
  { id: 'org-3', clusters: [bare('delta')] },
]);
const FILES = {
  'org-1': {
    sectors: [{ name: 'late' }],
    upgradePolicyClusters: [entry('alpha'), entry('beta', { sector: 'nowhere' }), entry('gone')],
  },
  'org-2': { upgradePolicyClusters: [entry('gamma', { soakDays: 3 })] },
  'org-3': {
    upgradePolicyClusters: [entry('delta')],
    disable: { integrations: ['ocm-upgrade-scheduler-org'] },
  },
};

let cli: UpgradesCli;
const outputs: string[] = [];
afterEach(async () => {
  outputs.push(cli.written.stdout, cli.written.stderr);
  await cli.dispose();
});

/** One pass, by the command line of a pod. */
async function run(args: readonly string[] = [], files: typeof FILES | object = FILES): Promise<number> {
  cli = await upgradesCli(FLEET, { clock: runningClock(), env: { LOG_FORMAT: 'json', RUN_ONCE: 'true' } });
  putInstance(cli, files as typeof FILES);
  const { data, secretsDir, state } = instanceFlags(cli);
  let code = -1;
  const program = new Command().exitOverride();
  addCommand(program, runCommands, cli.io, (given) => {
    code = given;
  });
  const common = ['--data', data, '--secrets-dir', secretsDir, '--state', state];
  const metrics = ['--metrics-port', '0', '--metrics-host', '127.0.0.1'];
  await program.parseAsync(['run', 'ocm-upgrade-scheduler-org', ...common, ...metrics, ...args], { from: 'user' });
  return code;
}

const events = () =>
  cli.written.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const policies = () => [...cli.sim.world.state.policies.all()].map(({ target }) => target.clusterId);
const stored = (orgId: string) => existsSync(join(cli.folder, `state/ocm-upgrade-scheduler-org/test/${orgId}`));

describe('one pass over organization files', () => {
  it('schedules clusters that files name; labels count for nothing, and who switched it off is left alone', async () => {
    expect(await run()).toBe(0);
    expect(policies()).toEqual(['alpha-id']);
    expect([stored('org-1'), stored('org-2'), stored('org-3')]).toEqual([true, true, false]);
    expect(cli.sim.requests.filter(({ collection }) => collection === 'labels')).toEqual([]);
  });

  it('tells operators what is wrong in a file, and users nothing', async () => {
    await run();
    expect(events()).toContainEqual(
      expect.objectContaining({
        ...{ cluster: 'beta', key: 'upgradePolicyClusters[1].upgradePolicy.conditions.sector' },
        problem: 'sector nowhere is not declared',
      }),
    );
    expect(JSON.stringify(events())).toContain('invalid organization file');
    expect([...cli.sim.world.state.logs.all()]).toEqual([]);
  });

  it('holds a cluster whose entry does not fit, and goes on with the others', async () => {
    const broken = entry('beta', { soakDays: 'few' });
    expect(await run([], { 'org-1': { upgradePolicyClusters: [broken, entry('alpha')] } })).toBe(0);
    expect(policies()).toEqual(['alpha-id']);
    const key = 'upgradePolicyClusters[0].upgradePolicy.conditions.soakDays';
    expect(events()).toContainEqual(expect.objectContaining({ cluster: 'beta', key }));
  });

  it.each([
    { names: ['beta', 'alpha'], rules: 'qontract' },
    { names: ['alpha', 'beta'], rules: 'qontract' },
    { names: ['beta', 'alpha'], rules: 'default' },
  ])('gives a mutex to whom the file names first: $names, $rules', async ({ names, rules }) => {
    const upgradePolicyClusters = names.map((name) => entry(name, { mutexes: ['m'] }));
    expect(await run(['--rules', rules], { 'org-1': { upgradePolicyClusters } })).toBe(0);
    expect(policies()).toEqual([`${names[0]}-id`]);
  });

  it('stops an organization whose sectors cannot be read', async () => {
    const sectors = [{ name: 'early', dependencies: 'none' }];
    expect(
      await run([], { 'org-1': { sectors, upgradePolicyClusters: [entry('alpha')] }, 'org-2': FILES['org-2'] }),
    ).toBe(0);
    expect(policies()).toEqual([]);
    expect(events()).toContainEqual(expect.objectContaining({ orgId: 'org-1', key: 'sectors[0].dependencies' }));
  });

  it('is sharded by organization: others are not asked for', async () => {
    expect(await run(['--org-id', 'org-2'])).toBe(0);
    expect([policies(), stored('org-1'), stored('org-2')]).toEqual([[], false, true]);
  });

  it('writes nothing in a dry run: promise P2', async () => {
    expect(await run(['--dry-run'])).toBe(0);
    expect(events()).toContainEqual(expect.objectContaining({ clusterId: 'alpha-id', version: '4.18.3' }));
    expect([cli.writes(), existsSync(join(cli.folder, 'state'))]).toEqual([[], false]);
  });

  it('refuses a configuration file, which declares no policies', async () => {
    await expect(run(['--config-file', 'upgrades.yml'])).rejects.toMatchObject({ code: 'FLAG_INVALID' });
  });
});

/** Promise X1: no secret is in logs of any test. */
afterAll(() => {
  expect(outputs.join('\n')).toContain('integration started');
  expect(outputs.join('\n')).not.toContain(SIM_SECRET);
});
