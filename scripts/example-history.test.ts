import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRepository } from '../src/clients/git/index.ts';
import type { Repository } from '../src/clients/git/repository.ts';
import { type TemporaryHistory, temporaryHistory } from '../test/support/example-history.ts';
import { runCli } from '../test/support/run-cli.ts';
import { EXAMPLE_INSTANCE } from '../test/support/shared.ts';
import { exampleHistory } from './example-history.ts';
import { WRITTEN, withVersions } from './example-versions.ts';

let made: TemporaryHistory;
let upstream: Repository;
let instance: Repository;

beforeAll(async () => {
  made = await temporaryHistory();
  upstream = await openRepository(made.upstream);
  instance = await openRepository(made.instance);
});
afterAll(() => made.dispose());

async function text(repository: Repository, ref: string, path: string): Promise<string> {
  return Buffer.from((await repository.readFile(ref, path)) ?? []).toString('utf8');
}

describe('the history of the upstream', () => {
  it('has commits of four authors, a tag and a branch main', async () => {
    const first = made.upstreamCommits[0] ?? '';
    const { commits, total } = await upstream.log(first, 'main', 100);
    expect(total).toBe(made.upstreamCommits.length - 1);
    expect(commits.map(({ sha }) => sha)).toEqual(made.upstreamCommits.slice(1).toReversed());
    expect(new Set(commits.map(({ author }) => author.name)).size).toBe(4);
    expect(await upstream.commitOf(made.tag)).toBe(made.upstreamCommits[12]);
    expect(await upstream.head()).toEqual({ commit: made.upstreamCommits.at(-1), branch: 'main' });
    expect(await upstream.state([])).toEqual({ dirty: [], conflicts: [] });
  });

  it('grows older only', async () => {
    const { commits } = await upstream.log(made.upstreamCommits[0] ?? '', 'main', 100);
    const times = commits.map(({ date }) => date.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(times[0]).toBeLessThan(made.now.getTime());
  });

  it('ends with a commit whose short name reads as a number', () => {
    expect(made.upstreamCommits.at(-1)).toMatch(/^\d\de\d{4}/);
  });

  it('needs newer schemas between production and the proposal', async () => {
    const changed = await upstream.changes(made.promoted.production, made.proposed);
    expect(changed.map(({ path }) => path)).toContain('reconcile/gql_definitions/introspection.json');
  });
});

describe('the instance', () => {
  it('is the example with commits of the upstreams', () => {
    const anySha = /\b[0-9a-f]{7}(?:[0-9a-f]{33})?\b/g;
    const written = new RegExp(
      Object.values(WRITTEN)
        .map((sha) => sha.slice(0, 7))
        .join('|'),
    );
    const paths = readdirSync(EXAMPLE_INSTANCE, { recursive: true, encoding: 'utf8' });
    const files = paths.filter((path) => statSync(join(EXAMPLE_INSTANCE, path)).isFile());
    expect(files.length).toBeGreaterThan(100);
    for (const path of files) {
      const now = readFileSync(join(made.instance, path), 'utf8');
      expect(now, path).not.toMatch(written);
      expect(now.replace(anySha, '#'), path).toBe(
        readFileSync(join(EXAMPLE_INSTANCE, path), 'utf8').replace(anySha, '#'),
      );
    }
  });

  it.each([
    { file: '.env', line: (sha: string) => `export RECONCILE_IMAGE_TAG=${sha.slice(0, 7)}` },
    { file: 'resources/jenkins/global/defaults.yaml', line: (sha: string) => `image_tag: '${sha.slice(0, 7)}'` },
    {
      file: 'data/services/app-interface/cicd/tekton-provider-defaults.yml',
      line: (sha: string) => `image_tag: '${sha.slice(0, 7)}'`,
    },
    { file: 'data/services/app-interface/cicd/saas-qontract-manager.yaml', line: (sha: string) => `ref: ${sha}` },
  ])('names the commit of production in $file, and the proposal another', async ({ file, line }) => {
    expect(await text(instance, 'main', file)).toContain(line(made.promoted.production));
    expect(await text(instance, `origin/${made.promotionBranch}`, file)).toContain(line(made.proposed));
  });

  it('names commits that its upstreams have, in the order of their environments', async () => {
    expect(await upstream.isAncestor(made.pinned, made.promoted.production)).toBe(true);
    expect(await upstream.isAncestor(made.promoted.production, made.promoted.stage)).toBe(true);
    expect(await upstream.isAncestor(made.promoted.stage, made.proposed)).toBe(true);
    const tag = /SCHEMAS_IMAGE_TAG=(\w+)/.exec(await text(instance, 'main', '.env'))?.[1] ?? '';
    expect(made.schemasCommits.indexOf(await (await openRepository(made.schemas)).commitOf(tag))).toBe(3);
    const parameters = await text(instance, 'main', 'data/products/app-interface/environments/production.yml');
    const ref = /ref: (\w{40})/.exec(parameters)?.[1] ?? '';
    expect(await (await openRepository(made.fleetTools)).commitOf(ref)).toBe(ref);
  });

  it('has pins since 40 days', async () => {
    const pinned = 'data/integrations/terraform-resources.yml';
    const { commits } = await instance.log('HEAD~5', 'HEAD', 10);
    const held = commits.find(({ subject }) => subject.startsWith('Hold'));
    expect(held?.date).toEqual(new Date(made.now.getTime() - 40 * 24 * 3_600_000));
    expect(await text(instance, `${held?.sha}~1`, pinned)).not.toContain('imageRef');
    expect(await text(instance, `${held?.sha}`, pinned)).toContain(`imageRef: '${made.pinned.slice(0, 7)}'`);
  });

  it('is a clean clone of an origin that has the proposal as a branch', async () => {
    expect(await instance.state([])).toEqual({ dirty: [], conflicts: [] });
    expect(await instance.defaultBranch()).toBe('main');
    expect(await instance.remoteUrl('origin')).toBe(made.origin);
    const changed = await instance.changes('main', `origin/${made.promotionBranch}`);
    expect(changed.map(({ path }) => path)).toContain('.env');
  });

  it('is valid at every commit', async () => {
    const { commits } = await instance.log('HEAD~5', 'HEAD', 10);
    const refs = [...commits.map(({ sha }) => sha), 'HEAD~5', `origin/${made.promotionBranch}`];
    for (const [index, ref] of refs.entries()) {
      const folder = join(made.root, `at-${index}`);
      await instance.exportTree(ref, folder);
      const { code, stdout } = await runCli(['validate', '--data', folder]);
      expect({ ref, code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('no problems') });
    }
  });
});

describe('making it', () => {
  it('gives the same commits in another folder, whatever the settings of the machine are', async () => {
    vi.stubEnv('HOME', made.root);
    vi.stubEnv('TZ', 'Asia/Kathmandu');
    vi.stubEnv('GIT_AUTHOR_NAME', 'Somebody else');
    vi.stubEnv('GIT_DEFAULT_HASH', 'sha256');
    const again = await exampleHistory(join(made.root, 'again'));
    vi.unstubAllEnvs();
    expect(again.upstreamCommits).toEqual(made.upstreamCommits);
    const other = await openRepository(again.instance);
    expect(await other.commitOf('main')).toBe(await instance.commitOf('main'));
    const branch = `origin/${made.promotionBranch}`;
    expect(await other.commitOf(branch)).toBe(await instance.commitOf(branch));
  });

  it('ends at another moment when one is given', async () => {
    const now = new Date('2030-01-01T00:00:00Z');
    const later = await exampleHistory(join(made.root, 'later'), { now });
    const { commits } = await (await openRepository(later.upstream)).log('HEAD~1', 'HEAD', 1);
    expect(commits[0]?.date.getUTCFullYear()).toBe(2029);
  });

  it('does not write over what is there', async () => {
    await expect(exampleHistory(made.root)).rejects.toThrow('is not empty');
  });
});

describe('a short commit', () => {
  it.each([
    { text: 'imageRef: d90b2ac', is: "imageRef: '12e4567'" },
    { text: "imageRef: 'd90b2ac'", is: "imageRef: '12e4567'" },
    { text: 'TAG=d90b2ac', is: 'TAG=12e4567' },
    { text: 'd90b2ac1 ad90b2ac', is: 'd90b2ac1 ad90b2ac' },
  ])('that reads as a number is quoted where it has to be: $text', ({ text: given, is }) => {
    expect(withVersions(given, { ...WRITTEN, oldPin: `12e4567${'a'.repeat(33)}` })).toBe(is);
  });
});
