import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitSandbox, gitSandbox } from '../../../test/support/git-sandbox.ts';
import { openRepository } from './index.ts';
import type { Repository } from './repository.ts';

let box: GitSandbox;
let repository: Repository;
let root: string;
let tip: string;

/** main: first, one, two, three; side (from one): aside; other: a history of its own. */
beforeAll(async () => {
  box = gitSandbox();
  root = box.init('repo');
  box.commit('repo', 'one', { 'data/b.yml': 'b: 1\n' });
  box.git('repo', 'branch', 'side');
  box.commit('repo', 'two\n\nwith a body', { 'data/b.yml': 'b: 2\n' });
  tip = box.commit('repo', 'drei – ü "quoted"', { 'data/c.yml': 'c: 1\n' });
  box.git('repo', 'checkout', '--quiet', 'side');
  box.commit('repo', 'aside', { 'side.yml': 'x' });
  box.git('repo', 'checkout', '--quiet', '--orphan', 'other');
  box.commit('repo', 'another root');
  box.git('repo', 'checkout', '--quiet', 'main');
  box.git('repo', 'config', 'log.showSignature', 'true');
  box.git('repo', 'config', 'color.ui', 'always');
  repository = await openRepository(box.path('repo'));
});
afterAll(() => box.dispose());

describe('ancestors', () => {
  it.each([
    { older: 'main~1', newer: 'main', is: true },
    { older: 'main', newer: 'main~1', is: false },
    { older: 'main', newer: 'main', is: true },
    { older: 'side', newer: 'main', is: false },
    { older: 'other', newer: 'main', is: false },
  ])('$older before $newer: $is', async ({ older, newer, is }) => {
    expect(await repository.isAncestor(older, newer)).toBe(is);
  });

  it('two branches have the commit where they parted, or none', async () => {
    expect(await repository.mergeBase('main', 'side')).toBe(await repository.commitOf('main~2'));
    expect(await repository.mergeBase('main', 'other')).toBeUndefined();
  });
});

describe('the log', () => {
  it('is newest first, without the start and with the end', async () => {
    const { commits, total } = await repository.log(root, 'main', 10);
    expect(commits.map(({ subject }) => subject)).toEqual(['drei – ü "quoted"', 'two', 'one']);
    expect(total).toBe(3);
    expect(commits[0]).toMatchObject({ sha: tip, author: { name: 'Test', email: 'test@example.com' } });
    expect(commits[0]?.date.getTime()).toBeGreaterThan(Date.UTC(2020, 0));
  });

  it('is cut at the limit and still counts all', async () => {
    const { commits, total } = await repository.log(root, 'main', 1);
    expect(commits.map(({ sha }) => sha)).toEqual([tip]);
    expect(total).toBe(3);
    expect(await repository.log(root, 'main', 0)).toEqual({ commits: [], total: 3 });
  });

  it.each([
    { from: 'main', to: 'main~2', why: 'backwards' },
    { from: 'main', to: 'main', why: 'to itself' },
  ])('is empty $why', async ({ from, to }) => {
    expect(await repository.log(from, to, 10)).toEqual({ commits: [], total: 0 });
  });

  it('takes names from a .mailmap', async () => {
    box.git('', 'clone', '--quiet', 'repo', 'mapped');
    box.commit('mapped', 'mapped', { '.mailmap': 'Proper Name <proper@example.com> <test@example.com>\n' });
    const { commits } = await (await openRepository(box.path('mapped'))).log('HEAD~1', 'HEAD', 1);
    expect(commits[0]?.author).toEqual({ name: 'Proper Name', email: 'proper@example.com' });
  });

  it('of a ref that looks like an option is refused', async () => {
    await expect(repository.log('--all', 'main', 1)).rejects.toMatchObject({ code: 'REF_UNKNOWN' });
  });
});

describe('the history of paths', () => {
  it('has the commits that change them, at a merge what it changed of its first parent', async () => {
    box.init('paths');
    const opened = await openRepository(box.path('paths'));
    const one = box.commit('paths', 'one\n\nwith a body', { 'a file[1].txt': '1\n' });
    box.git('paths', 'checkout', '--quiet', '-b', 'topic');
    box.commit('paths', 'on a branch', { 'a file[1].txt': '2\n' });
    box.commit('paths', 'again', { 'a file[1].txt': '3\n' });
    box.git('paths', 'checkout', '--quiet', 'main');
    const other = box.commit('paths', 'elsewhere', { 'b.txt': '1\n' });
    box.git('paths', 'merge', '--quiet', '--no-ff', '--message', 'merged', 'topic');
    const found = await opened.pathHistory('HEAD', ['a file[1].txt'], 10);
    expect(found).toEqual([
      { sha: box.git('paths', 'rev-parse', 'HEAD'), parent: other, message: 'merged\n' },
      { sha: one, parent: expect.any(String), message: 'one\n\nwith a body\n' },
    ]);
    expect(await opened.pathHistory('HEAD', ['a file[1].txt'], 1)).toEqual(found.slice(0, 1));
    expect(await opened.pathHistory('HEAD', ['nowhere'], 10)).toEqual([]);
    const [first] = (await opened.pathHistory('HEAD', ['README.md'], 10)).slice(-1);
    expect(first).not.toHaveProperty('parent');
  });
});

describe('a shallow clone', () => {
  it('answers what it has and says when it would have to guess', async () => {
    box.git('', 'clone', '--quiet', '--depth', '2', `file://${box.path('repo')}`, 'shallow');
    const shallow = await openRepository(box.path('shallow'));
    expect(await shallow.isAncestor('HEAD~1', 'HEAD')).toBe(true);
    expect((await shallow.log('HEAD~1', 'HEAD', 5)).total).toBe(1);
    await expect(shallow.commitOf(root)).rejects.toMatchObject({
      code: 'REF_UNKNOWN',
      hint: expect.stringContaining('--unshallow'),
    });
    box.git('shallow', 'fetch', '--quiet', '--depth', '1', 'origin', `side:side`);
    expect(await shallow.isAncestor('HEAD', 'HEAD~1')).toBe(false);
    await expect(shallow.isAncestor('side', 'HEAD')).rejects.toMatchObject({ code: 'HISTORY_SHALLOW' });
    await expect(shallow.log('side', 'HEAD', 5)).rejects.toMatchObject({ code: 'HISTORY_SHALLOW' });
    await expect(shallow.mergeBase('side', 'HEAD')).rejects.toMatchObject({ code: 'HISTORY_SHALLOW' });
  });
});
