import { z } from 'zod';
import { defined } from '../../base/index.ts';
import { createOnce, type RetryClock } from './create-once.ts';
import {
  COMMIT_SHA,
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
import { apiPath, type ForgeApi, MAX_PAGES, PER_PAGE } from './transport.ts';

const MAX_BODY = 65_536;
const MAX_TITLE = 256;

export const GITHUB_HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };

export function githubForge(api: ForgeApi, repository: RepositoryUrl, retryClock: RetryClock): Forge {
  const [owner = '', name = ''] = repository.path.split('/');
  const repo = apiPath`/repos/${owner}/${name}`;
  const pullPath = (number: number): string => `${repo}${apiPath`/pulls/${number}`}`;
  const isOwn = (pull: Pull): boolean => pull.head.repo?.full_name.toLowerCase() === repository.path.toLowerCase();

  const find = async (sourceBranch: string): Promise<MergeRequest | undefined> => {
    const pulls = await api.list(pullRecord, `${repo}/pulls`, { state: 'open', head: `${owner}:${sourceBranch}` });
    const pull = pulls.find((one) => isOwn(one) && one.head.ref === sourceBranch);
    return pull && mergeRequestOf(pull);
  };

  const forge: Forge = {
    kind: 'github',
    compareUrl: (from, to) => compareUrl(repository, '/compare/', from, to),
    newestCommit: async (branch) => {
      const wanted = branch ?? (await api.call(repositoryRecord, 'GET', repo)).default_branch;
      return (await api.call(branchRecord, 'GET', `${repo}${apiPath`/branches/${wanted}`}`)).commit.sha;
    },
    resolveRef: (ref) =>
      api.commitOf(ref, repository, () =>
        api.call(TRIMMED_SHA, 'GET', `${repo}${apiPath`/commits/${ref}`}`, { text: 'application/vnd.github.sha' }),
      ),
    commitsBetween: (from, to, limit) => comparison(api, `${repo}${apiPath`/compare/${`${from}...${to}`}`}`, limit),
    findMergeRequest: find,
    openMergeRequests: async ({ branchPrefix }) => {
      const pulls = await api.list(pullRecord, `${repo}/pulls`, { state: 'open' });
      return pulls.filter((pull) => isOwn(pull) && pull.head.ref.startsWith(branchPrefix)).map(mergeRequestOf);
    },
    createMergeRequest: async (options) => {
      const send = (): Promise<MergeRequest> => created(api, `${repo}/pulls`, options);
      const { made } = await createOnce(send, () => find(options.sourceBranch), retryClock);
      return forge.updateMergeRequest(made.number, options);
    },
    updateMergeRequest: async (number, options) => {
      const written = await updated(api, pullPath(number), options);
      const missing = (options.labels ?? []).filter((label) => !written.labels.includes(label));
      if (missing.length === 0) return written;
      const body = { labels: missing };
      const labels = await api.call(labelRecords, 'POST', `${repo}${apiPath`/issues/${number}/labels`}`, { body });
      return { ...written, labels: labels.map((label) => label.name) };
    },
    closeMergeRequest: async (number, comment) => {
      await forge.comment(number, 'closed', comment);
      const pull = await api.call(pullRecord, 'GET', pullPath(number));
      if (pull.state === 'open') await api.call(pullRecord, 'PATCH', pullPath(number), { body: { state: 'closed' } });
    },
    comment: (number, marker, body) => {
      const comments = `${repo}${apiPath`/issues/${number}/comments`}`;
      const text = limitedBody(`${markerLine(marker)}\n${body}`, MAX_BODY);
      return writeMarked(
        {
          own: () => ownComments(api, comments),
          create: (content) => api.call(z.unknown(), 'POST', comments, { body: { body: content } }),
          update: (id, content) =>
            api.call(z.unknown(), 'PATCH', `${repo}${apiPath`/issues/comments/${id}`}`, { body: { body: content } }),
        },
        marker,
        text,
      );
    },
  };
  return forge;
}

