import { Readable } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { EchelonError } from '../../src/base/index.ts';
import { addCommand } from '../../src/cli/command.ts';
import { aus } from '../../src/cli/commands/aus/commands.ts';
import type { Io } from '../../src/cli/io.ts';
import { EXIT } from '../../src/cli/io.ts';
import { AUS_PREFIX } from '../../src/sim/index.ts';
import { SIM_SECRET, type UpgradesCli, type UpgradesCliOptions, upgradesCli } from './upgrades-cli.ts';

/** A user of `echelon aus` who is logged in, as the ocm command keeps it, to a simulated OCM over HTTP. */
export interface AusCli extends UpgradesCli {
  /** Every secret that became known. */
  readonly secrets: string[];
  run(args: readonly string[], stdin?: string): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Labels of a cluster, by its subscription, or of an organization; those about upgrades without their prefix. */
  labels(owner: string): Record<string, string>;
}

export async function ausCli(fleet: unknown, options: UpgradesCliOptions = {}): Promise<AusCli> {
  const cli = await upgradesCli(fleet, options);
  const secrets: string[] = [];
  const io = { ...cli.io, onSecret: (secret: string) => void secrets.push(secret) };
  const { url, tokenUrl } = cli.sim;
  cli.write('.ocm.json', JSON.stringify({ url, token_url: tokenUrl, client_id: 'robot', client_secret: SIM_SECRET }));
  return {
    ...{ ...cli, io, secrets },
    run: async (args, stdin) => {
      let code = 0;
      const program = new Command('echelon')
        .exitOverride()
        .configureOutput({
          writeOut: (text) => io.stdout.write(text),
          writeErr: (text) => io.stderr.write(text),
          getOutHasColors: () => false,
          getErrHasColors: () => false,
        })
        .enablePositionalOptions();
      const finish = (finished: number): void => {
        code = finished;
      };
      addCommand(program, aus, { ...io, stdin: () => Readable.from([stdin ?? '']) }, finish);
      try {
        await program.parseAsync(['aus', ...args], { from: 'user' });
      } catch (thrown) {
        code = codeOf(thrown, io);
      }
      return { code, ...cli.take() };
    },
    labels: (owner) =>
      Object.fromEntries(
        [...cli.sim.world.state.labels.all()]
          .filter((label) => label.owner.id === owner)
          .map(({ key, value }) => [key.replace(AUS_PREFIX, ''), value] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
  };
}

/** As the entry of the CLI does it. */
function codeOf(thrown: unknown, { stderr }: Io): number {
  if (thrown instanceof CommanderError) return EXIT.usage;
  if (!(thrown instanceof EchelonError)) throw thrown;
  stderr.write(`${thrown.code}: ${thrown.message} (${thrown.hint})\n`);
  return thrown.code === 'FLAG_INVALID' ? EXIT.usage : EXIT.failed;
}
