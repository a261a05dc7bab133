/** In place of bytes that are no text: two names with one need not be the same. */
const NO_TEXT = '\uFFFD';

/**
 * Whether all names are among the tracked ones.
 *
 * @param tracked with a NUL after each.
 */
export function areTracked(names: readonly string[], tracked: string): boolean {
  const known = new Set(tracked.split('\0'));
  return names.every((name) => known.has(name) && !name.includes(NO_TEXT));
}
