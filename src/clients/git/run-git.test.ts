import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { limitReached } from '../../../test/support/limit-reached.ts';
import { until } from '../../../test/support/until.ts';
import { gitFailed, runGit, stderrText } from './run-git.ts';

let box: GitSandbox;

beforeEach(() => {
  box = gitSandbox();
});
afterEach(() => box.dispose());

/** A program named git, found before the real one. */
function pretend(script: string): void {
  box.write('bin', 'git', `#!/bin/sh\n${script}\n`, 0o755);
  vi.stubEnv('PATH', `${box.path('bin')}:${process.env['PATH']}`);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a git that does not end', () => {
  it('is stopped together with what it started', async () => {
    pretend(`sleep 600 & echo $! > '${box.path('pid')}'; wait`);
    const told = (): boolean => existsSync(box.path('pid')) && readFileSync(box.path('pid'), 'utf8').endsWith('\n');
    const fetched = limitReached(() => runGit(box.root, ['fetch'], { timeoutMs: 1500 }), { once: told, ms: 1500 });
    await expect(fetched).rejects.toMatchObject({
      code: 'GIT_TIMEOUT',
      message: expect.stringContaining('git fetch'),
    });
    const pid = Number(readFileSync(box.path('pid'), 'utf8'));
    await until(() => !isRunning(pid), { what: 'the helper of git has ended' });
  });

  it('is stopped when it tells too much', async () => {
    pretend('while :; do echo 0123456789; done');
    await expect(runGit(box.root, ['log'], { maxBytes: 10_000 })).rejects.toMatchObject({
      code: 'GIT_OUTPUT_TOO_LARGE',
    });
  });
});

describe('the environment of git', () => {
  it.each(['GIT_DIR', 'GIT_INDEX_FILE', 'GIT_TRACE', 'GIT_TRACE_CURL', 'GIT_CURL_VERBOSE', 'GIT_GLOB_PATHSPECS'])(
    'has no %s of the caller',
    async (name) => {
      vi.stubEnv(name, '1');
      pretend('env');
      const { stdout } = await runGit(box.root, ['x']);
      expect(stdout.toString()).not.toMatch(new RegExp(`^${name}=`, 'm'));
    },
  );

  it('asks nothing and keeps credentials that a CI gives by settings', async () => {
    vi.stubEnv('GIT_CONFIG_COUNT', '0');
    vi.stubEnv('GIT_ASKPASS', '/bin/ask');
    pretend('env');
    const text = (await runGit(box.root, ['x'])).stdout.toString();
    for (const line of ['GIT_TERMINAL_PROMPT=0', 'GIT_CONFIG_COUNT=0', 'GIT_ASKPASS=/bin/ask', 'LC_ALL=C']) {
      expect(text.split('\n')).toContain(line);
    }
  });
});

describe('what git said', () => {
  it.each([
    { text: "unable to access 'https://u:p@ss@h.example/x/'", shown: "unable to access 'https://***@h.example/x/'" },
    { text: 'https://token@h/x and ssh://git@h/y', shown: 'https://***@h/x and ssh://git@h/y' },
    { text: 'https://h/x@y', shown: 'https://h/x@y' },
    { text: 'git@h:x/y', shown: 'git@h:x/y' },
  ])('has no login: $text', ({ text, shown }) => {
    expect(stderrText({ stderr: text })).toBe(shown);
  });

  it('is one line without advice, colours and noise', () => {
    expect(stderrText({ stderr: 'fatal: a\r\nhint: do b\n\nerror: \x1b[31mc\x07\n' })).toBe('a; [31mc');
    expect(stderrText({ stderr: '' })).toBe('no reason given');
    expect(stderrText({ stderr: 'x'.repeat(9000) }).length).toBeLessThan(2000);
  });

  it.each([
    { stderr: "fatal: detected dubious ownership in repository at '/x'", code: 'REPOSITORY_NOT_TRUSTED' },
    { stderr: 'fatal: not a git repository (or any of the parent directories): .git', code: 'NOT_A_REPOSITORY' },
    { stderr: "fatal: could not read Username for 'https://x': terminal prompts disabled", code: 'GIT_CREDENTIALS' },
    { stderr: 'git@x: Permission denied (publickey).', code: 'GIT_CREDENTIALS' },
    { stderr: "fatal: unable to access 'https://x/': Could not resolve host: x", code: 'REMOTE_UNREACHABLE' },
    { stderr: "fatal: Unable to create '/x/index.lock': File exists.", code: 'REF_LOCKED' },
    { stderr: 'fatal: something new', code: 'GIT_FAILED' },
  ])('has the code $code: $stderr', ({ stderr, code }) => {
    const failure = gitFailed('git x in /y', { code: 128, stdout: Buffer.alloc(0), stderr });
    expect(failure).toMatchObject({ code, message: expect.stringMatching(/^git x in \/y: /) });
  });
});
