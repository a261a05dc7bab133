import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GitSandbox, gitSandbox } from '../support/git-sandbox.ts';
import { runCli } from '../support/run-cli.ts';

let sandbox: GitSandbox;
let commit: string;

beforeEach(() => {
  sandbox = gitSandbox();
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  sandbox.write('bin', 'git', `#!/bin/sh\necho "$@" >> '${sandbox.path('asked')}'\nexec '${git}' "$@"\n`, 0o755);
  sandbox.init('clone');
  commit = sandbox.commit('clone', 'more', { 'data/sub/b.yml': 'b: 1\n', 'data/.keep': '', 'data/notes.md': '' });
});
afterEach(() => {
  vi.unstubAllEnvs();
  sandbox.dispose();
});

/** As an installed package, with a git that writes down what it is asked. */
async function validate(flags: readonly string[] = []) {
  vi.stubEnv('PATH', `${sandbox.path('bin')}:${process.env['PATH']}`);
  rmSync(sandbox.path('asked'), { force: true });
  const args = ['validate', '--data', sandbox.path('clone'), ...flags];
  const { stdout } = await runCli(args, {
    ...{ build: 'one', env: { ECHELON_CACHE: sandbox.path('cache') } },
  });
  const asked = readFileSync(sandbox.path('asked'), 'utf8');
  return { stdout, isAllListed: asked.includes('--untracked-files=all') };
}

describe('validate in a clone', () => {
  it('does not let git list all folders as long as git tracks every file', async () => {
    const { stdout, isAllListed } = await validate();
    expect({ revision: revisionIn(stdout), isAllListed }).toEqual({ revision: commit.slice(0, 7), isAllListed: false });
    chmodSync(sandbox.path('clone/data/notes.md'), 0o755);
    const changed = await validate();
    expect(revisionIn(changed.stdout)).toContain(`${commit.slice(0, 7)}+dirty.`);
    expect(changed.isAllListed).toBe(false);
  });

  it.each(['data/new.yml', 'data/new.md', 'data/.new', 'data/.new/x', 'resources/new', '.env'])(
    'is about changes with a new %s, as without a cache',
    async (file) => {
      await validate();
      sandbox.write('clone', file, '');
      const { stdout } = await validate();
      expect(revisionIn(stdout)).toContain(`${commit.slice(0, 7)}+dirty.`);
      expect(stdout).toBe((await validate(['--no-cache'])).stdout);
    },
  );
});

function revisionIn(stdout: string): string | undefined {
  return / at ([0-9a-f]{7}\S*)/.exec(stdout)?.[1];
}
