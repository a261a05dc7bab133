/** Caches at most `limit` results: a fleet has many clusters and few distinct schedules, patterns and versions. */
export function memoize<Value>(limit: number, compute: (key: string) => Value): (key: string) => Value {
  const cached = new Map<string, Value>();
  return (key) => {
    const found = cached.get(key);
    if (found !== undefined) return found;
    const value = compute(key);
    if (cached.size >= limit) cached.clear();
    cached.set(key, value);
    return value;
  };
}

/** Returns the first of equal texts for all of them, so that a long list keeps each once. */
export function sharedTexts(): (text: string) => string {
  const texts = new Map<string, string>();
  return (text) => {
    const first = texts.get(text);
    if (first === undefined) texts.set(text, text);
    return first ?? text;
  };
}

/**
 * Reports each problem once, and again after it was resolved in between: a problem that persists for a day is one line, not one per
 * pass. Returns whether there is any problem.
 */
export function changedOnly(): <T extends object>(problems: readonly T[], report: (problem: T) => void) => boolean {
  let reported = new Set<string>();
  return (problems, report) => {
    const now = new Map(problems.map((problem) => [JSON.stringify(problem), problem]));
    for (const [key, problem] of now) if (!reported.has(key)) report(problem);
    reported = new Set(now.keys());
    return problems.length > 0;
  };
}
