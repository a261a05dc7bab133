import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ForgeServer, type StoredRequest, startForgeServer } from '../support/forge-server.ts';
import { DIGEST, type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';
import type { Ran } from '../support/run-cli.ts';

const MANAGER = 'data/services/app-interface/cicd/saas-qontract-manager.yaml';

let world: PromotionWorld;
let forge: ForgeServer;

beforeEach(async () => {
  world = await promotionWorld();
  const main = world.git('rev-parse', 'HEAD');
  forge = await startForgeServer({ project: 'service/app-interface', branches: { main, release: main } });
});
afterEach(async () => {
  await forge.close();
  world.dispose();
});

type Kind = 'gitlab' | 'github';
const KINDS: readonly Kind[] = ['gitlab', 'github'];
const short = (index: number): string => (world.commits.at(index) ?? '').slice(0, 7);
const branchOf = (index: number): string => `promote-reconcile-${short(index)}`;
const origin = (...args: readonly string[]): string => world.sandbox.git('origin.git', ...args);
const request = (source: string): StoredRequest | undefined =>
  forge.state.requests.find((one) => one.source === source);

/** `promote` at the forge, which knows the branches that may be pushed. */
async function at(kind: Kind, verb: readonly string[], ...args: readonly string[]): Promise<Ran> {
  for (const index of [0, 1, 2, 3]) {
    for (const start of ['promote-reconcile-', 'promote-rollback-reconcile-', 'other-'])
      forge.state.branches.set(`${start}${short(index)}`, 'f'.repeat(40));
  }
  const api = kind === 'gitlab' ? forge.gitlabApi : forge.githubApi;
  const flags = ['--upstream-clone', world.upstream, '--digest', DIGEST];
  const place = ['--forge-url', `${forge.url}/service/app-interface`, '--forge', kind, '--forge-api', api];
  const env = { GITLAB_TOKEN: forge.token, GITHUB_TOKEN: forge.token };
  return world.run([...verb, ...flags, ...place, ...args], env);
}
const mr = (kind: Kind, ...args: readonly string[]): Promise<Ran> => at(kind, ['mr'], ...args);

function moveMain(): void {
  world.replace(MANAGER, 'displayName: integrations manager', 'displayName: manager\n# one line more\n');
  world.sandbox.commit('instance', 'main goes on');
  world.git('push', '--quiet', 'origin', 'main');
}

/** What a reviewer does who changes the commit of the branch instead of adding one. */
function amend(branch: string, edit: () => void, ...args: readonly string[]): string {
  world.git('checkout', '--quiet', branch);
  edit();
  world.git('commit', '--quiet', '--all', '--amend', '--no-edit', ...args);
  world.git('push', '--quiet', '--force', 'origin', branch);
  world.git('checkout', '--quiet', 'main');
  world.git('branch', '--quiet', '-D', branch);
  return origin('rev-parse', branch);
}

describe('a branch is ours only while its commit is what we wrote', () => {
  it.each([
    { given: 'amended with another value', args: [], edit: () => world.replace('.env', short(3), short(2)) },
    {
      given: 'by somebody else',
      args: ['--author', 'Rae <rae@example.com>', '--allow-empty'],
      edit: () => undefined,
    },
  ])('a commit $given stays', async ({ edit, args }) => {
    await mr('gitlab');
    const tip = amend(branchOf(3), edit, ...args);
    moveMain();
    const { code, stderr } = await mr('gitlab');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('BRANCH_FOREIGN') });
    expect(origin('rev-parse', branchOf(3))).toBe(tip);
  });

  it('a commit that we wrote is replaced when the target branch moved', async () => {
    await mr('gitlab');
    moveMain();
    expect((await mr('gitlab')).code).toBe(0);
    expect(origin('rev-parse', `${branchOf(3)}^`)).toBe(origin('rev-parse', 'main'));
  });
});

describe('a promotion has a branch of its own', () => {
  it.each([
    { given: 'the target branch', name: 'main', says: 'main is the target branch' },
    {
      given: 'the default branch',
      name: 'main',
      more: ['--target-branch', 'release'],
      says: 'main is the default branch',
    },
    { given: 'a name with a space', name: 'a b', says: '"a b" is not a valid branch name' },
    { given: 'a name with two dots', name: 'a..b', says: 'is not a valid branch name' },
    { given: 'a name that ends in .lock', name: 'a.lock', says: 'is not a valid branch name' },
    { given: 'an option', name: '-x', says: 'is not a valid branch name' },
  ])('$given is refused', async ({ name, says, more = [] }) => {
    world.git('push', '--quiet', 'origin', 'main:release');
    world.git('checkout', '--quiet', '-b', 'work');
    const before = origin('for-each-ref');
    const { code, stderr } = await mr('gitlab', `--branch=${name}`, ...more);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('BRANCH_INVALID') });
    expect(stderr).toContain(says);
    expect(origin('for-each-ref')).toBe(before);
    expect(forge.writes()).toEqual([]);
  });
});

