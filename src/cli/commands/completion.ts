import type { Command, Option } from 'commander';
import type { NameKind } from '../../sharding/index.ts';
import { SCRIPTS, SHELLS, type Shell } from '../completion/scripts.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { line } from '../output/terminal.ts';

/** Prints the completion script of a shell; the script asks `echelon __complete` for candidates. */
export function completion(io: Io, shell: Shell): number {
  io.stdout.write(SCRIPTS[shell]);
  return EXIT.ok;
}

/** Candidates for the last of the words after `echelon`, one a line. Empty means: complete file names. */
export async function complete(io: Io, program: Command, words: readonly string[]): Promise<number> {
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
    const { readFrom } = await import('../read-instance.ts');
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
