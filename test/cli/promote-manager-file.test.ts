import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ran, runCli } from '../support/run-cli.ts';

const MANAGER = 'resources/echelon/manager.yml';
const UPSTREAM = 'https://git.example/team/tools';

let root: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'echelon-promote-'));
  expect(await runCli(['init', root])).toMatchObject({ code: 0 });
  gitInit();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const run = (...args: readonly string[]): Promise<Ran> => runCli(args, { cwd: root });
const text = (file: string): string => readFileSync(join(root, file), 'utf8');
const write = (file: string, content: string): void => writeFileSync(join(root, file), content);
const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: root, stdio: 'pipe' });
function gitInit(): void {
  git('init', '-q');
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@example.com');
}
/** Uncommitted files are not promoted. */
const commitAll = (): void => {
  git('add', '-A');
  git('commit', '-qm', 'all');
};
const edit = (file: string, found: string | RegExp, by: string): void => {
  const before = text(file);
  write(file, before.replace(found, by));
  expect(text(file)).not.toBe(before);
};

describe('a new instance', () => {
  it('is promoted to another tag with four commands, and nothing but the tag changes', async () => {
    const before = text(MANAGER);
    expect(await run('init', 'promotion')).toMatchObject({ code: 0, stderr: '' });
    const plan = await run('promote', 'plan', '--to', 'v2.1-rc.1');
    expect(plan).toMatchObject({ code: 0, stderr: '' });
    expect(plan.stdout).toMatch(/^hello +- +v1 +v2\.1-rc\.1 +resources\/echelon\/manager\.yml:8$/m);
    expect(plan.stdout).toContain('1 value in 1 file to hello v2.1-rc.1.');
    expect(plan.stdout).toMatch(/1 shard/);
    expect(text(MANAGER)).toBe(before);
    commitAll();
    expect(await run('promote', 'apply', '--to', 'v2.1-rc.1', '--yes')).toMatchObject({ code: 0 });
    expect(text(MANAGER)).toBe(before.replace('tag: v1 ', 'tag: v2.1-rc.1 '));
    expect((await run('promote', 'plan', '--to', 'v2.1-rc.1')).stdout).toContain(
      'everything is already at hello v2.1-rc.1',
    );
    expect((await run('validate')).code).toBe(0);
  });

  it('goes to a branch, and back', async () => {
    await run('init', 'promotion');
    commitAll();
    const made = await run('promote', 'mr', '--from-head', '--to', 'v2');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('Branch promote-hello-v2 at ') });
    git('merge', '-q', 'promote-hello-v2');
    expect(text(MANAGER)).toContain('tag: v2 ');
    const back = await run('promote', 'rollback', '--from-head');
    expect(back).toMatchObject({ code: 0, stdout: expect.stringMatching(/^hello +- +v2 +v1 +resources/m) });
  });

  it('says what it does not know of tags that are commits', async () => {
    edit(MANAGER, 'tag: v1', 'tag: aaaaaaa');
    await run('init', 'promotion');
    const { code, stdout } = await run('promote', 'plan', '--to', 'bbbbbbb', '-o', 'json');
    expect({ code, notes: JSON.parse(stdout).notes }).toMatchObject({
      code: 0,
      notes: [{ rule: 'history-unknown', hint: expect.stringContaining('add the url of its repository') }],
    });
  });

  it.each([
    { given: 'no tag', args: [], says: /--to/ },
    { given: 'what is no tag', args: ['--to', 'a b'], says: /a b is not a valid image tag/ },
    { given: 'a digest', args: ['--to', `v2@sha256:${'0'.repeat(64)}`], says: /is not a valid image tag/ },
  ])('is not promoted to $given', async ({ args, says }) => {
    await run('init', 'promotion');
    commitAll();
    const before = text(MANAGER);
    const { code, stderr } = await run('promote', 'apply', '--yes', ...args);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain('INTERNAL');
    expect(text(MANAGER)).toBe(before);
  });

  it('names a target that would cut a tag, with its line', async () => {
    await run('init', 'promotion');
    edit('promotion.yml', 'form: tag', 'form: short');
    const { code, stderr } = await run('promote', 'plan', '--to', 'v2');
    expect(code).toBe(1);
    expect(stderr).toMatch(/promotion\.yml:\d+:\d+: targets\[0\]\.form: .*hello has no url/);
  });
});

