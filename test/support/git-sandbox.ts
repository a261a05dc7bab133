import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { type FolderImage, imageOf } from './folder-image.ts';

/** A temporary folder for repositories, with a home and git settings of its own. */
export interface GitSandbox {
  readonly root: string;
  path(...names: readonly string[]): string;
  /** Output of a git command in a folder of the sandbox, trimmed. Throws with what git said. */
  git(folder: string, ...args: readonly string[]): string;
  /** A new repository with the branch main and a first commit; returns that. */
  init(folder: string): string;
  write(folder: string, path: string, content: string | Uint8Array, mode?: number): void;
  /** Writes files and commits everything that is in the folder; returns the commit. */
  commit(folder: string, message: string, files?: Readonly<Record<string, string>>): string;
  dispose(): void;
}

/** A repository with its first commit, as the first test of a file made it. */
let first: { readonly image: FolderImage; readonly commit: string } | undefined;

export function gitSandbox(): GitSandbox {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'echelon-git-')));
  mkdirSync(join(root, 'home'));
  stubGitEnvironment(join(root, 'home'));
  const path = (...names: readonly string[]): string => join(root, ...names);
  const git: GitSandbox['git'] = (folder, ...args) =>
    execFileSync('git', args, { cwd: path(folder), encoding: 'utf8', stdio: 'pipe' }).trim();
  const write: GitSandbox['write'] = (folder, file, content, mode = 0o644) => {
    mkdirSync(dirname(path(folder, file)), { recursive: true });
    writeFileSync(path(folder, file), content, { mode });
  };
  const commit: GitSandbox['commit'] = (folder, message, files = {}) => {
    for (const [file, content] of Object.entries(files)) write(folder, file, content);
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--allow-empty', '--message', message);
    return committed(path(folder)) ?? git(folder, 'rev-parse', 'HEAD');
  };
  return {
    root,
    path,
    git,
    write,
    commit,
    init: (folder) => {
      mkdirSync(path(folder), { recursive: true });
      if (first === undefined) {
        git(folder, 'init', '--quiet', '--template=', '--initial-branch', 'main');
        const made = commit(folder, 'first', { 'data/a.yml': 'a: 1\n', 'README.md': 'x\n' });
        first = { image: imageOf(path(folder)), commit: made };
      } else first.image.writeTo(path(folder));
      return first.commit;
    },
    dispose: () => {
      vi.unstubAllEnvs();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** What HEAD stands for right after a commit in a plain clone: git need not be started to read a file. */
function committed(folder: string): string | undefined {
  const textOf = (name: string): string | undefined => {
    const file = join(folder, '.git', name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
  };
  const head = textOf('HEAD');
  return head?.startsWith('ref: ') === true ? textOf(head.slice('ref: '.length)) : head;
}

/** Git looks after each commit, fetch and push whether there is something to tidy up, in a process of its own. */
const UNTIDY = '[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[receive]\n\tautogc = false\n';

/** Nothing of the machine's settings, and a known author. Lasts until `vi.unstubAllEnvs`. */
function stubGitEnvironment(home: string): void {
  const global = join(home, 'git-settings');
  writeFileSync(global, UNTIDY);
  const settings = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_GLOBAL: global,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CEILING_DIRECTORIES: tmpdir(),
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
}
