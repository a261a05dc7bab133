import { z } from 'zod';
import { defined } from '../../base/index.ts';
import { createOnce, type Patience } from './create-once.ts';
import {
  compareUrl,
  type Forge,
  type ForgeCommit,
  type ForgeComparison,
  ForgeError,
  type FoundComment,
  limitedBody,
  limitedTitle,
  type MergeRequest,
  type MergeRequestUpdate,
  markerLine,
  type NewMergeRequest,
  type RepositoryUrl,
  writeMarked,
} from './forge.ts';
import type { GithubApi } from './github-api.ts';
import { MAX_PAGES, PER_PAGE } from './transport.ts';

const MAX_BODY = 65_536;
const MAX_TITLE = 256;

const REPO = '/repos/{owner}/{repo}';

export function githubForge(api: GithubApi, repository: RepositoryUrl, patience: Patience): Forge {
  const [owner = ''] = repository.path.split('/');
  const isOwn = (pull: Pull): boolean => pull.head.repo?.full_name.toLowerCase() === repository.path.toLowerCase();

  const find = async (sourceBranch: string): Promise<MergeRequest | undefined> => {
    const filter = { state: 'open', head: `${owner}:${sourceBranch}` };
    const pulls = await api.list(pullRecords, `GET ${REPO}/pulls`, filter);
    const pull = pulls.find((one) => isOwn(one) && one.head.ref === sourceBranch);
    return pull && mergeRequestOf(pull);
  };

  const forge: Forge = {
    kind: 'github',
    compareUrl: (from, to) => compareUrl(repository, '/compare/', from, to),
    newestCommit: async (branch) => {
      const name = branch ?? (await api.call(repositoryRecord, `GET ${REPO}`)).default_branch;
      return (await api.call(branchRecord, `GET ${REPO}/branches/{branch}`, { branch: name })).commit.sha;
    },
    commitsBetween: (from, to, limit) => comparison(api, `${from}...${to}`, limit),
    findMergeRequest: find,
    openMergeRequests: async ({ label, branchPrefix = '' }) => {
      const pulls = await api.list(pullRecords, `GET ${REPO}/pulls`, { state: 'open' });
      return pulls
        .filter((pull) => isOwn(pull) && pull.head.ref.startsWith(branchPrefix))
        .map(mergeRequestOf)
        .filter(({ labels }) => label === undefined || labels.includes(label));
    },
    createMergeRequest: async (options) => {
      const send = async (): Promise<MergeRequest> => created(api, options);
      const { made } = await createOnce(send, () => find(options.sourceBranch), patience);
      return forge.updateMergeRequest(made.number, options);
    },
    updateMergeRequest: (number, options) => updated(api, number, options),
    closeMergeRequest: async (number, comment) => {
      await forge.comment(number, 'closed', comment);
      const pull = await api.call(pullRecord, `GET ${REPO}/pulls/{number}`, { number });
      if (pull.state === 'open')
        await api.call(pullRecord, `PATCH ${REPO}/pulls/{number}`, { number, state: 'closed' });
    },
    comment: (number, marker, body) => {
      const comments = `${REPO}/issues/{number}/comments`;
      const text = limitedBody(`${markerLine(marker)}\n${body}`, MAX_BODY);
      return writeMarked(
        {
          own: () => ownComments(api, number),
          create: (content) => api.call(z.unknown(), `POST ${comments}`, { number, body: content }),
          update: (id, content) =>
            api.call(z.unknown(), `PATCH ${REPO}/issues/comments/{comment}`, { comment: id, body: content }),
        },
        marker,
        text,
      );
    },
  };
  return forge;
}

/** Commits come oldest first and in pages: the last ones are the newest. */
async function comparison(api: GithubApi, basehead: string, limit: number): Promise<ForgeComparison> {
  const at = (page: number) =>
    api.call(comparisonRecord, `GET ${REPO}/compare/{basehead}`, { basehead, page, per_page: PER_PAGE });
  const first = await at(1);
  const total = first.total_commits;
  const commits: ReturnType<typeof commitOf>[] = [];
  const lastPage = Math.max(1, Math.ceil(total / PER_PAGE));
  const furthest = Math.max(1, lastPage - MAX_PAGES + 1);
  for (let page = lastPage; page >= furthest && commits.length < limit; page -= 1) {
    const answer = page === 1 ? first : await at(page);
    commits.push(...answer.commits.map(commitOf).reverse());
  }
  const { status, behind_by: lacking } = first;
  return { commits: commits.slice(0, Math.max(0, limit)), total, lacking, status };
}

