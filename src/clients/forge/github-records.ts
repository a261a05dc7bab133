import { z } from 'zod';
import { defined } from '../../base/index.ts';
import type { ForgeCommit, MergeRequest } from './forge.ts';

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
  base: z.object({ ref: z.string() }),
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
    targetBranch: pull.base.ref,
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
