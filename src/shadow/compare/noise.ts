import type { Multiset } from './multiset.ts';

/**
 * Messages in which the baseline differs from itself: those that do not occur equally often in all its runs. Where they differ
 * only in words with a digit, such as random names, and every run has as many of the kind, the kind does not vary: messages of the
 * candidate take their place if there are as many, and otherwise none of the kind is noise.
 */
export function noiseOf(runs: readonly Multiset[], candidate: Multiset): ReadonlySet<string> {
  const texts = new Set(runs.flatMap((run) => [...run.keys()]));
  const varying = [...texts].filter((text) => !isEqual(runs.map((run) => timesIn(run, text))));
  const unseen = [...candidate.keys()].filter((text) => !texts.has(text));
  const replaced = Map.groupBy(unseen, kindOf);
  const noisy = [...Map.groupBy(varying, kindOf)].flatMap(([kind, members]) => {
    const counts = runs.map((run) => totalIn(run, members));
    if (!isEqual(counts)) return members;
    const all = [...members, ...(replaced.get(kind) ?? [])];
    return totalIn(candidate, all) === counts[0] ? all : [];
  });
  return new Set(noisy);
}

function kindOf(text: string): string {
  return text.replaceAll(/\w*\d\w*/g, '#');
}

function timesIn(run: Multiset, text: string): number {
  return run.get(text)?.length ?? 0;
}

function totalIn(run: Multiset, texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + timesIn(run, text), 0);
}

function isEqual(numbers: readonly number[]): boolean {
  return numbers.every((number) => number === numbers[0]);
}
