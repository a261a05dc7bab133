import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeTracked, describeWorkingTree } from '../../src/clients/git/index.ts';
import { openInstance } from '../../src/instance/index.ts';
import { untilFilesAreLater } from '../support/file-clock.ts';
import { type GitSandbox, gitSandbox } from '../support/git-sandbox.ts';
import { holdsAsync } from '../support/property.ts';

const FILES = [
  ...['data/a.yml', 'data/sub/b.yml', 'data/sub/deep/c.json', 'data/notes.txt', 'data/.keep', 'data/.tool/x.yml'],
  ...['resources/r.txt', 'resources/.keep', '.env', 'data/A.yml', 'data/nested/n.yml', 'README.md'],
];

/** Where the instance is in its repository, and what kind of working tree that is. */
const LAYOUTS = ['top', 'below', 'linked'] as const;

let sandbox: GitSandbox;
let root: string;

beforeEach(() => {
  sandbox = gitSandbox();
});
afterEach(() => sandbox.dispose());

/** A clone with two commits, and a branch that conflicts with them. */
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
  sandbox.git('clone', 'branch', 'other', 'HEAD~1');
  sandbox.commit('clone', 'two', named({ 'data/sub/b.yml': 'b: 2\n', 'data/notes.txt': 'n\n', 'data/.keep': '' }));
  if (layout === 'linked') sandbox.git('clone', 'worktree', 'add', '--quiet', '--detach', '../linked');
  root = layout === 'linked' ? sandbox.path('linked') : sandbox.path('clone', below);
}

/** Describes as git does, and counts how often all folders were listed for it. */
function workingTree() {
  const walks: string[] = [];
  const describe: typeof describeWorkingTree = (folder, paths) => {
    walks.push(folder);
    return describeWorkingTree(folder, paths);
  };
  return { walks, port: { describe, describeTracked } };
}

const kept = new Map<string, Buffer>();
const store = {
  getBytes: (key: string) => kept.get(key),
  setBytes: (key: string, bytes: Buffer) => void kept.set(key, bytes),
};

function instance(port: ReturnType<typeof workingTree>['port']) {
  return openInstance(root, { workingTree: port, server: () => expect.unreachable() });
}

/** What the commands with a cache say, which remember folders, and what all others say. */
async function revisions() {
  const { walks, port } = workingTree();
  const { revision } = await instance({ ...port, describe: describeWorkingTree }).load();
  // As if all folders had been left alone for a while before they are listed.
  const held = await instance(port).hold?.({ store, code: 'code', now: Date.now() + 10_000 });
  return { plain: revision, held: await held?.revision(revision.sha256), walks: walks.length };
}

type Edit = readonly [name: string, edit: () => void];

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

/** Edits without a choice. */
const EDITS: readonly Edit[] = [
  ['a commit of everything', () => git('commit', '--quiet', '--all', '--message', 'more')],
  ['everything staged', () => git('add', '--all')],
  [
    'everything staged and committed',
    () => git('add', '--all', '--force', '.') ?? git('commit', '--quiet', '--message', 'all'),
  ],
  ['everything put away', () => git('stash', '--quiet', '--include-untracked')],
  ['everything put away and back', () => git('stash', '--quiet', '--all') ?? git('stash', 'pop', '--quiet')],
  ['the commit before', () => git('checkout', '--quiet', '--detach', 'HEAD~1')],
  ['the branch', () => git('checkout', '--quiet', '--force', 'main')],
  ['back to the commit', () => git('reset', '--quiet', '--hard')],
  ['the commit moved back', () => git('reset', '--quiet', '--soft', 'HEAD~1')],
  ['the index moved back', () => git('reset', '--quiet', 'HEAD~1')],
  [
    'a rebase that stops',
    () =>
      put('data/a.yml', 'a: 3\n') ??
      git('commit', '--quiet', '-am', 'three') ??
      git('rebase', '--quiet', '--onto', 'other', 'HEAD~1'),
  ],
  ['a merge that stops', () => git('merge', '--quiet', '--no-edit', 'other')],
  ['an empty commit', () => git('commit', '--quiet', '--allow-empty', '--message', 'empty')],
  ['packed refs', () => git('pack-refs', '--all')],
  ['a split index', () => git('update-index', '--split-index')],
  ['an index without a hash', () => git('config', 'index.skipHash', 'true')],
  ['a sparse working tree', () => git('sparse-checkout', 'set', '--cone', '--sparse-index', 'data/sub')],
  ['a whole working tree', () => git('sparse-checkout', 'disable')],
  ['everything but one ignored', () => put('.gitignore', '*\n!a.yml\n')],
  ['hidden files ignored', () => put('data/.gitignore', '.*\n')],
  ['files ignored by the clone alone', () => git('config', 'core.excludesFile', at('README.md'))],
  ['names to ignore', () => put('README.md', 'notes.txt\n.keep\nnested\n.env\n')],
  ['lines that end otherwise for git', () => put('.gitattributes', '*.yml text eol=crlf\n')],
  ['a filter', () => git('config', 'filter.up.clean', 'tr a-z A-Z') ?? put('data/.gitattributes', '*.txt filter=up\n')],
  ...['true', 'input', 'false'].map(
    (value): Edit => [`core.autocrlf ${value}`, () => git('config', 'core.autocrlf', value)],
  ),
  ['no modes', () => git('config', 'core.fileMode', 'false')],
  ['names in any case', () => git('config', 'core.ignoreCase', 'true')],
  ['another top of the working tree', () => git('config', 'core.worktree', dirname(root))],
  ['a working tree that is none', () => git('config', 'core.bare', 'true')],
  ['settings as they were', () => git('config', '--unset-all', 'core.worktree') ?? git('config', 'core.bare', 'false')],
  ['no repository', () => renameSync(at('.git'), at('.gone'))],
  ['the repository again', () => renameSync(at('.gone'), at('.git'))],
  ['a repository below', nested],
  ['a submodule', submodule],
  ['a file in .git of a folder', () => put('data/sub/.git', 'gitdir: nowhere\n')],
  ['another tree for the commit', () => git('replace', '-f', 'HEAD', 'HEAD~1')],
  ['data as a link', () => renameSync(at('data'), at('moved')) ?? symlinkSync('moved', at('data'))],
  [
    'resources as a link to nothing',
    () => rmSync(at('resources'), { recursive: true }) ?? symlinkSync('nothing', at('resources')),
  ],
  ['a folder as a link', () => renameSync(at('data/sub'), at('sub')) ?? symlinkSync('../sub', at('data/sub'))],
  ['a pipe', () => void execFileSync('mkfifo', [at('data/pipe')], { stdio: 'pipe' })],
  ...WITHOUT_TEXT.map((byte): Edit => [`a name that is no text, ${byte}`, () => putWithoutText(byte)]),
  ['an empty folder', () => mkdirSync(at('data/empty'), { recursive: true })],
];

