import type { Problem } from '../../instance/index.ts';

/** An instance's problems by how a change affects them. */
export interface ProblemChanges {
  readonly added: readonly Problem[];
  /** Already at base. */
  readonly kept: readonly Problem[];
  /** Fixed by the change. */
  readonly gone: readonly Problem[];
}

/** Compares by problem and place in the data; line numbers may shift. */
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
