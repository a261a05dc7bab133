/** What a forge knows of one repository. Tests change it as users and other programs would. */
export interface ForgeState {
  /** `owner/name`, or with groups inside groups for GitLab. */
  readonly project: string;
  defaultBranch: string;
  /** Tips by name. */
  readonly branches: Map<string, string>;
  readonly commits: StoredCommit[];
  readonly requests: StoredRequest[];
  /** Login of whoever has the token. */
  readonly user: string;
  nextId: number;
}

export interface StoredCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly date: string;
  readonly login?: string;
}

export interface StoredRequest {
  readonly number: number;
  title: string;
  body: string;
  readonly source: string;
  readonly target: string;
  labels: string[];
  state: 'open' | 'closed' | 'merged';
  /** From a fork, which may have a branch of the same name. */
  readonly fork?: boolean;
  readonly removeSourceBranch?: boolean;
  readonly comments: StoredComment[];
}

export interface StoredComment {
  readonly id: number;
  body: string;
  readonly author: string;
  /** Written by the forge itself. */
  readonly system?: boolean;
}

/** The sha of a branch or commit, also a shortened one. */
export function shaOf(state: ForgeState, ref: string): string | undefined {
  const tip = state.branches.get(ref);
  if (tip !== undefined) return tip;
  return /^[0-9a-f]{7,40}$/.test(ref) ? state.commits.find(({ sha }) => sha.startsWith(ref))?.sha : undefined;
}

/** Commits of `to` that `from` does not have, oldest first. */
export function commitsBetween(state: ForgeState, from: string, to: string): StoredCommit[] {
  const known = ancestors(state, from);
  const wanted = ancestors(state, to);
  return state.commits.filter(({ sha }) => wanted.has(sha) && !known.has(sha));
}

function ancestors(state: ForgeState, sha: string): Set<string> {
  const parents = new Map(state.commits.map((commit) => [commit.sha, commit.parents]));
  const found = new Set<string>();
  const open = [sha];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(parents.get(next) ?? []));
  }
  return found;
}

/** `count` commits one after another, the last one the tip of the branch; oldest first. */
export function addCommits(state: ForgeState, branch: string, count: number, parent?: string): StoredCommit[] {
  let last = parent ?? state.branches.get(branch);
  const made = Array.from({ length: count }, (_, index) => {
    const number = state.commits.length + 1;
    const commit: StoredCommit = {
      sha: number.toString(16).padStart(8, '0').padEnd(40, 'a'),
      parents: last === undefined ? [] : [last],
      message: `Commit ${number} on ${branch}\n\nbody`,
      author: { name: `Author ${index % 3}`, email: `author${index % 3}@example.com` },
      date: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
      ...(index % 3 === 0 ? { login: 'mara-okafor' } : {}),
    };
    state.commits.push(commit);
    last = commit.sha;
    return commit;
  });
  if (last !== undefined) state.branches.set(branch, last);
  return made;
}

export function addRequest(
  state: ForgeState,
  given: Partial<StoredRequest> & { readonly source: string },
): StoredRequest {
  const request: StoredRequest = {
    number: state.requests.length + 1,
    title: 'Title',
    body: 'Body',
    target: state.defaultBranch,
    labels: [],
    state: 'open',
    comments: [],
    ...given,
  };
  state.requests.push(request);
  return request;
}

export function addComment(
  state: ForgeState,
  request: StoredRequest,
  body: string,
  author = state.user,
): StoredComment {
  state.nextId += 1;
  const comment = { id: state.nextId, body, author };
  request.comments.push(comment);
  return comment;
}