async function created(api: GithubApi, options: NewMergeRequest): Promise<MergeRequest> {
  const pull = await api.call(pullRecord, `POST ${REPO}/pulls`, {
    title: limitedTitle(options.title, MAX_TITLE),
    body: limitedBody(options.description, MAX_BODY),
    head: options.sourceBranch,
    base: options.targetBranch,
  });
  return mergeRequestOf(pull);
}

/** Writes only what differs, and adds only the labels that are missing. */
async function updated(api: GithubApi, number: number, options: MergeRequestUpdate): Promise<MergeRequest> {
  const pull = await api.call(pullRecord, `GET ${REPO}/pulls/{number}`, { number });
  const now = mergeRequestOf(pull);
  const title = options.title === undefined ? now.title : limitedTitle(options.title, MAX_TITLE);
  const body = options.description === undefined ? now.description : limitedBody(options.description, MAX_BODY);
  const differs = title !== now.title || body !== now.description.replaceAll('\r\n', '\n');
  const written = differs
    ? mergeRequestOf(await api.call(pullRecord, `PATCH ${REPO}/pulls/{number}`, { number, title, body }))
    : now;
  const missing = (options.labels ?? []).filter((label) => !now.labels.includes(label));
  if (missing.length === 0) return written;
  const add = { number, labels: missing };
  const labels = await api.call(labelRecords, `POST ${REPO}/issues/{number}/labels`, add);
  return { ...written, labels: labels.map(({ name }) => name) };
}

async function ownComments(api: GithubApi, number: number): Promise<FoundComment[]> {
  const [login, comments] = await Promise.all([
    ownLogin(api),
    api.list(commentRecords, `GET ${REPO}/issues/{number}/comments`, { number }),
  ]);
  return comments
    .filter(({ user }) => (login === undefined ? user?.type === 'Bot' : user?.login === login))
    .map(({ id, body }) => ({ id, body: body ?? '' }));
}

/** The token of an app or of a workflow may not ask who it is; what it writes is of a bot. */
async function ownLogin(api: GithubApi): Promise<string | undefined> {
  try {
    return (await api.call(userRecord, 'GET /user')).login;
  } catch (thrown) {
    if (thrown instanceof ForgeError && thrown.status === 403) return undefined;
    throw thrown;
  }
}

export const repositoryRecord = z.object({ default_branch: z.string() });
export const branchRecord = z.object({ commit: z.object({ sha: z.string() }) });
export const userRecord = z.object({ login: z.string() });

export const pullRecord = z.object({
  number: z.int(),
  html_url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  labels: z.array(z.object({ name: z.string() })),
  head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
});
export const pullRecords = z.array(pullRecord);
export const labelRecords = z.array(z.object({ name: z.string() }));

export const commentRecords = z.array(
  z.object({
    id: z.int(),
    body: z.string().nullish(),
    user: z.object({ login: z.string(), type: z.string() }).nullish(),
  }),
);

const commitRecord = z.object({
  sha: z.string(),
  commit: z.object({
    message: z.string(),
    author: z.object({ name: z.string().nullish(), email: z.string().nullish() }).nullish(),
    committer: z.object({ date: z.string().nullish() }).nullish(),
  }),
  author: z.object({ login: z.string().optional() }).nullish(),
});

export const comparisonRecord = z.object({
  status: z.enum(['ahead', 'behind', 'diverged', 'identical']),
  total_commits: z.int(),
  behind_by: z.int(),
  commits: z.array(commitRecord),
});

export type Pull = z.infer<typeof pullRecord>;

export function mergeRequestOf(pull: Pull): MergeRequest {
  return {
    number: pull.number,
    url: pull.html_url,
    title: pull.title,
    description: pull.body ?? '',
    sourceBranch: pull.head.ref,
    labels: pull.labels.map(({ name }) => name),
  };
}

/** An account that is gone leaves an empty author. */
export function commitOf({ sha, commit, author }: z.infer<typeof commitRecord>): ForgeCommit {
  return {
    sha,
    author: { name: commit.author?.name ?? '', email: commit.author?.email ?? '' },
    date: new Date(commit.committer?.date ?? 0),
    subject: commit.message.split('\n', 1)[0] ?? '',
    ...defined({ login: author?.login }),
  };
}
