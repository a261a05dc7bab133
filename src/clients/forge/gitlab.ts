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
  unexpectedResponse,
  withoutQuickActions,
  writeMarked,
} from './forge.ts';
import { apiPath, type ForgeApi } from './transport.ts';

const MAX_BODY = 1_000_000;
const MAX_TITLE = 255;

/** @param project its path in the API; with a GitLab below a path of its host it is shorter than the URL */
export function gitlabForge(api: ForgeApi, repository: RepositoryUrl, project: string, retryClock: RetryClock): Forge {
  const base = apiPath`/projects/${project}`;
  const requests = `${base}/merge_requests`;
  const requestPath = (number: number): string => `${requests}${apiPath`/${number}`}`;
  const opened = async (filter: { readonly source_branch?: string }): Promise<MergeRequest[]> =>
    (await api.list(mergeRequestRecord, requests, { state: 'opened', scope: 'all', ...filter }))
      .filter((one) => one.source_project_id === one.target_project_id)
      .map(mergeRequestOf);
  const find = async (sourceBranch: string): Promise<MergeRequest | undefined> =>
    (await opened({ source_branch: sourceBranch })).find((one) => one.sourceBranch === sourceBranch);

  const forge: Forge = {
    kind: 'gitlab',
    compareUrl: (from, to) => compareUrl(repository, '/-/compare/', from, to),
    newestCommit: async (branch) => {
      const name = branch ?? (await defaultBranch(api, base, project));
      return (await api.call(branchRecord, 'GET', `${base}${apiPath`/repository/branches/${name}`}`)).commit.id;
    },
    resolveRef: (ref) =>
      api.commitOf(
        ref,
        repository,
        async () => (await api.call(idRecord, 'GET', `${base}${apiPath`/repository/commits/${ref}`}`)).id,
      ),
    commitsBetween: (from, to, limit) => comparison(api, `${base}/repository/compare`, { from, to, limit }),
    findMergeRequest: find,
    openMergeRequests: async ({ branchPrefix }) =>
      (await opened({})).filter(({ sourceBranch }) => sourceBranch.startsWith(branchPrefix)),
    createMergeRequest: async (options) => {
      const send = (): Promise<MergeRequest> => created(api, requests, options);
      const { made, confirmedBy } = await createOnce(send, () => find(options.sourceBranch), retryClock);
      return confirmedBy === 'answer' ? made : forge.updateMergeRequest(made.number, options);
    },
    updateMergeRequest: (number, options) => updated(api, requestPath(number), options),
    closeMergeRequest: async (number, comment) => {
      await forge.comment(number, 'closed', comment);
      const { state } = await api.call(mergeRequestRecord, 'GET', requestPath(number));
      if (state === 'opened')
        await api.call(z.unknown(), 'PUT', requestPath(number), { body: { state_event: 'close' } });
    },
    comment: (number, marker, body) => {
      const notes = `${requestPath(number)}/notes`;
      const text = bodyOf(`${markerLine(marker)}\n${body}`);
      return writeMarked(
        {
          own: () => ownNotes(api, notes),
          create: (content) => api.call(z.unknown(), 'POST', notes, { body: { body: content } }),
          update: (id, content) =>
            api.call(z.unknown(), 'PUT', `${notes}${apiPath`/${id}`}`, { body: { body: content } }),
        },
        marker,
        text,
      );
    },
  };
  return forge;
}

function bodyOf(text: string): string {
  return limitedBody(withoutQuickActions(text), MAX_BODY);
}

/** Labels go over as one text with commas. */
function checkedLabel(label: string): string {
  if (label !== '' && !label.includes(',')) return label;
  throw new ForgeError({
    code: 'FORGE_REFUSED',
    message: `${JSON.stringify(label)} is not a valid GitLab label`,
    hint: 'use a label without a comma',
  });
}

async function defaultBranch(api: ForgeApi, path: string, project: string): Promise<string> {
  const record = await api.call(projectRecord, 'GET', path);
  if (record.default_branch) return record.default_branch;
  throw unexpectedResponse(`the project ${project}`, 'it has no default branch');
}