/** Commits come oldest first and in pages: the last ones are the newest. */
async function comparison(api: ForgeApi, path: string, limit: number): Promise<ForgeComparison> {
  const at = (page: number) => api.call(comparisonRecord, 'GET', path, { query: { page, per_page: PER_PAGE } });
  const first = await at(1);
  const total = first.total_commits;
  const commits: ForgeCommit[] = [];
  const lastPage = Math.max(1, Math.ceil(total / PER_PAGE));
  const furthest = Math.max(1, lastPage - MAX_PAGES + 1);
  for (let page = lastPage; page >= furthest && commits.length < limit; page -= 1) {
    const answer = page === 1 ? first : await at(page);
    commits.push(...answer.commits.map(commitOf).reverse());
  }
  const { status, behind_by: lacking } = first;
  return { commits: commits.slice(0, Math.max(0, limit)), total, lacking, status };
}

async function created(api: ForgeApi, path: string, options: NewMergeRequest): Promise<MergeRequest> {
  const body = {
    title: limitedTitle(options.title, MAX_TITLE),
    body: limitedBody(options.description, MAX_BODY),
    head: options.sourceBranch,
    base: options.targetBranch,
  };
  return mergeRequestOf(await api.call(pullRecord, 'POST', path, { body }));
}

/** Writes only what differs. */
async function updated(api: ForgeApi, path: string, options: MergeRequestUpdate): Promise<MergeRequest> {
  const now = mergeRequestOf(await api.call(pullRecord, 'GET', path));
  const title = options.title === undefined ? now.title : limitedTitle(options.title, MAX_TITLE);
  const body = options.description === undefined ? now.description : limitedBody(options.description, MAX_BODY);
  const differs = title !== now.title || body !== now.description.replaceAll('\r\n', '\n');
  return differs ? mergeRequestOf(await api.call(pullRecord, 'PATCH', path, { body: { title, body } })) : now;
}

async function ownComments(api: ForgeApi, path: string): Promise<FoundComment[]> {
  const [login, comments] = await Promise.all([ownLogin(api), api.list(commentRecord, path)]);
  return comments
    .filter(({ user }) => (login === undefined ? user?.type === 'Bot' : user?.login === login))
    .map(({ id, body }) => ({ id, body: body ?? '' }));
}

/** The token of an app or of a workflow may not ask who it is; what it writes is of a bot. */
async function ownLogin(api: ForgeApi): Promise<string | undefined> {
  try {
    return (await api.call(userRecord, 'GET', '/user')).login;
  } catch (thrown) {
    if (thrown instanceof ForgeError && thrown.status === 403) return undefined;
    throw thrown;
  }
}

const TRIMMED_SHA = z.string().trim().pipe(COMMIT_SHA);
const repositoryRecord = z.object({ default_branch: z.string() });
const branchRecord = z.object({ commit: z.object({ sha: COMMIT_SHA }) });
const userRecord = z.object({ login: z.string() });

const pullRecord = z.object({
  number: z.int(),
  html_url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  labels: z.array(z.object({ name: z.string() })),
  head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
  base: z.object({ ref: z.string() }),
});
const labelRecords = z.array(z.object({ name: z.string() }));

const commentRecord = z.object({
  id: z.int(),
  body: z.string().nullish(),
  user: z.object({ login: z.string(), type: z.string() }).nullish(),
});

const commitRecord = z.object({
  sha: COMMIT_SHA,
  commit: z.object({
    message: z.string(),
    author: z.object({ name: z.string().nullish(), email: z.string().nullish() }).nullish(),
    committer: z.object({ date: z.string().nullish() }).nullish(),
  }),
  author: z.object({ login: z.string().optional() }).nullish(),
});

const comparisonRecord = z.object({
  status: z.enum(['ahead', 'behind', 'diverged', 'identical']),
  total_commits: z.int(),
  behind_by: z.int(),
  commits: z.array(commitRecord),
});

type Pull = z.infer<typeof pullRecord>;

function mergeRequestOf(pull: Pull): MergeRequest {
  return {
    number: pull.number,
    url: pull.html_url,
    title: pull.title,
    description: pull.body ?? '',
    sourceBranch: pull.head.ref,
    targetBranch: pull.base.ref,
    labels: pull.labels.map(({ name }) => name),
  };
}

/** An account that is gone leaves an empty author. */
function commitOf({ sha, commit, author }: z.infer<typeof commitRecord>): ForgeCommit {
  return {
    sha,
    author: { name: commit.author?.name ?? '', email: commit.author?.email ?? '' },
    date: new Date(commit.committer?.date ?? 0),
    subject: commit.message.split('\n', 1)[0] ?? '',
    ...defined({ login: author?.login }),
  };
}
