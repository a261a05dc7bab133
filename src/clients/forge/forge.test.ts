import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addComment,
  addCommits,
  addRequest,
  type ForgeServer,
  startForgeServer,
} from '../../../test/support/forge-server.ts';
import { hangUp, plain } from '../../../test/support/local-http.ts';
import { holds } from '../../../test/support/property.ts';
import { type Forge, limitedBody, limitedTitle, withoutQuickActions } from './forge.ts';
import { openForge } from './index.ts';

const KINDS = [
  { kind: 'github', url: 'https://github.com/group/project', bodyLimit: 65_536 },
  { kind: 'gitlab', url: 'https://gitlab.example.com/group/project', bodyLimit: 1_000_000 },
] as const;

const NEW = {
  title: 'Promote to abc',
  description: 'what changes\n',
  sourceBranch: 'promote/abc',
  targetBranch: 'main',
  labels: ['promotion', 'bot/automerge'],
};

/** One contract; GitHub and GitLab both keep it. */
describe.each(KINDS)('$kind', ({ kind, url, bodyLimit }) => {
  let server: ForgeServer;
  let forge: Forge;
  let pauses: number[];

  const open = (readOnly = false): Promise<Forge> =>
    openForge(url, {
      env: { GITHUB_TOKEN: server.token, GITLAB_TOKEN: server.token },
      readOnly,
      namedBy: 'operator',
      api: kind === 'github' ? server.githubApi : server.gitlabApi,
      clock: { now: () => new Date(0), sleep: async (ms) => void pauses.push(ms) },
      random: () => 0,
    });

  beforeEach(async () => {
    pauses = [];
    server = await startForgeServer();
    addCommits(server.state, 'main', 3);
    addCommits(server.state, 'promote/abc', 1, server.state.branches.get('main'));
    forge = await open();
  });
  afterEach(async () => {
    expect(server.violations).toEqual([]);
    await server.close();
  });

  it('knows the newest commit of a branch and of the default one', async () => {
    expect(await forge.newestCommit()).toBe(server.state.branches.get('main'));
    expect(await forge.newestCommit('promote/abc')).toBe(server.state.branches.get('promote/abc'));
    await expect(forge.newestCommit('nowhere')).rejects.toMatchObject({ code: 'FORGE_NOT_FOUND' });
  });

  it.each([
    { given: 'a branch', ref: 'main', of: 'main' },
    { given: 'a branch with a slash', ref: 'promote/abc', of: 'promote/abc' },
  ])('resolves $given', async ({ ref, of }) => {
    expect(await forge.resolveRef(ref)).toBe(server.state.branches.get(of));
  });

  it.each(['nowhere', '', '.', '..', '\ud800'])('has no ref %j', async (ref) => {
    await expect(forge.resolveRef(ref)).rejects.toMatchObject({ code: 'REF_UNKNOWN' });
  });

  it.each([
    { sha: 'A'.repeat(40), code: 'FORGE_ANSWER' },
    { sha: 'a'.repeat(39), code: 'FORGE_ANSWER' },
    { sha: 'a'.repeat(41), code: 'FORGE_ANSWER' },
    { sha: '../../etc', code: 'FORGE_ANSWER' },
    { sha: 'a'.repeat(64), code: undefined },
  ])('of which a commit is $sha: $code', async ({ sha, code }) => {
    server.state.branches.set('main', sha);
    const asked = await Promise.allSettled([forge.newestCommit('main'), forge.resolveRef('main')]);
    const expected = code === undefined ? { value: sha } : { reason: { code } };
    expect(asked).toMatchObject([expected, expected]);
  });

  describe('commits between two', () => {
    it('are newest first, without the start, with their authors', async () => {
      const [first, second, third] = server.state.commits;
      const found = await forge.commitsBetween(first?.sha ?? '', 'main', 10);
      expect(found).toMatchObject({ total: 2, status: 'ahead' });
      expect(found.commits.map(({ sha }) => sha)).toEqual([third?.sha, second?.sha]);
      expect(found.commits[1]).toMatchObject({
        author: { name: 'Author 1', email: 'author1@example.com' },
        subject: 'Commit 2 on main',
        date: new Date(second?.date ?? 0),
      });
    });

    it.each([
      { from: 'main', to: 'main', status: 'identical', total: 0, lacking: 0 },
      { from: 'promote/abc', to: 'main', status: 'behind', total: 0, lacking: 1 },
      { from: 'main', to: 'promote/abc', status: 'ahead', total: 1, lacking: 0 },
      { from: 'old', to: 'promote/abc', status: 'diverged', total: 4, lacking: 1 },
    ])('of $from and $to are $total and $lacking, $status', async ({ from, to, ...expected }) => {
      addCommits(server.state, 'old', 1);
      expect(await forge.commitsBetween(from, to, 10)).toMatchObject(expected);
    });

    it('are cut at the limit, keeping the newest of many pages', async () => {
      const [first] = server.state.commits;
      addCommits(server.state, 'main', 340);
      const { commits, total } = await forge.commitsBetween(first?.sha ?? '', 'main', 120);
      expect(total).toBe(342);
      expect(commits.map(({ sha }) => sha)).toEqual(
        server.state.commits
          .slice(-120)
          .map(({ sha }) => sha)
          .reverse(),
      );
    });

    it('of a ref that is not there are refused', async () => {
      await expect(forge.commitsBetween('main', 'nowhere', 5)).rejects.toMatchObject({ code: 'FORGE_NOT_FOUND' });
    });
  });

  describe('a merge request', () => {
    it('is created with its labels and found again', async () => {
      const made = await forge.createMergeRequest({ ...NEW, removeSourceBranch: true });
      expect(made).toMatchObject({
        number: 1,
        title: NEW.title,
        sourceBranch: NEW.sourceBranch,
        targetBranch: NEW.targetBranch,
        labels: NEW.labels,
      });
      expect(made.url).toMatch(/^https:.*1$/);
      expect(server.state.requests).toMatchObject([{ body: NEW.description, labels: NEW.labels, target: 'main' }]);
      expect(await forge.findMergeRequest(NEW.sourceBranch)).toEqual(made);
    });

    it('is found only when it is open and from this repository', async () => {
      addRequest(server.state, { source: NEW.sourceBranch, state: 'closed' });
      addRequest(server.state, { source: NEW.sourceBranch, fork: true });
      addRequest(server.state, { source: 'promote/abcd' });
      expect(await forge.findMergeRequest(NEW.sourceBranch)).toBeUndefined();
      const { number } = addRequest(server.state, { source: NEW.sourceBranch });
      expect(await forge.findMergeRequest(NEW.sourceBranch)).toMatchObject({ number });
    });

    it('that exists already is brought up to date instead of made twice', async () => {
      addRequest(server.state, { source: NEW.sourceBranch, title: 'old', labels: ['of-people'] });
      const made = await forge.createMergeRequest(NEW);
      expect(made).toMatchObject({ number: 1, title: NEW.title });
      expect(server.state.requests).toMatchObject([
        { title: NEW.title, body: NEW.description, labels: ['of-people', ...NEW.labels] },
      ]);
    });

    it.each([
      { given: 'the answer is lost', reply: hangUp },
      { given: 'the answer is an error', reply: plain(500, 'oops') },
      { given: 'the answer is a page of a proxy', reply: plain(201, '<html>') },
    ])('is made once when $given', async ({ reply }) => {
      server.fault({ method: 'POST', path: /(?:pulls|merge_requests)$/, acted: true, reply });
      const made = await forge.createMergeRequest(NEW);
      expect(made).toMatchObject({ number: 1, labels: NEW.labels });
      expect(server.state.requests).toHaveLength(1);
      expect(
        server.seen.filter(({ method, path }) => method === 'POST' && /s$/.test(path) && !/labels/.test(path)),
      ).toHaveLength(1);
    });

    it('that was lost and never made is an error, after looking some times', async () => {
      server.fault({ method: 'POST', reply: hangUp });
      await expect(forge.createMergeRequest(NEW)).rejects.toMatchObject({ code: 'FORGE_UNREACHABLE' });
      expect(server.state.requests).toHaveLength(0);
      expect(pauses).toHaveLength(3);
    });

    it('from a branch that is not there is refused with the reason', async () => {
      const failure = forge.createMergeRequest({ ...NEW, sourceBranch: 'nowhere' });
      await expect(failure).rejects.toMatchObject({
        code: 'FORGE_REFUSED',
        message: expect.stringMatching(/branch|head/i),
      });
    });

    it('keeps the labels of people, and gets no write when nothing differs', async () => {
      const { number } = addRequest(server.state, { source: 'x', labels: ['of-people'], body: 'same\r\nlines' });
      const update = { title: 'Title', description: 'same\nlines', labels: ['of-people'] };
      expect(await forge.updateMergeRequest(number, update)).toMatchObject({ labels: ['of-people'] });
      expect(server.writes()).toEqual([]);
      const changed = await forge.updateMergeRequest(number, { description: 'new', labels: ['ours'] });
      expect(changed).toMatchObject({ title: 'Title', description: 'new', labels: ['of-people', 'ours'] });
      expect(server.state.requests).toMatchObject([{ body: 'new', title: 'Title', labels: ['of-people', 'ours'] }]);
    });

    it('is closed with one comment, also when closed again', async () => {
      const { number } = addRequest(server.state, { source: 'x' });
      await forge.closeMergeRequest(number, 'replaced by !2');
      await forge.closeMergeRequest(number, 'replaced by !2');
      const [request] = server.state.requests;
      expect(request).toMatchObject({ state: 'closed' });
      expect(request?.comments.map(({ body }) => body)).toEqual(['<!-- echelon:closed -->\nreplaced by !2']);
    });

    it('too long for the forge is cut with a note', async () => {
      const made = await forge.createMergeRequest({
        ...NEW,
        title: 'x'.repeat(400),
        description: `\`\`\`diff\n${'+ line of a diff\n'.repeat(80_000)}`,
      });
      expect(made.title).toMatch(/^x+…$/);
      expect(made.description.length).toBeLessThanOrEqual(bodyLimit);
      expect(made.description).toMatch(/\n```\n\n… \d+ more characters omitted\.\n$/);
      const again = server.writes().length;
      await forge.updateMergeRequest(made.number, {
        description: `\`\`\`diff\n${'+ line of a diff\n'.repeat(80_000)}`,
      });
      expect(server.writes()).toHaveLength(again);
    });
  });

  describe('open merge requests', () => {
    it('are searched by branch', async () => {
      addRequest(server.state, { source: 'promote/a', labels: ['promotion'] });
      addRequest(server.state, { source: 'promote/b' });
      addRequest(server.state, { source: 'feature', labels: ['promotion'] });
      addRequest(server.state, { source: 'promote/c', labels: ['promotion'], state: 'merged' });
      addRequest(server.state, { source: 'promote/d', labels: ['promotion'], fork: true });
      const branches = async (search: Parameters<Forge['openMergeRequests']>[0]): Promise<string[]> =>
        (await forge.openMergeRequests(search)).map(({ sourceBranch }) => sourceBranch).sort();
      expect(await branches({ branchPrefix: '' })).toEqual(['feature', 'promote/a', 'promote/b']);
      expect(await branches({ branchPrefix: 'promote/' })).toEqual(['promote/a', 'promote/b']);
    });

    it('come in pages, up to a limit', async () => {
      for (let number = 0; number < 230; number += 1) addRequest(server.state, { source: `b${number}` });
      expect(await forge.openMergeRequests({ branchPrefix: '' })).toHaveLength(230);
      for (let number = 0; number < 800; number += 1) addRequest(server.state, { source: `c${number}` });
      await expect(forge.openMergeRequests({ branchPrefix: '' })).rejects.toMatchObject({
        code: 'FORGE_LIST_TOO_LONG',
      });
    });
  });

  describe('a comment with a marker', () => {
    it('is written once and then updated in place', async () => {
      const request = addRequest(server.state, { source: 'x' });
      expect(await forge.comment(1, 'plan', 'first')).toEqual({ updated: false });
      expect(await forge.comment(1, 'plan', 'second')).toEqual({ updated: true });
      expect(await forge.comment(1, 'other', 'third')).toEqual({ updated: false });
      expect(request.comments.map(({ body }) => body)).toEqual([
        '<!-- echelon:plan -->\nsecond',
        '<!-- echelon:other -->\nthird',
      ]);
      const writes = server.writes().length;
      await forge.comment(1, 'plan', 'second');
      expect(server.writes()).toHaveLength(writes);
    });

    it('of somebody else, or quoted, is left alone', async () => {
      const request = addRequest(server.state, { source: 'x' });
      addComment(server.state, request, '<!-- echelon:plan -->\nforged', 'mallory');
      addComment(server.state, request, 'see <!-- echelon:plan -->');
      expect(await forge.comment(1, 'plan', 'ours')).toEqual({ updated: false });
      expect(request.comments.map(({ body }) => body)).toEqual([
        '<!-- echelon:plan -->\nforged',
        'see <!-- echelon:plan -->',
        '<!-- echelon:plan -->\nours',
      ]);
    });

    it('is found behind many others', async () => {
      const request = addRequest(server.state, { source: 'x' });
      for (let number = 0; number < 150; number += 1) addComment(server.state, request, `comment ${number}`, 'people');
      addComment(server.state, request, '<!-- echelon:plan -->\nold');
      expect(await forge.comment(1, 'plan', 'new')).toEqual({ updated: true });
      expect(request.comments.at(-1)?.body).toBe('<!-- echelon:plan -->\nnew');
    });

    it('is there once when the answer is lost', async () => {
      const request = addRequest(server.state, { source: 'x' });
      server.fault({ method: 'POST', acted: true, reply: hangUp });
      await forge.comment(1, 'plan', 'text');
      expect(request.comments).toHaveLength(1);
    });

    it.each(['', 'a b', '-->', 'a\nb'])('cannot be named %j', (marker) => {
      addRequest(server.state, { source: 'x' });
      expect(() => forge.comment(1, marker, 'x')).toThrow(RangeError);
    });
  });

  describe('read-only', () => {
    it.each<{ act: string; run: (one: Forge) => Promise<unknown> }>([
      { act: 'createMergeRequest', run: (one) => one.createMergeRequest(NEW) },
      { act: 'updateMergeRequest', run: (one) => one.updateMergeRequest(1, { title: 'other' }) },
      { act: 'adding a label', run: (one) => one.updateMergeRequest(1, { labels: ['x'] }) },
      { act: 'closeMergeRequest', run: (one) => one.closeMergeRequest(1, 'x') },
      { act: 'comment', run: (one) => one.comment(1, 'x', 'x') },
    ])('refuses $act before it is sent', async ({ run }) => {
      addRequest(server.state, { source: 'x' });
      const reader = await open(true);
      await expect(run(reader)).rejects.toMatchObject({ code: 'READ_ONLY' });
      expect(server.writes()).toEqual([]);
      expect(await reader.findMergeRequest('x')).toMatchObject({ number: 1 });
    });
  });
});

