import type { Problem } from '../../instance/index.ts';

/** Problems of an instance told apart by whether a change brought them. */
export interface ProblemChanges {
  readonly added: readonly Problem[];
  /** Were there before. */
  readonly kept: readonly Problem[];
  /** Went with the change. */
  readonly gone: readonly Problem[];
}

/** Compares by what is wrong and where in the data; lines move without anything getting worse. */
export function compareProblems(base: readonly Problem[], head: readonly Problem[]): ProblemChanges {
  const before = Map.groupBy(base, keyOf);
  const added: Problem[] = [];
  const kept: Problem[] = [];
  for (const problem of head) {
    const same = before.get(keyOf(problem))?.shift();
    (same === undefined ? added : kept).push(problem);
  }
  return { added, kept, gone: [...before.values()].flat() };
}

function keyOf({ rule, severity, file, at, message }: Problem): string {
  return JSON.stringify([rule, severity, file, at ?? '', message]);
}
