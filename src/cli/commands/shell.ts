import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { defined } from '../../base/index.ts';
import type { NameKind } from '../../sharding/index.ts';
import {
  type AnyCommand,
  argument,
  argumentOf,
  command,
  commandAt,
  ProgramArgument,
  ProgramOption,
} from '../command.ts';
import { EXIT, type Io, version } from '../io.ts';
import { format } from '../options.ts';
import { line } from '../output/terminal.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const COMMANDS: readonly AnyCommand[] = [
  command({
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    description:
      'Print a completion script.\n\n  bash:  source <(echelon completion bash)\n  zsh:   source <(echelon completion zsh)\n' +
      '  fish:  echelon completion fish | source',
    arguments: [argumentOf('<shell>', 'the shell', SHELLS)],
    examples: ['echelon completion bash'],
    run: ({ out }, _, shell) => {
      out.write(SCRIPTS[shell]);
      return EXIT.ok;
    },
  }),
  command({
    name: 'version',
    summary: 'print version, commit and Node',
    description: 'Print the version, the commit that it was built from, and the version of Node.',
    options: format(['text', 'json', 'yaml']),
    examples: ['echelon version', 'echelon version -o json'],
    run: async ({ out }, { output }) => {
      const known = await facts();
      if (output === 'text') out.write(versionText(known));
      else {
        const { document, headed } = await import('../output/formats.ts');
        out.write(await document(output, headed('Version', known)));
      }
      return EXIT.ok;
    },
  }),
  command({
    name: 'help',
    summary: 'print help for a command',
    description: 'Print help for a command.',
    arguments: [argument('[command...]', 'words of the command')],
    examples: ['echelon help manager plan'],
    configure: (added) => {
      added.action((words: readonly string[]) => commandAt(added.parent ?? added, words).outputHelp());
    },
  }),
  command({
    name: '__complete',
    arguments: [argument('[words...]', '')],
    /** Called by the scripts; completes the words of the program that it belongs to. */
    configure: (added, io, finish) => {
      added
        .allowUnknownOption()
        .passThroughOptions()
        .action(async (words: string[]) => finish(await complete(io, added.parent ?? added, words)));
    },
  }),
];

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
  const at = before.reduce((found, word) => subcommand(found, word) ?? found, program);
  const last = before.at(-1) ?? '';
  const made = at.options.find(({ short, long }) => short === last || long === last);
  if (made !== undefined && (made.required || made.optional))
    return made.argChoices ?? names(io, before, made instanceof ProgramOption ? made.spec.traits.completes : undefined);
  if (typed.startsWith('-')) return at.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  const children = at.commands.filter((child) => !child.name().startsWith('_')).map((child) => child.name());
  if (children.length > 0) return children;
  const [first] = at.registeredArguments;
  if (first?.argChoices !== undefined) return first.argChoices;
  const completes = first instanceof ProgramArgument ? first.completes : undefined;
  return typeof completes === 'function' ? completes() : names(io, before, completes);
}

/** Names in a folder or bundle: no key may wait for a server, and none may print an error. */
async function names(io: Io, words: readonly string[], kind: NameKind | undefined): Promise<readonly string[]> {
  const data = words[words.lastIndexOf('--data') + 1];
  const place = (words.includes('--data') ? data : io.env['ECHELON_DATA']) || '.';
  if (kind === undefined || /^https?:/i.test(place)) return [];
  try {
    const { readFrom } = await import('../instance.ts');
    const { completedNames } = await import('../../sharding/index.ts');
    return completedNames(await readFrom(io, { data: place }), kind, words);
  } catch {
    return [];
  }
}

function subcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((child) => child.name() === word);
}

function versionText({ version: number, commit = 'unknown', dirty, node }: Awaited<ReturnType<typeof facts>>): string {
  const changed = dirty === true ? ', with local changes' : '';
  return `echelon ${number}\ncommit  ${commit}${changed}\nnode    ${node}\n`;
}

async function facts() {
  return { version: version(), ...(await commitOf()), node: process.versions.node };
}

/** The commit of a checkout, or the one that the build wrote into a package, which may be part of another repository. */
async function commitOf(): Promise<{ readonly commit?: string; readonly dirty?: boolean }> {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  if (existsSync(join(root, '.git'))) {
    const { describeWorkingTree } = await import('../../clients/git/index.ts');
    return (await describeWorkingTree(root, ['src', 'charts', 'package.json'])) ?? {};
  }
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

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = { bash: BASH, zsh: ZSH, fish: FISH };