describe('a tag of an upstream in manager.yml', () => {
  const commit = (digit: string): string => digit.repeat(40);
  const entry = (url: string, tag: string): string =>
    `# ${tag} was first\nupstreams:\n- image: registry.example.com/demo/hello\n  tag: v1\n- url: ${url}\n  image: registry.example.com/demo/hello\n  tag: ${tag}   # keep\n`;

  it('is found and replaced in its form, in its own entry only', async () => {
    write(MANAGER, entry(UPSTREAM, 'aaaaaaa'));
    edit('data/integrations/hello.yml', 'name: hello\n', `name: hello\nupstream: ${UPSTREAM}\n`);
    expect(await run('init', 'promotion')).toMatchObject({ code: 0 });
    const flags = ['--offline', '--allow-rollback', '--upstream', 'tools', '--to', commit('b')];
    const { code, stdout } = await run('promote', 'plan', ...flags, '-o', 'json');
    expect(code).toBe(0);
    const { items, notes, shards } = JSON.parse(stdout);
    expect(items).toMatchObject([{ file: MANAGER, line: 7, old: 'aaaaaaa', value: 'bbbbbbb', form: 'short' }]);
    expect(notes.filter(({ rule }: { rule: string }) => rule === 'not-covered')).toMatchObject([
      { at: `${MANAGER}:1` },
    ]);
    expect(shards.moving).toMatchObject([{ integration: 'hello', before: 'aaaaaaa', after: 'bbbbbbb' }]);
    commitAll();
    expect((await run('promote', 'apply', ...flags, '--yes')).code).toBe(0);
    expect(text(MANAGER)).toBe(entry(UPSTREAM, 'aaaaaaa').replace('tag: aaaaaaa', 'tag: bbbbbbb'));
  });

  it.each([
    { given: 'a commit that a ref names', field: `tagRef: ${commit('a')}`, value: commit('b'), form: 'full' },
    { given: 'digits that YAML would read as a number', field: "tag: '1234567'", value: "'bbbbbbb'", form: 'short' },
  ])('with $given is replaced byte by byte', async ({ field, value, form }) => {
    const file = (held: string): string => `upstreams: [{ url: ${UPSTREAM}, image: x/y, ${held} }]\n`;
    write(MANAGER, file(field));
    edit('data/integrations/hello.yml', 'name: hello\n', `name: hello\nupstream: ${UPSTREAM}\n`);
    await run('init', 'promotion');
    expect(text('promotion.yml')).toContain(`form: ${form}`);
    commitAll();
    expect((await run('promote', 'apply', '--offline', '--allow-rollback', '--to', commit('b'), '--yes')).code).toBe(0);
    expect(text(MANAGER)).toBe(file(field.replace(/: .*/, `: ${value}`)));
  });

  it('of a parameter is found in the environments that have it', async () => {
    rmSync(root, { recursive: true });
    expect(await runCli(['init', '--full', root])).toMatchObject({ code: 0 });
    gitInit();
    edit(MANAGER, /tag: v1.*/, 'tagParameter: HELLO_TAG');
    const files = execFileSync('grep', ['-rl', 'environment-1.yml', 'data'], { cwd: root, encoding: 'utf8' });
    const [environment = ''] = files.split('\n');
    const before = `${text(environment).replace(/^parameters:.*\n/m, '')}parameters:\n  HELLO_TAG: "1.0"   # a number, but for the quotes\n`;
    write(environment, before);
    expect(await run('init', 'promotion')).toMatchObject({ code: 0 });
    commitAll();
    const applied = await run('promote', 'apply', '--to', '1.1', '--yes');
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 shard moves 1\.0 -> 1\.1/) });
    expect(text(environment)).toBe(before.replace('"1.0"', '"1.1"'));
  });

  it('that is gone from the file is named with what is there', async () => {
    await run('init', 'promotion');
    edit(MANAGER, 'demo/hello', 'demo/world');
    const { code, stderr } = await run('promote', 'plan', '--to', 'v2');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /resources\/echelon\/manager\.yml: upstreams has no item with image .*hello; it has .*world/,
    );
  });
});
