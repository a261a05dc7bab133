/** The schemas use Python regular expressions, where `(?i)` at the start is a flag. */
export function schemaPattern(pattern: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  try {
    return new RegExp(flags === null ? pattern : pattern.slice(flags[0].length), flags?.[1] ?? '');
  } catch {
    return undefined;
  }
}
