import { Command, Help } from 'commander';
import { exitHelp, type Io, version } from './io.ts';
import type { Finish } from './options.ts';

/** Gives a command its description, flags and subcommands. */
type Add = (command: Command, io: Io, finish: Finish) => void;

interface Row {
  readonly name: string;
  /** What follows the name in the list of commands. */
  readonly usage?: string;
  readonly summary?: string;
  readonly add: () => Promise<Add>;
}

const instance = () => import('./commands/instance/commands.ts');
const fields = () => import('./commands/instance/commands.ts');
const pins = () => import('./commands/images/commands.ts');
const help = () => import('./command.ts');
const completion = () => import('./commands/shell.ts');

/**
 * All commands, as `--help` lists them. The flags of a command are loaded when it is used, and the command itself when it
 * runs, so that help and completion are fast.
 */
const COMMANDS: readonly Row[] = [
  {
    name: 'init',
    usage: '[options] [dir]',
    summary: 'write a new instance, or add an integration, rollouts or a promotion to one',
    add: async () => (await import('./commands/instance/commands.ts')).addInit,
  },
  {
    name: 'validate',
    usage: '[options]',
    summary: 'check an instance and report all problems',
    add: async () => (await instance()).addValidate,
  },
  { name: 'get', summary: 'show the contents of an instance', add: async () => (await instance()).addGet },
  {
    name: 'explain',
    usage: '[options] [field]',
    summary: 'show the fields of a kind of file: type, default, meaning, example',
    add: async () => (await fields()).addExplain,
  },
  {
    name: 'schema',
    usage: '[options] <kind>',
    summary: 'print the JSON Schema of a kind of file, for editors',
    add: async () => (await fields()).addSchema,
  },
  {
    name: 'shard-of',
    usage: '[options] <keys...>',
    summary: 'show which shard owns a key',
    add: async () => (await instance()).addShardOf,
  },
  {
    name: 'manager',
    summary: 'deploy integrations: from integration files to workloads',
    add: async () => (await import('./commands/manager/commands.ts')).addManager,
  },
  {
    name: 'pin',
    usage: '[options] <integration>',
    summary: 'pin shards of an integration to an image',
    add: async () => (await pins()).addPin,
  },
  {
    name: 'unpin',
    usage: '[options] <integration>',
    summary: 'unpin shards of an integration',
    add: async () => (await pins()).addUnpin,
  },
  { name: 'pins', usage: '[options]', summary: 'list pinned shards', add: async () => (await pins()).addPins },
  {
    name: 'rollout',
    summary: 'show and decide how new images reach shards in waves',
    add: async () => (await import('./commands/images/commands.ts')).addRollout,
  },
  {
    name: 'shadow',
    usage: '[options] <integration>',
    summary: 'compare what a new image would do with what the current one does, in dry run',
    add: async () => (await import('./commands/images/commands.ts')).addShadow,
  },
  {
    name: 'pr-check',
    usage: '[options]',
    summary: 'show the effect of a change to the instance, and dry-run the affected integrations',
    add: async () => (await import('./commands/promotion/commands.ts')).addPrCheck,
  },
  {
    name: 'promote',
    summary: 'promote a new version to all or some targets of an instance',
    add: async () => (await import('./commands/promotion/commands.ts')).addPromote,
  },
  {
    name: 'run',
    summary: 'run an integration in a loop: the entry point of a pod',
    add: async () => (await import('./commands/run/commands.ts')).addRun,
  },
  {
    name: 'upgrades',
    summary: 'schedule cluster upgrades',
    add: async () => (await import('./commands/upgrades/commands.ts')).addUpgrades,
  },
  {
    name: 'aus',
    usage: '[options]',
    summary: 'manage upgrade policies as OCM labels',
    add: async () => (await import('./commands/aus/commands.ts')).addAus,
  },
  {
    name: 'console',
    usage: '[options]',
    summary: 'serve a read-only web console of the fleet: clusters, timeline, shards',
    add: async () => (await import('./commands/console/commands.ts')).addConsole,
  },
  {
    name: 'sim',
    summary: 'serve simulated clusters and OCM locally',
    add: async () => (await import('./commands/sim/commands.ts')).addSim,
  },
  {
    name: 'completion',
    usage: '<shell>',
    summary: 'print a completion script for bash, zsh or fish',
    add: async () => (await completion()).addCompletion,
  },
  {
    name: 'version',
    usage: '[options]',
    summary: 'print version, commit and Node',
    add: async () => (await completion()).addVersion,
  },
  {
    name: 'help',
    usage: '[command...]',
    summary: 'print help for a command',
    add: async () => (await help()).addHelpCommand,
  },
  { name: '__complete', add: async () => (await completion()).addComplete },
];

/** The command tree, as far as this command line needs it. */
export async function buildProgram(io: Io, finish: Finish, args: readonly string[]): Promise<Command> {
  const isUsed = usedBy(args);
  const program = new Command('echelon')
    .description('Run fleets of reconcilers from a declarative data repository, shard by shard.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText('after', exitHelp())
    .configureHelp({ helpWidth: Math.min(io.stdout.columns ?? 100, 120), groupItems: ownOptionsFirst })
    .enablePositionalOptions();
  for (const { name, usage = '', summary = '', add } of rowsFor(args)) {
    const command = program.command(name, { hidden: name.startsWith('_') }).summary(summary);
    if (isUsed(name)) {
      (await add())(command, io, finish);
      if (command.commands.length > 0 || mayPrintHelp(args)) (await help()).addHelp(command);
    } else list(command, usage);
  }
  return program;
}

/** A command line that begins with its command concerns no other. */
function rowsFor(args: readonly string[]): readonly Row[] {
  const own = COMMANDS.filter(({ name }) => name === args[0] && !ASK_FOR_ALL.has(name));
  return own.length > 0 ? own : COMMANDS;
}

/** A command without commands below it prints its help only when asked to. */
function mayPrintHelp(args: readonly string[]): boolean {
  return ASK_FOR_ALL.has(firstWord(args) ?? '') || args.some((word) => word === '--help' || /^-[^-]*h/.test(word));
}

const groupsOf = new Help().groupItems;

/** Before those that commands share. */
const ownOptionsFirst: Help['groupItems'] = (...items) => {
  const groups = [...groupsOf(...items)];
  const isOwn = ([title]: readonly [string, unknown]): boolean => title === 'Options:';
  return new Map([...groups.filter(isOwn), ...groups.filter((group) => !isOwn(group))]);
};

/** These need all commands. */
const ASK_FOR_ALL: ReadonlySet<string> = new Set(['help', '__complete']);

function usedBy(args: readonly string[]): (name: string) => boolean {
  const first = firstWord(args) ?? '';
  return (name) => name === first || ASK_FOR_ALL.has(first);
}

/** The command of a command line. */
export function firstWord(args: readonly string[]): string | undefined {
  return args.find((word) => !word.startsWith('-'));
}

/** A command that is only listed shows that it has flags, not which. */
function list(command: Command, usage: string): void {
  for (const word of usage.split(' ')) {
    if (word === '[options]') command.option('--debug');
    else if (word !== '') command.argument(word);
  }
}
