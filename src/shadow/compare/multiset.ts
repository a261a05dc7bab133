import { byText } from '../../base/index.ts';
import type { ClassifiedEntry } from '../read/classify.ts';
import type { CountedLine, LineDifference, LineTally } from './comparison.ts';

/** How often each message of one kind occurs, and the lines of each occurrence. */
export type Multiset = ReadonlyMap<string, readonly number[]>;

export function multisetOf(entries: readonly ClassifiedEntry[], kind: ClassifiedEntry['kind']): Multiset {
  const all = new Map<string, number[]>();
  for (const { kind: own, text, lines } of entries) {
    if (own !== kind) continue;
    const known = all.get(text);
    if (known === undefined) all.set(text, [lines]);
    else known.push(lines);
  }
  return all;
}

/** Every message once, and the lines of its repetitions. */
export function collapsed(all: Multiset): { readonly once: Multiset; readonly repeated: number } {
  let repeated = 0;
  const once = new Map<string, readonly number[]>();
  for (const [text, lines] of all) {
    once.set(text, lines.slice(0, 1));
    repeated += sum(lines.slice(1));
  }
  return { once, repeated };
}

export interface ComparedSets extends LineDifference {
  readonly noise: readonly CountedLine[];
  /** Messages that both have. */
  readonly common: number;
  readonly lines: { readonly baseline: SetTally; readonly candidate: SetTally };
}

type SetTally = Pick<LineTally, 'common' | 'different' | 'noise'>;

/** Compares without regard to order. What is noise does not count as a difference. */
export function compareSets(baseline: Multiset, candidate: Multiset, isNoise: (text: string) => boolean): ComparedSets {
  const noise: CountedLine[] = [];
  const before = emptySide();
  const after = emptySide();
  let common = 0;
  for (const text of [...new Set([...baseline.keys(), ...candidate.keys()])].sort(byText)) {
    const [own = [], other = []] = [baseline.get(text), candidate.get(text)];
    const both = Math.min(own.length, other.length);
    const noisy = own.length !== other.length && isNoise(text);
    common += both;
    if (noisy) noise.push({ text, count: Math.abs(own.length - other.length) });
    addTo(before, text, own, both, noisy);
    addTo(after, text, other, both, noisy);
  }
  return {
    onlyInBaseline: before.only,
    onlyInCandidate: after.only,
    noise,
    common,
    lines: { baseline: before.lines, candidate: after.lines },
  };
}

type Side = ReturnType<typeof emptySide>;

function emptySide() {
  return { only: [] as CountedLine[], lines: { common: 0, different: 0, noise: 0 } };
}

function addTo({ only, lines }: Side, text: string, own: readonly number[], both: number, noisy: boolean): void {
  lines.common += sum(own.slice(0, both));
  lines[noisy ? 'noise' : 'different'] += sum(own.slice(both));
  if (own.length > both && !noisy) only.push({ text, count: own.length - both });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
