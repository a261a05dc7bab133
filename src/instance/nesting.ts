/** The deepest nesting of a datafile, also as the YAML library reads it. */
export const MAX_NESTING = 100;

/** Whether a parsed JSON value has collections nested deeper than this. Itself not recursive, and linear. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const collections = level.filter((item): item is object => typeof item === 'object' && item !== null);
    if (collections.length > 0 && depth >= levels) return true;
    level = collections.flatMap((item): readonly unknown[] => Object.values(item));
  }
  return false;
}
