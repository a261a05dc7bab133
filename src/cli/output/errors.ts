import { EchelonError, messageOf, Secrets } from '../../base/index.ts';
import { firstWord } from '../commands.ts';
import { EXIT, type Io, type Output } from '../io.ts';
import { line, type Paint, paintFor, shownText } from './terminal.ts';

/** Reports what a command threw, and returns its exit code. */
export function failed(thrown: unknown, args: readonly string[], given: Io): number {
  // Without a command the output is still unfiltered.
  const io = firstWord(args) === undefined ? redacting(given) : given;
  showError(io, thrown, {
    paint: paintFor(io.stderr, io.env, args.includes('--no-color') ? false : undefined),
    debug: args.includes('--debug'),
  });
  if (thrown instanceof EchelonError && thrown.code === 'FLAG_INVALID') return EXIT.usage;
  // There, 1 says that the images differ.
  return firstWord(args) === 'shadow' ? EXIT.notCompared : EXIT.failed;
}

/** All output passes here: known secrets are removed, and what would steer the terminal is escaped. */
export function redacting(io: Io): Io {
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
