import { byText, defined } from '../../base/index.ts';
import type { Snapshot } from '../../instance/index.ts';
import type { UpstreamCommit } from '../ports.ts';

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
