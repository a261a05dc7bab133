import type { ConsoleFlags } from '../../src/cli/commands/console/commands.ts';
import { manyClusters } from './console-fleet.ts';
import { type ConsoleRun, runConsole, shardsEnvironment } from './console-run.ts';
import { rememberedHelm } from './remembered-helm.ts';
import { promotedInWaves, rolloutFleet, TWO_WAVES } from './rollout-fleet.ts';
import { integrationText } from './sim-fleet.ts';
import { type UpgradesCli, upgradesCli } from './upgrades-cli.ts';

/** A console over a simulated OCM and a simulated cluster with as many clusters and shards as wanted. */
export interface SizedConsole extends ConsoleRun {
  readonly cli: UpgradesCli;
  dispose(): Promise<void>;
}

export interface ConsoleSize {
  /** A multiple of ten. */
  readonly clusters: number;
  readonly integrations: number;
  /** Of every integration, one for each account. */
  readonly shardsEach: number;
}

/** The first wave of an image that was promoted is open. */
const TRACKS = TWO_WAVES.replace('[alpha]', '[alpha, beta]');

/** Ready when it has made its first observation and forecast. */
export async function sizedConsole(size: ConsoleSize, flags: Partial<ConsoleFlags> = {}): Promise<SizedConsole> {
  const cli = await upgradesCli(manyClusters(size.clusters));
  const fleet = await rolloutFleet();
  for (let account = 3; account < size.shardsEach; account += 1) {
    const name = `account-${String(account).padStart(4, '0')}`;
    fleet.write(
      `aws/${name}.yml`,
      `$schema: /aws/account-1.yml\nname: ${name}\nuid: '1'\nresourcesDefaultRegion: us-east-1\n`,
    );
  }
  for (let index = 1; index < size.integrations; index += 1) {
    const name = `integration-${String(index).padStart(3, '0')}`;
    fleet.write(`integrations/${name}.yml`, integrationText(name, ['lab']));
  }
  await promotedInWaves(fleet, TRACKS);
  const env = { ...cli.io.env, ...shardsEnvironment(fleet, await rememberedHelm()) };
  const given = { configFile: 'upgrades.yml', rolloutRecord: fleet.record(), ...flags };
  const run = await runConsole({ env, cwd: cli.folder }, given, cli.clock);
  await run.ready();
  return {
    ...run,
    cli,
    dispose: async () => {
      await run.stop();
      await fleet.dispose();
      await cli.dispose();
    },
  };
}
