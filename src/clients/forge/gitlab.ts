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
  strangeAnswer,
  withoutQuickActions,
  writeMarked,
} from './forge.ts';
import type { GitlabApi } from './gitlab-api.ts';
import { allPages, PER_PAGE, parsed } from './transport.ts';

const MAX_BODY = 1_000_000;
const MAX_TITLE = 255;

/** `project` is the path of the project in the API; with a GitLab below a path of its host it is shorter than the address. */
export function gitlabForge(api: GitlabApi, repository: RepositoryUrl, project: string, patience: Patience): Forge {
  const list = async (filter: { sourceBranch?: string; labels?: string }): Promise<MergeRequest[]> => {
    const name = `the merge requests of ${project}`;
    const found = await allPages(name, async (page) => {
      const options = { state: 'opened', scope: 'all', page, perPage: PER_PAGE } as const;
      const answer = await api.mergeRequests.all({ projectId: project, ...options, ...filter });
      return parsed(mergeRequestRecords, name, answer);
    });
    return found.filter((one) => one.source_project_id === one.target_project_id).map(mergeRequestOf);
  };
  const find = async (sourceBranch: string): Promise<MergeRequest | undefined> =>
    (await list({ sourceBranch })).find((one) => one.sourceBranch === sourceBranch);

  const forge: Forge = {
    kind: 'gitlab',
    compareUrl: (from, to) => compareUrl(repository, '/-/compare/', from, to),
    newestCommit: async (branch) => {
      const name = branch ?? (await defaultBranch(api, project));
      const record = await api.branches.show(project, name);
      return parsed(branchRecord, `the branch ${name} of ${project}`, record).commit.id;
    },
    commitsBetween: (from, to, limit) => comparison(api, project, { from, to, limit }),
    findMergeRequest: find,
    openMergeRequests: async ({ label, branchPrefix = '' }) => {
      const found = await list(label === undefined ? {} : { labels: checkedLabel(label) });
      return found.filter(({ sourceBranch }) => sourceBranch.startsWith(branchPrefix));
    },
    createMergeRequest: async (options) => {
      const send = (): Promise<MergeRequest> => created(api, project, options);
      const { made, confirmedBy } = await createOnce(send, () => find(options.sourceBranch), patience);
      return confirmedBy === 'answer' ? made : forge.updateMergeRequest(made.number, options);
    },
    updateMergeRequest: (number, options) => updated(api, project, number, options),
    closeMergeRequest: async (number, comment) => {
      await forge.comment(number, 'closed', comment);
      const { state } = await shown(api, project, number);
      if (state === 'opened') await api.mergeRequests.edit(project, number, { stateEvent: 'close' });
    },
    comment: (number, marker, body) => {
      const text = bodyOf(`${markerLine(marker)}\n${body}`);
      return writeMarked(
        {
          own: () => ownNotes(api, project, number),
          create: (content) => api.notes.create(project, number, content),
          update: (id, content) => api.notes.edit(project, number, id, { body: content }),
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

async function defaultBranch(api: GitlabApi, project: string): Promise<string> {
  const record = parsed(projectRecord, `the project ${project}`, await api.projects.show(project));
  if (record.default_branch) return record.default_branch;
  throw strangeAnswer(`the project ${project}`, 'it has no default branch');
}

/** Compares both sides by the commits that only one of them has. */
async function comparison(
  api: GitlabApi,
  project: string,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<ForgeComparison> {
  const between = async (a: string, b: string) =>
    commitsOf(parsed(comparisonRecord, `${a}...${b} of ${project}`, await api.repositories.compare(project, a, b)));
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

async function created(api: GitlabApi, project: string, options: NewMergeRequest): Promise<MergeRequest> {
  const { sourceBranch, targetBranch, labels, removeSourceBranch } = options;
  const record = await api.mergeRequests.create(project, sourceBranch, targetBranch, titleOf(options.title), {
    description: bodyOf(options.description),
    ...(labels.length === 0 ? {} : { labels: labels.map(checkedLabel).join(',') }),
    ...defined({ removeSourceBranch }),
  });
  return mergeRequestOf(parsed(mergeRequestRecord, `the new merge request of ${project}`, record));
}

function titleOf(title: string): string {
  return limitedTitle(title, MAX_TITLE);
}

async function shown(api: GitlabApi, project: string, number: number) {
  return parsed(mergeRequestRecord, `!${number} of ${project}`, await api.mergeRequests.show(project, number));
}

/** Writes only what differs, and adds only the labels that are missing. */
async function updated(
  api: GitlabApi,
  project: string,
  number: number,
  options: MergeRequestUpdate,
): Promise<MergeRequest> {
  const now = mergeRequestOf(await shown(api, project, number));
  const title = options.title === undefined ? now.title : titleOf(options.title);
  const description = options.description === undefined ? now.description : bodyOf(options.description);
  const missing = (options.labels ?? []).filter((label) => !now.labels.includes(label));
  const change = {
    ...(title === now.title ? {} : { title }),
    ...(description === now.description.replaceAll('\r\n', '\n') ? {} : { description }),
    ...(missing.length === 0 ? {} : { addLabels: missing.map(checkedLabel).join(',') }),
  };
  if (Object.keys(change).length === 0) return now;
  const record = await api.mergeRequests.edit(project, number, change);
  return mergeRequestOf(parsed(mergeRequestRecord, `!${number} of ${project}`, record));
}

async function ownNotes(api: GitlabApi, project: string, number: number): Promise<FoundComment[]> {
  const name = `the notes of !${number} of ${project}`;
  const [user, notes] = await Promise.all([
    api.users.showCurrentUser(),
    allPages(name, async (page) => {
      const answer = await api.notes.all(project, number, { sort: 'asc', page, perPage: PER_PAGE });
      return parsed(noteRecords, name, answer);
    }),
  ]);
  const { id } = parsed(userRecord, 'the own user', user);
  return notes
    .filter((note) => !note.system && note.author.id === id)
    .map((note) => ({ id: note.id, body: note.body ?? '' }));
}

export const projectRecord = z.object({ default_branch: z.string().nullish() });
export const branchRecord = z.object({ commit: z.object({ id: z.string() }) });
export const userRecord = z.object({ id: z.int() });

export const mergeRequestRecord = z.object({
  iid: z.int(),
  web_url: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  labels: z.array(z.string()),
  source_branch: z.string(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
});
export const mergeRequestRecords = z.array(mergeRequestRecord);

export const noteRecords = z.array(
  z.object({
    id: z.int(),
    body: z.string().nullish(),
    system: z.boolean(),
    author: z.object({ id: z.int() }),
  }),
);

const commitRecord = z.object({
  id: z.string(),
  title: z.string(),
  author_name: z.string(),
  author_email: z.string(),
  committed_date: z.string(),
});
export const comparisonRecord = z.object({
  commit: z.object({ id: z.string() }).nullish(),
  commits: z.array(commitRecord),
});

export function mergeRequestOf(record: z.infer<typeof mergeRequestRecord>): MergeRequest {
  return {
    number: record.iid,
    url: record.web_url,
    title: record.title,
    description: record.description ?? '',
    sourceBranch: record.source_branch,
    labels: record.labels,
  };
}

/** Newest first. GitLab has them the other way around, with the newest once more beside the list. */
export function commitsOf({ commit, commits }: z.infer<typeof comparisonRecord>): ForgeCommit[] {
  const newestFirst = commits.length > 1 && commits[0]?.id === commit?.id;
  const ordered = newestFirst ? commits : commits.toReversed();
  return ordered.map((one) => ({
    sha: one.id,
    author: { name: one.author_name, email: one.author_email },
    date: new Date(one.committed_date),
    subject: one.title,
  }));
}
