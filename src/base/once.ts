/** Caches at most `limit` results: a fleet has many clusters and few distinct schedules, patterns and versions. */
export function memoize<Value>(limit: number, compute: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute(key);
    if (known.size >= limit) known.clear();
    known.set(key, value);
    return value;
  };
}

/** Memoizes by object identity (WeakMap). */
export function oncePer<Of extends object, Value>(compute: (of: Of) => Value): (of: Of) => Value {
  const known = new WeakMap<Of, { readonly value: Value }>();
  return (of) => {
    const found = known.get(of) ?? { value: compute(of) };
    known.set(of, found);
    return found.value;
  };
}

/** Returns the first of equal texts for all of them, so that a long list keeps each once. */
export function sharedTexts(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const first = known.get(text);
    if (first === undefined) known.set(text, text);
    return first ?? text;
  };
}

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
