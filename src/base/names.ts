import { EchelonError } from './echelon-error.ts';
import { didYouMean } from './nearest.ts';

/** A mistyped name is an error with suggestions, or with the command that lists all, not an empty list. */
export function requireNames(
  what: string,
  names: readonly string[] | undefined,
  known: readonly string[],
  see = `${what}s`,
): void {
  for (const name of names ?? []) {
    if (known.includes(name)) continue;
    throw new EchelonError({
      code: `${what.toUpperCase()}_UNKNOWN`,
      message: `no ${what} ${name} in this instance`,
      hint: didYouMean(name, known, `list them with: echelon get ${see}`),
    });
  }
}

/** Whether a name passes an optional filter. */
export function passes(filter: readonly string[] | undefined, name: string): boolean {
  return filter === undefined || filter.length === 0 || filter.includes(name);
}
