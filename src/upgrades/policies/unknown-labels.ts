import { byText, nearest } from '../../base/index.ts';
import { type Labels, PREFIX } from './label-keys.ts';
import { type Fault, warning } from './problem.ts';

/** Labels with our prefix that Echelon does not know, most likely typos. A suffix may end in a dot. */
export function unknownLabels(labels: Labels, suffixes: readonly string[]): Fault[] {
  return Object.keys(labels)
    .filter((key) => key.startsWith(PREFIX) && !suffixes.some((suffix) => reads(suffix, key.slice(PREFIX.length))))
    .sort(byText)
    .map((key) => {
      const close = nearest(key.slice(PREFIX.length), suffixes).map((suffix) => PREFIX + suffix);
      const hint = close.length === 0 ? 'remove it' : `did you mean ${close.join(' or ')}?`;
      return warning(key, 'unknown label', hint);
    });
}

function reads(suffix: string, name: string): boolean {
  return suffix.endsWith('.') ? name.startsWith(suffix) : name === suffix;
}
