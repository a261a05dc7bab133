import { type EchelonError, withTimesFromNow } from '../../base/index.ts';
import type { Io } from '../io.ts';
import type { Paint } from './colour.ts';
import { line } from './terminal.ts';

type Obstacle = Pick<EchelonError, 'message' | 'code' | 'hint'>;

/** Two lines on standard error: what failed, and what to do about it. */
export function writeObstacle(io: Io, { message, code, hint }: Obstacle, paint: Paint, text = message): void {
  io.stderr.write(errorLine(io, `${paint('red', 'error:')} ${text} [${code}]`) + line(`    ${hint}`));
}

/** A line for standard error; on a terminal it says how far away its times are, as tables do. */
export function errorLine({ stderr, now = () => new Date() }: Io, text: string): string {
  return line(stderr.isTTY ? withTimesFromNow(text, now()) : text);
}
