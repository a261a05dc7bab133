import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { member, upgradeFleet } from '../../../../test/support/upgrade-world.ts';
import { type UpgradesCli, upgradesCli } from '../../../../test/support/upgrades-cli.ts';
import { addCommand } from '../../command.ts';
import { upgrades as spec } from './commands.ts';

let cli: UpgradesCli;
beforeEach(async () => {
  cli = await upgradesCli(upgradeFleet([{ id: 'org-1', clusters: [member('alpha')] }]));
});
afterEach(() => cli.dispose());

async function ran(...args: string[]) {
  const codes: number[] = [];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addCommand(program, spec, cli.io, (code) => codes.push(code));
  await program.parseAsync(['upgrades', ...args, '--config-file', 'upgrades.yml'], { from: 'user' });
  return { codes, ...cli.take() };
}

describe('commands that tell people about upgrades', () => {
  it.each([
    { args: ['explain', 'alpha', '-o', 'json'], kind: 'UpgradeExplanation' },
    { args: ['forecast', '--days', '3', '--every', '30', '--org', 'org-1', '-o', 'json'], kind: 'UpgradeForecast' },
    { args: ['report', '--no-sort', '-o', 'json'], kind: 'UpgradeReport' },
  ])('$args prints a document of kind $kind', async ({ args, kind }) => {
    const { codes, stdout } = await ran(...args);
    expect([codes, JSON.parse(stdout).kind]).toEqual([[0], kind]);
    expect(cli.writes()).toEqual([]);
  });

  it.each([[['forecast', '--days', '0']], [['forecast', '-o', 'wide']], [['explain']]])('refuses %j', async (args) => {
    await expect(ran(...args)).rejects.toMatchObject({ name: expect.stringMatching(/Commander|InvalidArgument/) });
  });
});