describe('what only one of them has', () => {
  it('GitLab does not obey what is quoted', async () => {
    const server = await startForgeServer();
    const forge = await openForge('https://gitlab.example.com/group/project', {
      env: { GITLAB_TOKEN: server.token },
      readOnly: false,
      namedBy: 'operator',
      api: server.gitlabApi,
    });
    const request = addRequest(server.state, { source: 'x' });
    await forge.comment(1, 'plan', '/merge\n  /close now\n/data/services/x.yml\nnot /merge');
    expect(request.comments[0]?.body).toBe(
      '<!-- echelon:plan -->\n\\/merge\n  \\/close now\n/data/services/x.yml\nnot /merge',
    );
    await expect(forge.updateMergeRequest(1, { labels: ['a,b'] })).rejects.toMatchObject({ code: 'FORGE_REFUSED' });
    await server.close();
  });

  it('GitHub tells logins, and a robot may not know its own', async () => {
    const server = await startForgeServer({ user: 'github-actions[bot]' });
    addCommits(server.state, 'main', 4);
    const [first] = server.state.commits;
    const forge = await openForge('git@github.com:group/project.git', {
      env: { GITHUB_TOKEN: server.token, GITHUB_API: server.githubApi },
      readOnly: false,
      namedBy: 'operator',
    });
    const { commits } = await forge.commitsBetween(first?.sha ?? '', 'main', 9);
    expect(commits.map(({ login }) => login)).toEqual(['mara-okafor', undefined, undefined]);
    server.fault({
      path: /user$/,
      times: 9,
      reply: plain(403, '{"message":"Resource not accessible by integration"}'),
    });
    addRequest(server.state, { source: 'x' });
    expect(await forge.comment(1, 'plan', 'a')).toEqual({ updated: false });
    expect(await forge.comment(1, 'plan', 'b')).toEqual({ updated: true });
    await server.close();
  });
});

