import { byText, defined, EchelonError } from '../../base/index.ts';
import type { Snapshot } from '../../instance/index.ts';
import type { Comparison, Note, UpstreamCommit, UpstreamHistory } from '../ports.ts';
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

/**
 * One range per old and new commit, the one with the most targets first; short and full forms of a commit are merged.
 *
 * @param commit that all targets get; absent where each gets its own.
 */
export async function rangesOf(
  items: readonly PlannedItem[],
  commit: string | undefined,
  history: UpstreamHistory,
): Promise<readonly Range[]> {
  const moves = items.flatMap(({ changed, form, old, value = '', target }) => {
    const to = commit ?? value;
    return changed && form !== 'digest' && COMMIT.test(old) && (commit !== undefined || COMMIT.test(to))
      ? [{ from: old, to, target }]
      : [];
  });
  const full = new Set(moves.flatMap(({ from, to }) => [from, to]).filter((one) => one.length === 40));
  const commitOf = (one: string): string => [...full].find((each) => each.startsWith(one)) ?? one;
  const groups = Map.groupBy(moves, ({ from, to }) => JSON.stringify([commitOf(from), commitOf(to)]));
  const ranges = await Promise.all(
    [...groups].map(async ([key, own]): Promise<Range> => {
      const [from, to] = JSON.parse(key) as [string, string];
      const compared = await history.compare(from, to, MOST_COMMITS);
      const isBack = compared.relation === 'behind' || (compared.relation === 'unknown' && commit === undefined);
      const link = isBack ? history.compareUrl(to, from) : history.compareUrl(from, to);
      const targets = [...new Set(own.map(({ target }) => target))];
      return { from, to, ...defined({ link }), targets, ...compared };
    }),
  );
  return ranges.toSorted((a, b) => b.targets.length - a.targets.length);
}

const COMMIT = /^[0-9a-f]{7,40}$/;

/** Requires --allow-rollback for an older, diverged or unrelated commit. */
export function rollbackNotes(
  ranges: readonly Range[],
  allowed: boolean,
  history: Pick<UpstreamHistory, 'wholeClone' | 'whenUnknown' | 'hasNoCommits'> = {},
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
  if (unknown.length > 0 && !allowed && history.hasNoCommits !== true) throw historyUnknown(unknown, history);
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
        message: unknownText({ from, to, targets }),
        hint: history.whenUnknown ?? KNOW_BY_CLONE,
      }),
    ),
  ];
}

const KNOW_BY_CLONE = 'pass an up-to-date clone of the upstream with --upstream-clone';

function unknownText({ from, to, targets }: Pick<Range, 'from' | 'to' | 'targets'>): string {
  return `cannot tell whether ${short(to)} is newer than ${short(from)} (${targets.join(', ')})`;
}

function historyUnknown(
  [first]: readonly Range[],
  { whenUnknown = KNOW_BY_CLONE }: Pick<UpstreamHistory, 'whenUnknown'>,
) {
  return new EchelonError({
    code: 'HISTORY_UNKNOWN',
    message: `${first === undefined ? '' : unknownText(first)}. Nothing was promoted`,
    hint: `${whenUnknown}; or pass --allow-rollback if it is newer, or may be older`,
  });
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

/** A commit author other than the promoting user. */
export interface CommitAuthor {
  readonly name: string;
  /** The username in the instance, if it has a user for the author. */
  readonly username?: string;
  readonly login?: string;
  readonly commits: number;
}

interface User {
  readonly name: string;
  readonly username: string;
  readonly github: string;
}

export interface Caller {
  readonly name?: string;
  readonly email?: string;
}

/** The authors of commits other than the caller, most commits first. */
export function authorsToNotify(
  commits: readonly UpstreamCommit[],
  snapshot: Snapshot,
  caller: Caller,
): readonly CommitAuthor[] {
  const users = usersOf(snapshot);
  const known = commits
    .filter(({ author }) => !isCaller(author, caller))
    .map((commit) => ({ commit, user: userOf(commit, users) }));
  const groups = Map.groupBy(known, ({ commit, user }) => user?.username ?? commit.author.email.toLowerCase());
  return [...groups.values()]
    .map((own) =>
      authorOf(
        own.map(({ commit }) => commit),
        own[0]?.user,
      ),
    )
    .toSorted((a, b) => b.commits - a.commits || byText(a.name, b.name));
}

function isCaller(author: UpstreamCommit['author'], { name, email }: Caller): boolean {
  if (email !== undefined && email !== '') return author.email.toLowerCase() === email.toLowerCase();
  return name !== undefined && name !== '' && author.name === name;
}

function usersOf({ datafiles }: Snapshot): User[] {
  return [...datafiles.values()]
    .filter(({ schema }) => schema === '/access/user-1.yml')
    .map(({ content }) => ({
      name: textOf(content['name']),
      username: textOf(content['org_username']),
      github: textOf(content['github_username']).toLowerCase(),
    }))
    .filter(({ username }) => username !== '');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Matches by forge account, then by email address, then by name. */
function userOf({ login, author }: UpstreamCommit, users: readonly User[]): User | undefined {
  const [account = '', host = ''] = author.email.toLowerCase().split('@');
  const logins = [
    login?.toLowerCase(),
    host === 'users.noreply.github.com' ? account.replace(/^\d+\+/, '') : undefined,
  ];
  return (
    users.find(({ github }) => github !== '' && logins.includes(github)) ??
    users.find(({ username }) => username.toLowerCase() === account) ??
    users.find(({ name }) => name !== '' && name.toLowerCase() === author.name.toLowerCase())
  );
}

function authorOf(commits: readonly UpstreamCommit[], user: User | undefined): CommitAuthor {
  const [first] = commits;
  const login = commits.find((commit) => commit.login !== undefined)?.login;
  return {
    name: user?.name || first?.author.name || '',
    ...(user === undefined ? {} : { username: user.username }),
    ...defined({ login }),
    commits: commits.length,
  };
}