describe.each(KINDS)('a request at a %s is ours only if kind, target branch and targets agree', (kind) => {
  it('a promotion does not close an open rollback', async () => {
    await world.promote('apply', '--yes', '--to', world.commits[2] ?? '');
    world.sandbox.commit('instance', 'promoted');
    world.git('push', '--quiet', 'origin', 'main');
    expect((await at(kind, ['rollback', 'mr'])).code).toBe(0);
    const [back] = forge.state.requests;
    expect(back?.title).toContain('ROLLBACK');
    expect((await mr(kind)).code).toBe(0);
    expect(forge.state.requests.map(({ state }) => state)).toEqual(['open', 'open']);
  });

  it('the request to another branch keeps its commits, and is named', async () => {
    world.git('push', '--quiet', 'origin', 'main:release');
    expect((await mr(kind, '--target-branch', 'release')).code).toBe(0);
    const tip = origin('rev-parse', branchOf(3));
    moveMain();
    const { code, stderr } = await mr(kind);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('BRANCH_TAKEN') });
    expect(stderr).toContain('release');
    expect(origin('rev-parse', branchOf(3))).toBe(tip);
    expect(forge.state.requests).toHaveLength(1);
    const other = await mr(kind, '--branch', `other-${short(3)}`);
    expect(other.code).toBe(0);
    expect(forge.state.requests.map(({ target, state }) => ({ target, state }))).toEqual([
      { target: 'release', state: 'open' },
      { target: 'main', state: 'open' },
    ]);
  });

  it('a promotion to main closes none to release', async () => {
    world.git('push', '--quiet', 'origin', 'main:release');
    await mr(kind, '--target-branch', 'release', '--to', world.commits[2] ?? '');
    expect((await mr(kind)).code).toBe(0);
    expect(forge.state.requests.map(({ state }) => state)).toEqual(['open', 'open']);
  });

  it('text and Draft: that people added stay', async () => {
    await mr(kind);
    const there = request(branchOf(3));
    if (there === undefined) throw new Error('no request');
    there.title = `Draft: ${there.title}`;
    there.body = `Wait for Rae.\n\n${there.body}\n\nChecked on stage.`;
    moveMain();
    const { code } = await mr(kind, '--label', 'x');
    expect(code).toBe(0);
    expect(there.title).toBe(`Draft: [echelon] promote qontract-reconcile to ${short(3)}`);
    expect(there.body).toMatch(/^Wait for Rae\.\n\n[\s\S]*\n\nChecked on stage\.$/);
    expect(there.body.match(/<!-- echelon:promotion \{/g)).toHaveLength(1);
    const { stdout } = await mr(kind, '--label', 'x');
    expect(stdout).toContain('Merge request unchanged');
    expect(forge.violations).toEqual([]);
  });
});

describe('a version is promoted only if it is known to be newer', () => {
  it.each(['plan', 'apply', 'mr'])('a shallow clone of the upstream is refused by %s', async (verb) => {
    world.sandbox.git('', 'clone', '--quiet', '--depth', '1', `file://${world.upstream}`, 'shallow');
    const shallow = world.sandbox.path('shallow');
    const flags = ['--upstream-clone', shallow, '--digest', DIGEST, ...(verb === 'apply' ? ['--yes'] : [])];
    const before = world.git('status', '--porcelain');
    const { code, stderr } = await world.run([verb, ...flags]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('HISTORY_UNKNOWN') });
    expect(stderr).toContain(`${shallow} is a shallow clone: fetch its full history with git fetch --unshallow`);
    expect(stderr).toContain('--allow-rollback');
    expect(world.git('status', '--porcelain')).toBe(before);
    expect((await world.run([verb, ...flags, '--allow-rollback'])).code).toBe(0);
  });

  it.each(KINDS)('a commit that the forge does not have is refused, at a %s', async (kind) => {
    const api = kind === 'gitlab' ? { GITLAB_API: forge.gitlabApi } : { GITHUB_API: forge.githubApi };
    world.write(
      'promotion.yml',
      world
        .text('promotion.yml')
        .replaceAll(
          /url: https:.*qontract-reconcile/g,
          `url: ${kind === 'gitlab' ? 'https://gitlab.example.com' : 'https://github.com'}/service/app-interface`,
        ),
    );
    const { code, stderr } = await world.run(['plan', '--to', 'e'.repeat(40), '--digest', DIGEST], {
      ...api,
      GITLAB_TOKEN: forge.token,
      GITHUB_TOKEN: forge.token,
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('HISTORY_UNKNOWN') });
    expect(stderr).toContain('does not have');
  });

  it('offline, a whole commit needs the flag as well', async () => {
    const args = ['plan', '--offline', '--to', world.commits[3] ?? '', '--digest', DIGEST];
    const { code, stderr } = await world.run(args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('HISTORY_UNKNOWN') });
    expect((await world.run([...args, '--allow-rollback'])).code).toBe(0);
  });
});
