import { defined, EchelonError } from '../../base/index.ts';
import type { Comparison, Note, UpstreamHistory } from '../ports.ts';
import type { PlannedItem } from './plan-edits.ts';

/** The range from an old commit to the new one, with its targets. */
export interface Range extends Comparison {
  readonly from: string;
  readonly to: string;
  readonly link?: string;
  readonly targets: readonly string[];
}

/** Commits listed per range; the total is always reported. */
const MOST_COMMITS = 250;

/** One range per old commit, the one with the most targets first; short and full forms of a commit are merged. */
export async function rangesOf(
  items: readonly PlannedItem[],
  commit: string,
  history: UpstreamHistory,
): Promise<readonly Range[]> {
  const olds = items.filter(({ changed, form, old }) => changed && form !== 'digest' && /^[0-9a-f]{7,40}$/.test(old));
  const full = new Set(olds.map(({ old }) => old).filter((old) => old.length === 40));
  const commitOf = (old: string): string => [...full].find((each) => each.startsWith(old)) ?? old;
  const groups = Map.groupBy(olds, ({ old }) => commitOf(old));
  const ranges = await Promise.all(
    [...groups].map(async ([from, own]): Promise<Range> => {
      const link = history.compareUrl(from, commit);
      return {
        from,
        to: commit,
        ...defined({ link }),
        targets: [...new Set(own.map(({ target }) => target))],
        ...(await history.compare(from, commit, MOST_COMMITS)),
      };
    }),
  );
  return ranges.toSorted((a, b) => b.targets.length - a.targets.length);
}

/** Requires --allow-rollback for an older, diverged or unrelated commit. */
export function rollbackNotes(
  ranges: readonly Range[],
  allowed: boolean,
  history: Pick<UpstreamHistory, 'wholeClone' | 'whenUnknown'> = {},
): Note[] {
  const back = ranges.filter(({ relation }) => relation === 'behind' || relation === 'diverged');
  const [first] = back;
  if (first !== undefined && !allowed) {
    throw new EchelonError({
      code: 'PROMOTION_ROLLBACK',
      message: `${relationText(first)}: ${first.targets.join(', ')} would be rolled back. Nothing was promoted`,
      hint: 'pass a newer commit with --to, exclude these with --except, or pass --allow-rollback',
    });
  }
  const unknown = ranges.filter(({ relation }) => relation === 'unknown');
  if (history.wholeClone !== undefined && unknown.length > 0 && unknown.length === ranges.length && !allowed) {
    throw foreignClone(history.wholeClone, unknown);
  }
  return [
    ...back.map(
      (range): Note => ({
        rule: 'rollback',
        message: `ROLLBACK: ${relationText(range)} (${range.targets.join(', ')})`,
        hint: 'check that this is intended',
      }),
    ),
    ...unknown.map(
      ({ from, to, targets }): Note => ({
        rule: 'history-unknown',
        message: `cannot tell whether ${short(to)} is newer than ${short(from)} (${targets.join(', ')})`,
        hint: history.whenUnknown ?? 'pass an up-to-date clone of the upstream with --upstream-clone',
      }),
    ),
  ];
}

function foreignClone(folder: string, ranges: readonly Range[]): EchelonError {
  const olds = ranges.map(({ from }) => short(from)).join(', ');
  return new EchelonError({
    code: 'UPSTREAM_CLONE',
    message: `${folder} has none of the currently promoted commits (${olds}): it is not a clone of the upstream, or it is outdated. Nothing was promoted`,
    hint: 'pass an up-to-date clone of the upstream with --upstream-clone, or pass --allow-rollback if its history was rewritten',
  });
}

function relationText({ from, to, relation }: Range): string {
  return relation === 'behind'
    ? `${short(to)} is older than ${short(from)}`
    : `${short(to)} and ${short(from)} have diverged`;
}

function short(commit: string): string {
  return commit.slice(0, 7);
}
