import { Argument, type Command, Option } from 'commander';
import type { VersionFormat } from '../commands/version.ts';
import { SHELLS, type Shell } from '../completion/scripts.ts';
import type { Io } from '../io.ts';
import type { Finish } from './options.ts';

export function addCompletion(command: Command, io: Io, finish: Finish): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .description(
      'Print a completion script.\n\n  bash:  source <(echelon completion bash)\n  zsh:   source <(echelon completion zsh)\n' +
        '  fish:  echelon completion fish | source',
    )
    .action(async (shell: Shell) => {
      const { completion } = await import('../commands/completion.ts');
      finish(completion(io, shell));
    });
}

/** What the scripts call: it completes the words of the program that it belongs to. */
export function addComplete(command: Command, io: Io, finish: Finish): void {
  command
    .argument('[words...]')
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[]) => {
      const { complete } = await import('../commands/completion.ts');
      finish(await complete(io, command.parent ?? command, words));
    });
}

export function addVersion(command: Command, io: Io, finish: Finish): void {
  command
    .description('Print the version, the commit that it was built from, and the version of Node.')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text'))
    .action(async ({ output }: { readonly output: VersionFormat }) => {
      const { printVersion } = await import('../commands/version.ts');
      finish(await printVersion(io, output));
    });
}
