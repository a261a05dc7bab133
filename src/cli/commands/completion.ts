import type { Command, Option } from 'commander';
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
export function complete(io: Io, program: Command, words: readonly string[]): number {
  const typed = words.at(-1) ?? '';
  for (const candidate of candidates(program, words.slice(0, -1), typed)) {
    if (candidate.startsWith(typed)) io.stdout.write(line(candidate));
  }
  return EXIT.ok;
}

function candidates(program: Command, before: readonly string[], typed: string): readonly string[] {
  const command = before.reduce((at, word) => subcommand(at, word) ?? at, program);
  const last = before.at(-1) ?? '';
  const option = command.options.find(({ short, long }) => short === last || long === last);
  if (option !== undefined && (option.required || option.optional)) return option.argChoices ?? [];
  if (typed.startsWith('-')) return visible(command.options).flatMap(({ long }) => (long ? [long] : []));
  const children = command.commands.filter((child) => !child.name().startsWith('_')).map((child) => child.name());
  if (command.name() === 'completion') return SHELLS;
  return children;
}

function visible(options: readonly Option[]): readonly Option[] {
  return options.filter(({ hidden }) => !hidden);
}

function subcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((child) => child.name() === word);
}
