import type { Command } from 'commander';
import { INSTANCE_QUESTIONS } from '../../scaffold/index.ts';
import type { InitInstanceFlags, InitIntegrationFlags } from '../commands/init.ts';
import type { InitFlags } from '../commands/promote/init.ts';
import type { Io } from '../io.ts';
import { type Finish, wholeNumber } from './options.ts';
import { withPromotionFile } from './promote-commands.ts';

export function addInit(init: Command, io: Io, finish: Finish): void {
  init
    .enablePositionalOptions()
    .argument('[dir]', 'folder of the new instance', '.')
    .description(
      'Write the smallest complete instance: a cluster, an environment and an integration, with comments, a README, and files for CI. ' +
        'Asks on a terminal what no flag says. Never overwrites: all files are written, or none.',
    )
    .option('--full', 'a file for everything, as the published schemas of existing instances require')
    .option('-y, --yes', 'ask nothing: use the defaults');
  for (const { name, text } of INSTANCE_QUESTIONS) init.option(`--${name} <${name}>`, lowered(text));
  withWrite(init).action(async (folder: string, flags: InitInstanceFlags) => {
    const { initInstance } = await import('../commands/init.ts');
    finish(await initInstance(io, folder, flags));
  });
  withWrite(init.command('integration <name>'))
    .summary('add an integration to an instance')
    .description('Write the file of a new integration into an instance.')
    .option('--data <dir>', 'a data repository (default: ECHELON_DATA, else .)')
    .option('-n, --namespace <name>', 'the namespace that it runs in (default: the only one)')
    .option('--shards <n>', 'number of shards', wholeNumber)
    .option('--description <text>', 'what it reconciles')
    .option('--upstream <url>', 'its source repository (default: that of the others)')
    .action(async (name: string, flags: InitIntegrationFlags) => {
      const { initIntegration } = await import('../commands/init.ts');
      finish(await initIntegration(io, name, flags));
    });
  withWrite(init.command('rollouts'))
    .summary('write a first rollouts.yml')
    .description('Write a first resources/echelon/rollouts.yml: in every environment one shard first, then the others.')
    .option('--data <dir>', 'a data repository (default: ECHELON_DATA, else .)')
    .action(async (flags: { data?: string; dryRun?: boolean }) => {
      const { initRollouts } = await import('../commands/init.ts');
      finish(await initRollouts(io, flags));
    });
  withPromotionFile(init.command('promotion')).action(async (flags: InitFlags) => {
    const { init: write } = await import('../commands/promote/init.ts');
    finish(await write(io, flags));
  });
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function withWrite(command: Command): Command {
  return command
    .option('--dry-run', 'print the files without writing them')
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error');
}
