/**
 * Reports each problem once, and again after it was resolved in between: a problem that persists for a day is one line, not one per
 * pass. Returns whether there is any problem.
 */
export function changedOnly(): <T extends object>(problems: readonly T[], report: (problem: T) => void) => boolean {
  let known = new Set<string>();
  return (problems, report) => {
    const now = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
    for (const [key, problem] of now) if (!known.has(key)) report(problem);
    known = new Set(now.keys());
    return problems.length > 0;
  };
}
