import type { Command } from 'commander';
import type { ExplainFieldFlags } from '../commands/explain.ts';
import type { Io } from '../io.ts';
import { type Finish, withCommon } from './options.ts';

export function addExplain(command: Command, io: Io, finish: Finish): void {
  withCommon(command)
    .argument('[field]', 'a kind of file, or a field of it: KIND[.FIELD…]')
    .description(
      'Show the fields of a kind of file: type, whether required, default, meaning, example. Without an argument, list the ' +
        'kinds. Positions in lists and names of your choice are left out of the path: integration.managed.spec.',
    )
    .option('--recursive', 'show all fields below, without their meaning')
    .action(async (path: string | undefined, flags: ExplainFieldFlags) => {
      const { explainField } = await import('../commands/explain.ts');
      finish(await explainField(io, path, flags));
    });
}

export function addSchema(command: Command, io: Io, finish: Finish): void {
  command
    .argument('<kind>', 'a kind of file, as listed by: echelon explain')
    .description(
      'Print the JSON Schema (draft 7) of a kind of file, for editors and validators. It accepts what Echelon reads; what only ' +
        'Echelon checks is listed by: echelon explain KIND. The same files are in schemas/ of the package.',
    )
    .option('--debug', 'print the stack of an error')
    .action(async (kind: string) => {
      const { schema } = await import('../commands/explain.ts');
      finish(await schema(io, kind));
    });
}
