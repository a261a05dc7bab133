import { EchelonError, messageOf } from '../../base/index.ts';
import type { Io } from '../io.ts';
import type { Paint } from './colour.ts';
import { line } from './terminal.ts';

/** Three short lines: what happened, its code, what to do. A stack only with --debug. */
export function showError(io: Io, thrown: unknown, options: { paint: Paint; debug: boolean }): void {
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
