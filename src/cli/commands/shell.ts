import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Argument, type Command, Option } from 'commander';
import { defined } from '../../base/index.ts';
import { describeWorkingTree } from '../../clients/git/index.ts';
import type { NameKind } from '../../sharding/index.ts';
import { EXIT, type Io, version } from '../io.ts';
import type { Finish } from '../options.ts';
import { API_VERSION, documentWriters, writerFor } from '../output/formats.ts';
import { line, PLAIN } from '../output/terminal.ts';

export function addCompletion(command: Command, io: Io, finish: Finish): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .description(
      'Print a completion script.\n\n  bash:  source <(echelon completion bash)\n  zsh:   source <(echelon completion zsh)\n' +
        '  fish:  echelon completion fish | source',
    )
    .action((shell: Shell) => finish(completion(io, shell)));
}

/** What the scripts call: it completes the words of the program that it belongs to. */
export function addComplete(command: Command, io: Io, finish: Finish): void {
  command
    .argument('[words...]')
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[]) => {
      finish(await complete(io, command.parent ?? command, words));
    });
}

export function addVersion(command: Command, io: Io, finish: Finish): void {
  command
    .description('Print the version, the commit that it was built from, and the version of Node.')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text'))
    .action(async ({ output }: { readonly output: VersionFormat }) => {
      finish(await printVersion(io, output));
    });
}

/** Prints the completion script of a shell; the script asks `echelon __complete` for candidates. */
export function completion(io: Io, shell: Shell): number {
  io.stdout.write(SCRIPTS[shell]);
  return EXIT.ok;
}

/** Candidates for the last of the words after `echelon`, one a line. Empty means: complete file names. */
async function complete(io: Io, program: Command, words: readonly string[]): Promise<number> {
  const typed = words.at(-1) ?? '';
  for (const candidate of await candidates(io, program, words.slice(0, -1), typed)) {
    if (candidate.startsWith(typed)) io.stdout.write(line(candidate));
  }
  return EXIT.ok;
}

async function candidates(
  io: Io,
  program: Command,
  before: readonly string[],
  typed: string,
): Promise<readonly string[]> {
  const command = before.reduce((at, word) => subcommand(at, word) ?? at, program);
  const last = before.at(-1) ?? '';
  const option = command.options.find(({ short, long }) => short === last || long === last);
  if (option !== undefined && (option.required || option.optional))
    return option.argChoices ?? names(io, before, (sharding) => sharding.namedByOption(pathOf(command), option.name()));
  if (typed.startsWith('-')) return visible(command.options).flatMap(({ long }) => (long ? [long] : []));
  const children = command.commands.filter((child) => !child.name().startsWith('_')).map((child) => child.name());
  if (command.name() === 'completion') return SHELLS;
  if (command.name() === 'schema' || pathOf(command) === 'explain') return kinds();
  return children.length > 0 ? children : names(io, before, (sharding) => sharding.namedByArgument(pathOf(command)));
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}

async function kinds(): Promise<readonly string[]> {
  const { KINDS } = await import('../../fields/index.ts');
  return KINDS.map(({ name }) => name);
}

type Sharding = typeof import('../../sharding/index.ts');

/** Names in a folder or bundle: no key may wait for a server, and none may print an error. */
async function names(
  io: Io,
  words: readonly string[],
  kindOf: (sharding: Sharding) => NameKind | undefined,
): Promise<readonly string[]> {
  const sharding = await import('../../sharding/index.ts');
  const kind = kindOf(sharding);
  const data = words[words.lastIndexOf('--data') + 1];
  const place = (words.includes('--data') ? data : io.env['ECHELON_DATA']) || '.';
  if (kind === undefined || /^https?:/i.test(place)) return [];
  try {
    const { readFrom } = await import('../instance.ts');
    return sharding.completedNames(await readFrom(io, { data: place }), kind, words);
  } catch {
    return [];
  }
}

function visible(options: readonly Option[]): readonly Option[] {
  return options.filter(({ hidden }) => !hidden);
}

function subcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((child) => child.name() === word);
}

type VersionFacts = Awaited<ReturnType<typeof facts>>;

const WRITERS = {
  text: (io: Io, { version: number, commit = 'unknown', dirty, node }: VersionFacts) => {
    const changed = dirty === true ? ', with local changes' : '';
    io.stdout.write(`echelon ${number}\ncommit  ${commit}${changed}\nnode    ${node}\n`);
  },
  ...documentWriters((known: VersionFacts) => ({ apiVersion: API_VERSION, kind: 'Version', ...known })),
};
type VersionFormat = keyof typeof WRITERS;

async function printVersion(io: Io, format: VersionFormat): Promise<number> {
  await writerFor(WRITERS, format, 'version')(io, await facts(), PLAIN);
  return EXIT.ok;
}

async function facts() {
  return { version: version(), ...(await commitOf()), node: process.versions.node };
}

/** Of a checkout its commit; of a package the one that the build wrote. A package may be part of another repository. */
async function commitOf(): Promise<{ readonly commit?: string; readonly dirty?: boolean }> {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  if (existsSync(join(root, '.git'))) return (await describeWorkingTree(root, ['src', 'charts', 'package.json'])) ?? {};
  const file = join(root, 'dist', 'commit.txt');
  return defined({ commit: existsSync(file) ? readFileSync(file, 'utf8').trim() || undefined : undefined });
}

const BASH = `_echelon() {
  local IFS=$'\\n'
  COMPREPLY=($(echelon __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _echelon echelon
`;

const ZSH = `#compdef echelon
_echelon() {
  local -a candidates
  candidates=("\${(@f)$(echelon __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then
    compadd -- "\${candidates[@]}"
  else
    _files
  fi
}
compdef _echelon echelon
`;

const FISH = `function __echelon_complete
  set -l words (commandline -opc) (commandline -ct)
  echelon __complete -- $words[2..-1] 2>/dev/null
end
complete -c echelon -a '(__echelon_complete)'
`;

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
