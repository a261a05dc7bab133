import { z } from 'zod';
import type { ForgeCommit, MergeRequest } from './forge.ts';

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
  target_branch: z.string(),
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
    targetBranch: record.target_branch,
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
