/** In place of bytes that are no text: two names with one need not be the same. */
const NO_TEXT = '\uFFFD';

/**
 * Whether all names are among the tracked ones.
 *
 * @param names undefined where not all are known.
 * @param tracked with a NUL after each.
 */
export function areTracked(names: readonly string[] | undefined, tracked: string): boolean {
  if (names === undefined) return false;
  const known = new Set(tracked.split('\0'));
  return names.every((name) => known.has(name) && !name.includes(NO_TEXT));
}