describe('a text with a limit', () => {
  it('is never longer, ends well and keeps its beginning', () => {
    const line = fc.oneof(fc.constant('```diff'), fc.constant('```'), fc.string({ unit: 'grapheme', maxLength: 40 }));
    const text = fc.array(line, { maxLength: 60 }).map((lines) => lines.join('\n'));
    holds(
      fc.property(text, fc.integer({ min: 100, max: 500 }), (given, limit) => {
        const cut = limitedBody(given, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        expect(cut.isWellFormed()).toBe(true);
        if (given.length <= limit) expect(cut).toBe(given);
        else expect(cut).toContain('more characters omitted');
      }),
    );
  });

  it.each([
    { text: 'a  b\nc', title: 'a b c' },
    { text: '123456789', title: '12345678…', limit: 9 - 0 },
    { text: '1234567😀9', title: '1234567…', limit: 9 },
  ])('is one line as a title: $text', ({ text, title, limit = 8 }) => {
    expect(limitedTitle(`${text}${limit === 9 ? 'xxx' : ''}`, limit)).toBe(title);
  });
});

describe('lines that GitLab would obey', () => {
  it.each([
    { text: '/merge', shown: '\\/merge' },
    { text: 'a\n/close\nb', shown: 'a\n\\/close\nb' },
    { text: '\t/assign @x', shown: '\t\\/assign @x' },
    { text: '/Merge', shown: '\\/Merge' },
    { text: '/remove_source_branch', shown: '\\/remove_source_branch' },
    { text: '/data/x.yml', shown: '/data/x.yml' },
    { text: 'and/or', shown: 'and/or' },
    { text: '/ x', shown: '/ x' },
  ])('are shown and not obeyed: $text', ({ text, shown }) => {
    expect(withoutQuickActions(text)).toBe(shown);
  });
});
