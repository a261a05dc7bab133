import { EchelonError, Secrets, secretValues } from '../../base/index.ts';
import type { GitAnswer } from './run-git.ts';

const LONGEST_TEXT = 1500;

/**
 * What git said, fit for a message: no logins, no advice of its own, nothing that a terminal would obey. Git and its helpers
 * have the environment of this process.
 */
export function saidBy({ stderr }: Pick<GitAnswer, 'stderr'>): string {
  const inherited = new Secrets(secretValues(process.env));
  // Git puts a word before each line of the remote, which may be a part of a longer one.
  const lines = stderr.replaceAll(/^remote: */gm, 'remote:\n');
  return inherited.quote(lines, { longest: LONGEST_TEXT, tidy: withoutAdvice }) || 'no reason given';
}

function withoutAdvice(stderr: string): string {
  return stderr
    .replaceAll('remote:\n', 'remote: ')
    .split(/[\r\n]+/)
    .map((line) => line.replace(/[^\P{Cc}\t]/gu, '').trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'))
    .map((line) => line.replace(/^(?:fatal|error): /, ''))
    .join('; ');
}

interface Known {
  readonly text: RegExp;
  readonly code: string;
  readonly hint: string;
}

const KNOWN: readonly Known[] = [
  {
    text: /dubious ownership/,
    code: 'REPOSITORY_NOT_TRUSTED',
    hint: 'the folder belongs to another user; allow it with: git config --global --add safe.directory FOLDER',
  },
  {
    text: /not a git repository|must be run in a work tree/i,
    code: 'NOT_A_REPOSITORY',
    hint: 'use a directory inside a clone, or create one with: git clone',
  },
  {
    text: /Please tell me who you are|auto-detection is disabled|empty ident name/,
    code: 'COMMIT_IDENTITY',
    hint: 'set user.name and user.email with git config, or GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL and GIT_COMMITTER_…',
  },
  {
    text: /\.lock': File exists|Unable to create '.*\.lock'/,
    code: 'REF_LOCKED',
    hint: 'another git process is using this repository: wait for it, or remove the lock file if there is none',
  },
  {
    text: /Authentication failed|could not read (?:Username|Password)|Permission denied \(|terminal prompts disabled/,
    code: 'GIT_CREDENTIALS',
    hint: 'give git a credential helper, a token or an ssh key for this remote; git does not prompt',
  },
  {
    text: /Could not resolve host|unable to access|Connection (?:refused|timed out)|Could not read from remote/,
    code: 'REMOTE_UNREACHABLE',
    hint: 'check the URL of the remote (git remote -v) and the network',
  },
  {
    text: /No space left|disk quota|read-only file system|unable to (?:create|write)|Permission denied/i,
    code: 'GIT_WRITE',
    hint: 'check the permissions and the free space of the repository',
  },
];

/** The error of a command that did not succeed; `task` says what was to be done. */
export function gitFailed(task: string, answer: GitAnswer): EchelonError {
  const known = KNOWN.find(({ text }) => text.test(answer.stderr));
  return new EchelonError({
    code: known?.code ?? 'GIT_FAILED',
    message: `${task}: ${saidBy(answer)}`,
    hint: known?.hint ?? 'see the output of git, and run git fsck if the repository may be damaged',
  });
}
