import { Command, Help } from 'commander';
import { type AnyCommand, addCommand, exitHelp, type Finish } from './command.ts';
import { type Io, version } from './io.ts';

/** Commands by the file that holds them, as `--help` lists them. A file is loaded when one of its commands is used. */
export const FAMILIES: readonly {
  readonly names: readonly string[];
  load(): Promise<{ readonly COMMANDS: readonly AnyCommand[] }>;
}[] = [
  {
    names: ['init', 'validate', 'get', 'explain', 'schema', 'shard-of'],
    load: () => import('./commands/instance/commands.ts'),
  },
  { names: ['manager'], load: () => import('./commands/manager/commands.ts') },
  { names: ['pin', 'unpin', 'pins', 'rollout', 'shadow'], load: () => import('./commands/images/commands.ts') },
  { names: ['pr-check', 'promote'], load: () => import('./commands/promotion/commands.ts') },
  { names: ['run'], load: () => import('./commands/run/commands.ts') },
  { names: ['upgrades'], load: () => import('./commands/upgrades/commands.ts') },
  { names: ['aus'], load: () => import('./commands/aus/commands.ts') },
  { names: ['console'], load: () => import('./commands/console/commands.ts') },
  { names: ['sim'], load: () => import('./commands/sim/commands.ts') },
  { names: ['completion', 'version', 'help', '__complete'], load: () => import('./commands/shell.ts') },
];

/** These need all commands. */
const ASK_FOR_ALL: ReadonlySet<string> = new Set(['help', '__complete']);

/** The command tree, as far as this command line needs it; `begin` gets the command that runs. */
export async function buildProgram(
  io: Io,
  finish: Finish,
  args: readonly string[],
  begin?: (spec: AnyCommand) => void,
): Promise<Command> {
  const program = new Command('echelon')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .description('Run fleets of reconcilers from a declarative data repository, shard by shard.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText('after', exitHelp())
    .configureHelp({ helpWidth: Math.min(io.stdout.columns ?? 100, 120), groupItems: ownOptionsFirst })
    .enablePositionalOptions();
  for (const spec of await commandsFor(args)) addCommand(program, spec, io, finish, begin);
  return program;
}

/** A command line that begins with its command concerns no other. */
async function commandsFor([first = '']: readonly string[]): Promise<AnyCommand[]> {
  const own = ASK_FOR_ALL.has(first) ? undefined : FAMILIES.find(({ names }) => names.includes(first));
  const loaded = await Promise.all((own === undefined ? FAMILIES : [own]).map(({ load }) => load()));
  const specs = loaded.flatMap(({ COMMANDS }) => COMMANDS);
  return own === undefined ? specs : specs.filter(({ name }) => name === first);
}

const groupsOf = new Help().groupItems;

/** Before those that commands share. */
const ownOptionsFirst: Help['groupItems'] = (...items) => {
  const groups = [...groupsOf(...items)];
  const isOwn = ([title]: readonly [string, unknown]): boolean => title === 'Options:';
  return new Map([...groups.filter(isOwn), ...groups.filter((group) => !isOwn(group))]);
};
