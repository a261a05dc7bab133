import { count } from '../../src/base/index.ts';

interface KnownParts {
  /** They run unless others are named. */
  readonly usual: readonly string[];
  readonly long: readonly string[];
}

/** The parts that `only` names, separated by commas, each once; or, in one line, which of the names are unknown. */
export function chosenParts(
  only: string,
  { usual, long }: KnownParts,
): { readonly parts: readonly string[] } | { readonly fault: string } {
  const typed = only.split(',').map((name) => name.trim());
  const names = [...new Set(typed.filter((name) => name !== ''))];
  const all = [...usual, ...long];
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    const named = unknown.map((name) => JSON.stringify(name)).join(', ');
    return {
      fault: `${count(unknown.length, 'unknown part')} in ONLY: ${named}; use one or more of: ${all.join(', ')}`,
    };
  }
  return { parts: names.length === 0 ? usual : names };
}
