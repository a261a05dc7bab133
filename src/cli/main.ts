import { CommanderError } from 'commander';
import { defined, EchelonError, Secrets } from '../base/index.ts';

import { EXIT } from './exit-codes.ts';
import type { Io, Output } from './io.ts';
import { paintFor } from './output/colour.ts';
import { showError } from './output/show-error.ts';
import { buildProgram } from './program.ts';

/** Runs one command line and returns the exit code. Never throws. Known secrets are redacted from all output. */
export async function main(args: readonly string[], given: Io): Promise<number> {
  const io: Io = { ...redacting(given), progress: args.includes('--progress') };
  let code: number = EXIT.ok;
  const finish = (finished: number): void => {
    code = finished;
  };
  const program = buildProgram(io, finish, args);
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

/** From the first secret on, all output passes through a filter; until then it costs nothing. */
function redacting(io: Io): Io {
  const secrets = new Secrets();
  let some = false;
  const output = (to: Output): Output => ({
    get isTTY() {
      return to.isTTY;
    },
    ...defined({ columns: to.columns }),
    write: (text) => to.write(some ? secrets.redact(text) : text),
  });
  return {
    ...io,
    stdout: output(io.stdout),
    stderr: output(io.stderr),
    onSecret: (secret) => {
      some = secrets.add(secret) || some;
      io.onSecret?.(secret);
    },
  };
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