const ON_FILES: Readonly<Record<string, (file: string) => void>> = {
  write: (file) => put(file, 'new: 1\n'),
  append: (file) => appendFileSync(at(file), '# more\n'),
  remove: (file) => rmSync(at(file)),
  touch: (file) => utimesSync(at(file), 1, 1),
  'end lines otherwise': (file) => put(file, readFileSync(at(file), 'utf8').replaceAll('\n', '\r\n')),
  'make executable': (file) => chmodSync(at(file), 0o755),
  'make a link': (file) => renameSync(at(file), at('README.md')) ?? symlinkSync(at('README.md'), at(file)),
  'make a folder': (file) => rmSync(at(file), { force: true }) ?? put(`${file}/x.yml`, 'x: 1\n'),
  stage: (file) => git('add', '--force', file),
  'intend to add': (file) => git('add', '--force', '--intent-to-add', file),
  'stop tracking': (file) => git('rm', '--quiet', '--cached', file),
  'assume unchanged': (file) => git('update-index', '--assume-unchanged', file),
  'skip in the working tree': (file) => git('update-index', '--skip-worktree', file),
};

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.constantFrom(...EDITS),
  fc
    .tuple(fc.constantFrom(...Object.entries(ON_FILES)), fc.constantFrom(...FILES))
    .map(([[what, act], file]): Edit => [`${what} ${file}`, () => act(file)]),
);

/** What an edit needs may not be there, and git may refuse. */
function whereItCan(act: () => void): void {
  try {
    act();
  } catch (thrown) {
    const { code, status } = thrown as { code?: string; status?: number };
    expect(code ?? status).toEqual(expect.anything());
  }
}

describe('the revision of a clone that is held', () => {
  it.each(LAYOUTS)('needs no list of all folders in a clean one, %s', async (layout) => {
    build(layout);
    expect(await revisions()).toMatchObject({ walks: 0, plain: { dirty: false }, held: { dirty: false } });
  });

  it.each([
    { given: 'an edit', act: () => put('data/a.yml', 'a: 9\n') },
    { given: 'an edit of what is not read', act: () => put('data/notes.txt', 'more\n') },
    { given: 'another mode', act: () => chmodSync(at('data/a.yml'), 0o755) },
    { given: 'a file less', act: () => rmSync(at('data/sub/b.yml')) },
    { given: 'a staged file', act: () => put('data/new.yml', 'n: 1\n') ?? git('add', '--all') },
  ])('needs none with $given, and is dirty', async ({ act }) => {
    build('top');
    await revisions();
    untilFilesAreLater(sandbox.root);
    act();
    const { plain, held, walks } = await revisions();
    expect({ held, walks }).toEqual({ held: plain, walks: 0 });
    expect(held?.dirty).toBe(true);
  });

  it.each([
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
  ])('is as any other with $given', async ({ act, dirty }) => {
    build('top');
    await revisions();
    untilFilesAreLater(sandbox.root);
    act();
    const { plain, held } = await revisions();
    expect(held).toEqual(plain);
    expect(held?.dirty).toBe(dirty);
  });

  it('is as any other after any edits in a row', async () => {
    await holdsAsync(
      fc.asyncProperty(
        fc.constantFrom(...LAYOUTS),
        fc.array(edit, { minLength: 1, maxLength: 8 }),
        async (layout, edits) => {
          build(layout);
          await revisions();
          for (const [, act] of edits) {
            untilFilesAreLater(sandbox.root);
            whereItCan(act);
            if (!existsSync(at('data'))) return;
            const { plain, held } = await revisions();
            expect(held ?? plain).toEqual(plain);
          }
        },
      ),
      { numRuns: Number(process.env['ECHELON_EDITS'] ?? 3) },
    );
  });
});
