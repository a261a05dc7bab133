import type { OperatedFleet, RenderFailure } from '../../../manager/index.ts';
import type { Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { writeObstacle } from '../../output/obstacle.ts';
import { problemText } from '../../output/problems.ts';

/** Prints problems and render failures on standard error; returns whether any is an error. */
export function reportProblems(
  io: Io,
  { instance, problems }: Pick<OperatedFleet, 'instance' | 'problems'>,
  flags: { readonly color?: boolean },
  failures: readonly RenderFailure[] = [],
): boolean {
  const paint = paintFor(io.stderr, io.env, flags.color);
  for (const problem of problems) io.stderr.write(problemText(instance.snapshot, problem, paint));
  for (const { error } of failures) writeObstacle(io, error, paint);
  return failures.length > 0 || problems.some(({ severity }) => severity === 'error');
}
