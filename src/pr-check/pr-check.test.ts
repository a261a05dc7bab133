import { describe, expect, it } from 'vitest';
import type { HostedRepository, Repository } from '../promotion/index.ts';
import { commentOn } from './pr-check.ts';
import type { CheckReport } from './report.ts';

const REPORT = {
  base: { ref: 'main' },
  head: { ref: 'change' },
  files: [],
  validation: { added: [], kept: [], gone: [] },
  integrations: [],
  runs: [],
  notes: [],
} as unknown as CheckReport;

async function opened({ named, remoteUrl }: { readonly named?: string; readonly remoteUrl?: string }) {
  const seen: string[] = [];
  const forge = {
    open: async (url: string, { namedBy }: { readonly namedBy: string }) => {
      seen.push(`${url} named by ${namedBy}`);
      return { comment: async () => ({ updated: false }) } as unknown as HostedRepository;
    },
    resolveRef: async () => '',
  };
  const repository = { remoteUrl: async () => remoteUrl } as unknown as Repository;
  const request = { number: 1, remote: 'origin', forge: {}, ...(named === undefined ? {} : { repository: named }) };
  await commentOn({ forge }, { report: REPORT, repository, baseRepoUrl: 'https://data' }, request);
  return seen;
}

describe('the forge of a comment', () => {
  it.each([
    {
      given: '--repository',
      where: { named: 'https://flag', remoteUrl: 'https://remote' },
      to: 'https://flag named by operator',
    },
    {
      given: 'the remote of the clone',
      where: { remoteUrl: 'https://remote' },
      to: 'https://remote named by operator',
    },
    { given: 'nothing but the instance', where: {}, to: 'https://data named by data' },
  ])('with $given is $to', async ({ where, to }) => {
    expect(await opened(where)).toEqual([to]);
  });
});
