import { CommanderError } from 'commander';
import { EchelonError } from '../base/index.ts';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';
import { paintFor } from './output/colour.ts';
import { showError } from './output/show-error.ts';
import { buildProgram } from './program.ts';

/** Runs one command line; the exit code is the result. Never throws. */
export async function main(args: readonly string[], io: Io): Promise<number> {
  let code: number = EXIT.ok;
  const program = buildProgram(io, (finished) => {
    code = finished;
  });
  for (const command of [program, ...program.commands, ...program.commands.flatMap((child) => child.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (thrown) {
    return failed(thrown, args, io);
  }
}

function failed(thrown: unknown, args: readonly string[], io: Io): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (io.signal.aborted) return EXIT.interrupted;
  showError(io, thrown, {
    paint: paintFor(io.stderr, io.env, args.includes('--no-color') ? false : undefined),
    debug: args.includes('--debug'),
  });
  return thrown instanceof EchelonError && thrown.code === 'FLAG_INVALID' ? EXIT.usage : EXIT.failed;
}
