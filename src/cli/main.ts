import { CommanderError } from 'commander';
import { EchelonError, messageOf, Secrets } from '../base/index.ts';
import type { AnyCommand } from './command.ts';
import { buildProgram } from './commands.ts';
import { EXIT, type Io, type Output } from './io.ts';
import { line, type Paint, paintFor, shownText } from './output/terminal.ts';

/**
 * Runs one command line and returns the exit code. Never throws. Known secrets are redacted from all output. What `--help`
 * does not need is loaded by a command.
 */
export async function main(typed: readonly string[], given: Io): Promise<number> {
  const args = typed[0] === 'run' ? (await import('./commands/run/commands.ts')).withCommandName(typed) : typed;
  const io: Io = { ...redacting(given), progress: args.includes('--progress') };
  let code: number = EXIT.ok;
  let running: AnyCommand | undefined;
  const finish = (finished: number): void => {
    code = finished;
  };
  const begin = (spec: AnyCommand): void => {
    running = spec;
  };
  try {
    const program = await buildProgram(io, finish, args, begin);
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (io.signal.aborted) return EXIT.interrupted;
    return failed(thrown, args, io, running?.errorExit);
  }
}

/** Reports what a command threw, and returns the exit code: `exit`, unless the command line is invalid. */
function failed(thrown: unknown, args: readonly string[], io: Io, exit: number = EXIT.failed): number {
  showError(io, thrown, {
    paint: paintFor(io.stderr, io.env, args.includes('--no-color') ? false : undefined),
    debug: args.includes('--debug'),
  });
  if (thrown instanceof EchelonError && thrown.code === 'FLAG_INVALID') return EXIT.usage;
  return exit;
}

/** All output passes here: known secrets are removed, and what would steer the terminal is escaped. */
function redacting(io: Io): Io {
  const secrets = new Secrets();
  let some = false;
  const output = (to: Output): Output => ({
    get isTTY() {
      return to.isTTY;
    },
    get columns() {
      return to.columns;
    },
    get rows() {
      return to.rows;
    },
    on: (event, listener) => to.on?.(event, listener),
    off: (event, listener) => to.off?.(event, listener),
    write: (text) => to.write(shownText(some ? secrets.redact(text) : text)),
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

/** Three short lines: what happened, its code, what to do. A stack only with --debug. */
function showError(io: Io, thrown: unknown, options: { paint: Paint; debug: boolean }): void {
  const { paint, debug } = options;
  const known = thrown instanceof EchelonError;
  const message = oneLine(messageOf(thrown));
  const code = known ? thrown.code : 'INTERNAL';
  const hint = known ? thrown.hint : 'this is a bug in Echelon: run again with --debug and report the output';
  io.stderr.write(line(`${paint('red', 'error:')} ${message}`));
  io.stderr.write(`${paint('dim', ' code:')} ${code}\n`);
  io.stderr.write(line(`${paint('dim', ' hint:')} ${oneLine(hint)}`));
  if (debug && thrown instanceof Error) io.stderr.write(`${thrown.stack ?? ''}\n`);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
