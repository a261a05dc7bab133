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
