import { defined, EchelonError } from '../../base/index.ts';
import type { Note } from '../notes.ts';
import type { PlannedItem } from './plan-edits.ts';
import type { Comparison, UpstreamHistory } from './upstream-history.ts';

/** The way from one old value to the new one, with the targets that go it. */
export interface Range extends Comparison {
  readonly from: string;
  readonly to: string;
  readonly link?: string;
  readonly targets: readonly string[];
}

/** Commits shown of a range; the total is told always. */
const MOST_COMMITS = 250;

/** One range for each old commit, the one of most targets first; a short and a full form of one commit are one. */
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

/** Going back, or to another line of history, has to be asked for; so has what none of the old values has to do with. */
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
      message: `${wayText(first)}: ${first.targets.join(', ')} would go back. Nothing is promoted`,
      hint: 'name a newer commit with --to, leave these out with --except, or use --allow-rollback',
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
        message: `ROLLBACK: ${wayText(range)} (${range.targets.join(', ')})`,
        hint: 'check that this is meant',
      }),
    ),
    ...unknown.map(
      ({ from, to, targets }): Note => ({
        rule: 'history-unknown',
        message: `whether ${short(to)} is newer than ${short(from)} is not known (${targets.join(', ')})`,
        hint: history.whenUnknown ?? 'name a clone of the upstream with --upstream-clone and fetch it',
      }),
    ),
  ];
}

function foreignClone(folder: string, ranges: readonly Range[]): EchelonError {
  const olds = ranges.map(({ from }) => short(from)).join(', ');
  return new EchelonError({
    code: 'UPSTREAM_CLONE',
    message: `${folder} has none of the commits that are promoted now (${olds}): it is no clone of the upstream, or an old one. Nothing is promoted`,
    hint: 'name a clone of the upstream with --upstream-clone and fetch it, or use --allow-rollback if its history was rewritten',
  });
}

function wayText({ from, to, relation }: Range): string {
  return relation === 'behind'
    ? `${short(to)} is older than ${short(from)}`
    : `${short(to)} and ${short(from)} are on different lines of history`;
}

function short(commit: string): string {
  return commit.slice(0, 7);
}
