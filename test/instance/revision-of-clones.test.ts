import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWorkingTree } from '../../src/clients/git/index.ts';
import { openInstance } from '../../src/instance/index.ts';
import { type GitSandbox, gitSandbox } from '../support/git-sandbox.ts';

/** Where the instance is in its repository, and what kind of working tree that is. */
const LAYOUTS = ['top', 'below', 'linked'] as const;

let sandbox: GitSandbox;
let root: string;

beforeEach(() => {
  sandbox = gitSandbox();
});
afterEach(() => sandbox.dispose());

/** A clone with two commits. */
function build(layout: (typeof LAYOUTS)[number]): void {
  rmSync(sandbox.path('clone'), { recursive: true, force: true });
  rmSync(sandbox.path('linked'), { recursive: true, force: true });
  sandbox.init('clone');
  const below = layout === 'below' ? 'inner/' : '';
  const named = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([file, text]) => [below + file, text]));
  sandbox.commit(
    'clone',
    'one',
    named({ 'data/a.yml': 'a: 2\n', 'data/sub/b.yml': 'b: 1\n', 'resources/r.txt': 'r\n' }),
  );
  sandbox.commit('clone', 'two', named({ 'data/sub/b.yml': 'b: 2\n', 'data/notes.txt': 'n\n', 'data/.keep': '' }));
  if (layout === 'linked') sandbox.git('clone', 'worktree', 'add', '--quiet', '--detach', '../linked');
  root = layout === 'linked' ? sandbox.path('linked') : sandbox.path('clone', below);
}

async function revision() {
  const source = openInstance(root, {
    workingTree: { describe: describeWorkingTree },
    server: () => expect.unreachable(),
  });
  return (await source.load()).revision;
}

const at = (file: string): string => join(root, file);
const git = (...args: readonly string[]): void =>
  void execFileSync('git', args, { cwd: root, stdio: 'pipe', env: { ...process.env, GIT_EDITOR: 'true' } });

function put(file: string, text: string): void {
  mkdirSync(dirname(at(file)), { recursive: true });
  writeFileSync(at(file), text);
}

function nested(): void {
  put('data/nested/n.yml', 'n: 1\n');
  execFileSync('git', ['init', '--quiet', '--template='], { cwd: at('data/nested') });
}

function submodule(): void {
  nested();
  execFileSync('git', ['add', '--all'], { cwd: at('data/nested') });
  execFileSync('git', ['commit', '--quiet', '--message', 'nested'], { cwd: at('data/nested') });
  git('-c', 'advice.addEmbeddedRepo=false', 'add', 'data/nested');
  git('commit', '--quiet', '--message', 'submodule');
}

function linkInstead(path: string, target: string): void {
  rmSync(at(path), { recursive: true });
  git('commit', '--quiet', '--all', '--message', 'removed');
  symlinkSync(target, at(path));
}

/** Two names that are read as the same text. */
const WITHOUT_TEXT = [0xff, 0xfe] as const;

function putWithoutText(byte: number): void {
  writeFileSync(Buffer.concat([Buffer.from(at('data/')), Buffer.from([byte])]), '');
}

function namesWithoutText(): void {
  putWithoutText(WITHOUT_TEXT[0]);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'no text');
  putWithoutText(WITHOUT_TEXT[1]);
}

describe('the revision of a clone', () => {
  it.each(LAYOUTS)('is its commit in a clean one, %s', async (layout) => {
    build(layout);
    expect(await revision()).toMatchObject({ dirty: false });
  });

  it.each([
    { given: 'an edit', act: () => put('data/a.yml', 'a: 9\n'), dirty: true },
    { given: 'an edit of what is not read', act: () => put('data/notes.txt', 'more\n'), dirty: true },
    { given: 'another mode', act: () => chmodSync(at('data/a.yml'), 0o755), dirty: true },
    { given: 'a file less', act: () => rmSync(at('data/sub/b.yml')), dirty: true },
    { given: 'a staged file', act: () => put('data/new.yml', 'n: 1\n') ?? git('add', '--all'), dirty: true },
    { given: 'a new file', act: () => put('data/sub/new.yml', 'n: 1\n'), dirty: true },
    { given: 'a new file that is not read', act: () => put('data/new.md', 'n\n'), dirty: true },
    { given: 'a new resource', act: () => put('resources/more/r.txt', 'r\n'), dirty: true },
    { given: 'a new .env', act: () => put('.env', 'export A=1\n'), dirty: true },
    { given: 'a hidden file', act: () => put('data/.new', ''), dirty: true },
    { given: 'a file in a hidden folder', act: () => put('data/.tool/x.yml', 'x: 1\n'), dirty: true },
    {
      given: 'an ignored file',
      act: () => put('.gitignore', 'new.yml\n') ?? put('data/new.yml', 'n: 1\n'),
      dirty: true,
    },
    { given: 'an ignored hidden file', act: () => put('.gitignore', '.new\n') ?? put('data/.new', ''), dirty: false },
    { given: 'an empty folder', act: () => mkdirSync(at('data/empty')), dirty: false },
    { given: 'a repository below', act: nested, dirty: true },
    { given: 'a new file in a submodule', act: () => submodule() ?? put('data/nested/new.yml', 'n: 1\n'), dirty: true },
    { given: 'resources as a link', act: () => linkInstead('resources', 'nothing'), dirty: true },
    { given: 'an untracked name that is no text beside a tracked one', act: namesWithoutText, dirty: true },
    { given: 'another top of the working tree', act: () => git('config', 'core.worktree', dirname(root)), dirty: true },
  ])('with $given is dirty: $dirty', async ({ act, dirty }) => {
    build('top');
    act();
    expect(await revision()).toMatchObject({ dirty });
  });
});
