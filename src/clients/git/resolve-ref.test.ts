import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRepository } from './index.ts';

let root: string;
/** Commits by name. */
let commits: Record<string, string>;

function git(folder: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], {
    cwd: join(root, folder),
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
}

function commit(folder: string, name: string): string {
  writeFileSync(join(root, folder, name), name);
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', name);
  return git(folder, 'rev-parse', 'HEAD');
}

/** A clone whose own main is older than the remote's, with a branch, tags and a branch of its own. */
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-resolve-ref-'));
  mkdirSync(join(root, 'origin'));
  git('origin', 'init', '--quiet', '--initial-branch', 'main');
  const old = commit('origin', 'old');
  git('origin', 'tag', 'v1');
  git('origin', 'tag', '--annotate', '--message', 'x', 'v1-annotated');
  git('', 'clone', '--quiet', 'origin', 'clone');
  const now = commit('origin', 'now');
  git('origin', 'branch', 'release/1.x', now);
  git('clone', 'fetch', '--quiet');
  git('clone', 'checkout', '--quiet', '-b', 'local');
  const local = commit('clone', 'local');
  commits = { old, now, local };
});
afterAll(() => rmSync(root, { recursive: true }));

/** The remote's branches before local ones; undefined for what is not there. */
async function resolveRef(folder: string, ref: string): Promise<string | undefined> {
  const codes = ['REF_UNKNOWN', 'NOT_A_REPOSITORY'];
  try {
    return await (await openRepository(folder)).commitOf(ref, { prefer: 'remote' });
  } catch (thrown) {
    expect(codes).toContain((thrown as { code?: string }).code);
    return undefined;
  }
}

describe('a ref of a clone', () => {
  it.each([
    { given: "a branch, the remote's before the local one", ref: 'main', is: 'now' },
    { given: 'a branch with a slash', ref: 'release/1.x', is: 'now' },
    { given: 'a branch that only the clone has', ref: 'local', is: 'local' },
    { given: 'a tag', ref: 'v1', is: 'old' },
    { given: 'a tag with a message, the commit behind it', ref: 'v1-annotated', is: 'old' },
    { given: 'a full name', ref: 'refs/tags/v1', is: 'old' },
    { given: 'HEAD, the default branch of the remote', ref: 'HEAD', is: 'now' },
  ])('is a commit: $given', async ({ ref, is }) => {
    expect(await resolveRef(join(root, 'clone'), ref)).toBe(commits[is]);
  });

  it.each([7, 12, 40])('is a commit: the first %i characters of one', async (length) => {
    expect(await resolveRef(join(root, 'clone'), (commits['old'] ?? '').slice(0, length))).toBe(commits['old']);
  });

  it.each([
    'nowhere',
    '',
    '--help',
    '-h',
    '--all',
    '--output=proof',
    'main; touch proof',
    '../main',
    'main:old',
    'v1^{tree}',
    '0000000',
    'f'.repeat(40),
  ])('is nothing: %j', async (ref) => {
    expect(await resolveRef(join(root, 'clone'), ref)).toBeUndefined();
  });

  it('is found in a bare clone as well, which has no remote branches', async () => {
    git('', 'clone', '--quiet', '--bare', 'origin', 'bare');
    expect(await resolveRef(join(root, 'bare'), 'main')).toBe(commits['now']);
  });

  it.each(['nowhere', ''])('is nothing where there is no repository: %j', async (folder) => {
    vi.stubEnv('GIT_CEILING_DIRECTORIES', tmpdir());
    expect(await resolveRef(join(root, folder), 'main')).toBeUndefined();
    vi.unstubAllEnvs();
  });
});
