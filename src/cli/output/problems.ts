import { isAbsolute, join } from 'node:path';
import { type Problem, positionText, type Snapshot } from '../../instance/index.ts';
import type { Paint } from './colour.ts';
import { line } from './terminal.ts';

type Origin = Pick<Snapshot, 'kind' | 'origin'>;

/** Two lines per problem: location and message, then the key path and the hint. */
export function problemText(snapshot: Origin, problem: Problem, paint: Paint): string {
  const severity = paint(problem.severity === 'error' ? 'red' : 'yellow', problem.severity);
  const place = paint('bold', `${locatedFile(snapshot, problem.file)}${positionText(problem)}`);
  const at = problem.at === undefined ? '' : paint('dim', `at ${problem.at}; `);
  return `${line(`${place}: ${severity}: ${problem.message} [${problem.rule}]`)}${line(`    ${at}${problem.hint}`)}`;
}

/** `path/to/data/x.yml`, which terminals and editors turn into a link. */
export function locatedFile({ kind, origin }: Origin, file: string): string {
  return kind === 'directory' && !isAbsolute(file) ? join(origin, file) : file;
}