/** Compares both sides by the commits that only one of them has. */
async function comparison(
  api: ForgeApi,
  path: string,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<ForgeComparison> {
  const between = async (a: string, b: string): Promise<ForgeCommit[]> =>
    commitsOf(await api.call(comparisonRecord, 'GET', path, { query: { from: a, to: b } }));
  const [ahead, behind] = await Promise.all([between(from, to), between(to, from)]);
  return {
    commits: ahead.slice(0, Math.max(0, limit)),
    total: ahead.length,
    lacking: behind.length,
    status: standing(ahead.length, behind.length),
  };
}

function standing(ahead: number, behind: number): ForgeComparison['status'] {
  if (ahead > 0) return behind > 0 ? 'diverged' : 'ahead';
  return behind > 0 ? 'behind' : 'identical';
}

async function created(api: ForgeApi, path: string, options: NewMergeRequest): Promise<MergeRequest> {
  const { sourceBranch, targetBranch, labels, removeSourceBranch } = options;
  const body = {
    source_branch: sourceBranch,
    target_branch: targetBranch,
    title: limitedTitle(options.title, MAX_TITLE),
    description: bodyOf(options.description),
    ...(labels.length === 0 ? {} : { labels: labels.map(checkedLabel).join(',') }),
    ...defined({ remove_source_branch: removeSourceBranch }),
  };
  return mergeRequestOf(await api.call(mergeRequestRecord, 'POST', path, { body }));
}

/** Writes only what differs, and adds only the labels that are missing. */
async function updated(api: ForgeApi, path: string, options: MergeRequestUpdate): Promise<MergeRequest> {
  const now = mergeRequestOf(await api.call(mergeRequestRecord, 'GET', path));
  const title = options.title === undefined ? now.title : limitedTitle(options.title, MAX_TITLE);
  const description = options.description === undefined ? now.description : bodyOf(options.description);
  const missing = (options.labels ?? []).filter((label) => !now.labels.includes(label));
  const body = {
    ...(title === now.title ? {} : { title }),
    ...(description === now.description.replaceAll('\r\n', '\n') ? {} : { description }),
    ...(missing.length === 0 ? {} : { add_labels: missing.map(checkedLabel).join(',') }),
  };
  if (Object.keys(body).length === 0) return now;
  return mergeRequestOf(await api.call(mergeRequestRecord, 'PUT', path, { body }));
}

async function ownNotes(api: ForgeApi, path: string): Promise<FoundComment[]> {
  const [{ id }, notes] = await Promise.all([
    api.call(userRecord, 'GET', '/user'),
    api.list(noteRecord, path, { sort: 'asc' }),
  ]);
  return notes
    .filter((note) => !note.system && note.author.id === id)
    .map((note) => ({ id: note.id, body: note.body ?? '' }));
}

const projectRecord = z.object({ default_branch: z.string().nullish() });
const branchRecord = z.object({ commit: z.object({ id: COMMIT_SHA }) });
const idRecord = z.object({ id: COMMIT_SHA });
const userRecord = z.object({ id: z.int() });

const mergeRequestRecord = z.object({
  iid: z.int(),
  web_url: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  labels: z.array(z.string()),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
});

const noteRecord = z.object({
  id: z.int(),
  body: z.string().nullish(),
  system: z.boolean(),
  author: z.object({ id: z.int() }),
});

const commitRecord = z.object({
  id: COMMIT_SHA,
  title: z.string(),
  author_name: z.string(),
  author_email: z.string(),
  committed_date: z.string(),
});
const comparisonRecord = z.object({
  commit: z.object({ id: z.string() }).nullish(),
  commits: z.array(commitRecord),
});

function mergeRequestOf(record: z.infer<typeof mergeRequestRecord>): MergeRequest {
  return {
    number: record.iid,
    url: record.web_url,
    title: record.title,
    description: record.description ?? '',
    sourceBranch: record.source_branch,
    targetBranch: record.target_branch,
    labels: record.labels,
  };
}

/** Newest first. GitLab has them the other way around, with the newest once more beside the list. */
function commitsOf({ commit, commits }: z.infer<typeof comparisonRecord>): ForgeCommit[] {
  const newestFirst = commits.length > 1 && commits[0]?.id === commit?.id;
  const ordered = newestFirst ? commits : commits.toReversed();
  return ordered.map((one) => ({
    sha: one.id,
    author: { name: one.author_name, email: one.author_email },
    date: new Date(one.committed_date),
    subject: one.title,
  }));
}
