import type { Command } from 'commander';
import { didYouMean } from '../../base/index.ts';
import { COMMAND_EXAMPLES, COMMAND_EXITS, OPTION_GROUPS } from '../../help/index.ts';
import { exitHelp } from '../exit-codes.ts';

/** A single option of a group stays among the own ones of its command. */
function groupOptions({ options }: Command, path: string): void {
  for (const [title, names] of Object.entries(OPTION_GROUPS)) {
    // What is new is named, not selected.
    if (title === 'Selection:' && path.startsWith('init')) continue;
    const found = options.filter((option) => names.includes(option.name()));
    if (found.length > 1) for (const option of found) option.helpGroup(title);
  }
}

/** Ends the help of a command, and of all below it, with examples and exit codes, and groups its options. */
export function addHelp(command: Command, path = command.name()): void {
  for (const child of command.commands) addHelp(child, `${path} ${child.name()}`);
  groupOptions(command, path);
  const examples = (COMMAND_EXAMPLES[path] ?? []).map((example) => `  ${example}\n`);
  if ((command.commands.length > 0 && examples.length === 0) || path.startsWith('_')) return;
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.join('')}`.trimEnd());
  command.addHelpText('after', exitHelp(COMMAND_EXITS[path]));
}

/** `echelon help manager plan`: the help of a command at any depth. */
export function addHelpCommand(command: Command): void {
  command
    .argument('[command...]', 'words of the command')
    .description('Print help for a command.')
    .action((words: readonly string[]) => {
      let at = command.parent ?? command;
      for (const word of words) at = below(at, word);
      at.outputHelp();
    });
}

function below(command: Command, word: string): Command {
  const known = command.commands.filter((child) => !child.name().startsWith('_'));
  const names = known.map((child) => child.name());
  const found = known.find((child) => child.name() === word);
  return found ?? command.error(`error: unknown command '${word}'\n${didYouMean(word, names, '')}`.trimEnd());
}
