import { sharedTexts } from '../../base/index.ts';

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Series of one gauge in little space: a process shows them from pass to pass, ten and more for each cluster. */
export interface PackedSeries {
  /** Labels that all of them have in common. */
  readonly common: Readonly<Record<string, string>>;
  /** Names of the others. */
  readonly names: readonly string[];
  /** One after the other: the values of these, then the value of the series. */
  readonly cells: readonly (string | number)[];
}

/** All series have the same names of labels. */
export function packedSeries(series: readonly Series[], shared = sharedTexts()): PackedSeries {
  const [first] = series;
  const all = Object.entries(first?.labels ?? {});
  const isCommon = ([name, value]: readonly [string, string]): boolean =>
    series.every(({ labels }) => labels[name] === value);
  const common = Object.fromEntries(all.filter(isCommon));
  const names = all.map(([name]) => name).filter((name) => !Object.hasOwn(common, name));
  const cells: (string | number)[] = [];
  for (const { labels, value } of series) {
    for (const name of names) cells.push(shared(labels[name] ?? ''));
    cells.push(value);
  }
  // A list that grew has room to spare; a copy has none.
  return { common, names, cells: cells.slice() };
}

export function* unpackedSeries({ common, names, cells }: PackedSeries): Generator<Series> {
  for (let at = 0; at < cells.length; at += names.length + 1) {
    const own = names.map((name, index) => [name, String(cells[at + index])]);
    yield { labels: { ...common, ...Object.fromEntries(own) }, value: Number(cells[at + names.length]) };
  }
}
