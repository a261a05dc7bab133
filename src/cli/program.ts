import { Argument, Command } from 'commander';
import { SHELLS, type Shell } from './completion/scripts.ts';
import { EXIT_HELP } from './exit-codes.ts';
import type { Io } from './io.ts';
import { addAus } from './program/aus-commands.ts';
import { addConsole } from './program/console-commands.ts';
import { addGet, addShardOf, addValidate } from './program/instance-commands.ts';
import { addManager } from './program/manager-commands.ts';
import type { Finish } from './program/options.ts';
import { addPins } from './program/pins-commands.ts';
import { addPrCheck } from './program/pr-check-commands.ts';
import { addPromote } from './program/promote-commands.ts';
import { addRun } from './program/run-commands.ts';
import { addSim } from './program/sim-commands.ts';
import { addUpgrades } from './program/upgrades-commands.ts';
import { version } from './version.ts';

/**
 * The command tree. Only flags and help are here; a command's own file is loaded when it runs, so that
 * `--help` and completion are fast.
 */
export function buildProgram(io: Io, finish: Finish, args: readonly string[]): Command {
  const isWhole = wholeGroups(args);
  const program = new Command('echelon')
    .description('Run fleets of reconcilers from a declarative data repository, shard by shard.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText('after', EXIT_HELP)
    .configureHelp({ helpWidth: Math.min(io.stdout.columns ?? 100, 120) })
    .enablePositionalOptions();
  addValidate(program, io, finish);
  addGet(program, io, finish, isWhole('get'));
  addShardOf(program, io, finish);
  addManager(program, io, finish, isWhole('manager'));
  addPins(program, io, finish);
  addPrCheck(program, io, finish);
  addPromote(program, io, finish, isWhole('promote'));
  addRun(program, io, finish, isWhole('run'));
  addUpgrades(program, io, finish, isWhole('upgrades'));
  addAus(program, io, finish, isWhole('aus'));
  addConsole(program, io, finish);
  addSim(program, io, finish, isWhole('sim'));
  addCompletion(program, io, finish);
  return program;
}

/** These need all commands. */
const ASK_FOR_ALL: ReadonlySet<string> = new Set(['help', '__complete']);

/** For a group that is not used its name is enough: building the flags of all commands takes a while. */
function wholeGroups(args: readonly string[]): (group: string) => boolean {
  const first = args.find((word) => !word.startsWith('-')) ?? '';
  return (group) => group === first || ASK_FOR_ALL.has(first);
}

function addCompletion(program: Command, io: Io, finish: Finish): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .summary('print a completion script for bash, zsh or fish')
    .description(
      'Print a completion script.\n\n  bash:  source <(echelon completion bash)\n  zsh:   source <(echelon completion zsh)\n' +
        '  fish:  echelon completion fish | source',
    )
    .action(async (shell: Shell) => {
      const { completion } = await import('./commands/completion.ts');
      finish(completion(io, shell));
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[]) => {
      const { complete } = await import('./commands/completion.ts');
      finish(complete(io, program, words));
    });
}
