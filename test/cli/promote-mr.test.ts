import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ForgeServer, startForgeServer } from '../support/forge-server.ts';
import { DIGEST, type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';
import type { Ran } from '../support/run-cli.ts';

const MANAGER = 'data/services/app-interface/cicd/saas-qontract-manager.yaml';

let world: PromotionWorld;
let forge: ForgeServer;

beforeEach(async () => {
  world = await promotionWorld();
  forge = await startForgeServer({
    project: 'service/app-interface',
    branches: { main: world.git('rev-parse', 'HEAD') },
  });
});
afterEach(async () => {
  await forge.close();
  world.dispose();
});

const short = (index: number): string => (world.commits.at(index) ?? '').slice(0, 7);
const branchOf = (index: number): string => `promote-reconcile-${short(index)}`;
const origin = (...args: readonly string[]): string => world.sandbox.git('origin.git', ...args);

/** `promote mr` at the forge, which knows of the branch as of one that was pushed. */
async function mr(kind: 'gitlab' | 'github', ...args: readonly string[]): Promise<Ran> {
  for (const index of [1, 2, 3]) forge.state.branches.set(branchOf(index), 'f'.repeat(40));
  const flags = [
    '--upstream-clone',
    world.upstream,
    '--digest',
    DIGEST,
    '--forge-url',
    `${forge.url}/service/app-interface`,
  ];
  const api = kind === 'gitlab' ? forge.gitlabApi : forge.githubApi;
  const env = { GITLAB_TOKEN: forge.token, GITHUB_TOKEN: forge.token };
  return world.run(['mr', ...flags, '--forge', kind, '--forge-api', api, ...args], env);
}

describe.each(['gitlab', 'github'] as const)('promote mr at a %s', (kind) => {
  it('makes one branch with one commit and one request, and none of them twice', async () => {
    world.write('promotion.yml', world.text('promotion.yml').replace('labels: []', 'labels: [promotion]'));
    world.sandbox.commit('instance', 'labels');
    world.git('push', '--quiet', 'origin', 'main');
    const ran = await mr(kind, '--label', 'bot/automerge');
    expect(ran.code).toBe(0);
    expect(origin('log', '--format=%s', `main..${branchOf(-1)}`)).toBe(
      `[echelon] promote qontract-reconcile to ${short(-1)}`,
    );
    expect(origin('diff', '--shortstat', 'main', branchOf(-1))).toContain(
      '6 files changed, 15 insertions(+), 15 deletions(-)',
    );
    expect(forge.state.requests).toHaveLength(1);
    const [request] = forge.state.requests;
    expect(request).toMatchObject({
      title: `[echelon] promote qontract-reconcile to ${short(-1)}`,
      source: branchOf(-1),
      target: 'main',
    });
    expect([...(request?.labels ?? [])].sort()).toEqual(['bot/automerge', 'promotion']);
    expect(request?.body).toContain('<!-- echelon:promotion {"version":1,"upstream":"reconcile"');
    const tip = origin('rev-parse', branchOf(-1));
    const again = await mr(kind, '--label', 'bot/automerge');
    expect(again.stdout).toContain('Merge request unchanged');
    expect(origin('rev-parse', branchOf(-1))).toBe(tip);
    expect(forge.state.requests).toHaveLength(1);
    expect(forge.violations).toEqual([]);
    expect([ran, again].some(({ stdout, stderr }) => `${stdout}${stderr}`.includes(forge.token))).toBe(false);
  });

  it('updates the request of the same branch when the plan is another', async () => {
    await mr(kind);
    world.replace('README.md', '# Example instance', '# An instance');
    world.replace(MANAGER, 'displayName: integrations manager', 'displayName: manager\n# one line more\n');
    world.sandbox.commit('instance', 'main goes on');
    world.git('push', '--quiet', 'origin', 'main');
    const { code, stdout } = await mr(kind);
    expect(code).toBe(0);
    expect(stdout).toContain('Merge request updated');
    expect(forge.state.requests).toHaveLength(1);
    expect(origin('rev-parse', `${branchOf(-1)}^`)).toBe(origin('rev-parse', 'main'));
  });

  it('F14: closes an older request that the new one makes needless, with a word', async () => {
    await mr(kind, '--to', world.commits[2] ?? '');
    const { stdout } = await mr(kind);
    expect(forge.state.requests.map(({ source, state }) => ({ source, state }))).toEqual([
      { source: branchOf(2), state: 'closed' },
      { source: branchOf(3), state: 'open' },
    ]);
    expect(forge.state.requests[0]?.comments.map(({ body }) => body).join()).toContain('Superseded by');
    expect(stdout).toContain('Closed as superseded');
  });

  it('F14: leaves requests of other targets and of people alone', async () => {
    forge.state.branches.set(`${branchOf(2)}-app-interface-stage`, 'f'.repeat(40));
    await mr(kind, '--to', world.commits[2] ?? '', '--only', 'app-interface-stage');
    forge.state.branches.set(`${branchOf(3)}-app-interface-production`, 'f'.repeat(40));
    const { code } = await mr(kind, '--only', 'app-interface-production');
    expect(code).toBe(0);
    expect(forge.state.requests.map(({ title, state }) => ({ title, state }))).toEqual([
      { title: `[echelon] promote qontract-reconcile to ${short(2)} (app-interface-stage)`, state: 'open' },
      { title: `[echelon] promote qontract-reconcile to ${short(3)} (app-interface-production)`, state: 'open' },
    ]);
  });
});

describe('promote mr and the repository', () => {
  it('leaves the working tree as it is, also a dirty one', async () => {
    world.write('README.md', 'dirty\n');
    expect((await mr('gitlab')).code).toBe(0);
    expect(world.git('status', '--porcelain')).toBe('M README.md');
    expect(world.git('branch', '--show-current')).toBe('main');
  });

  it('refuses when a target is dirty', async () => {
    world.write('.env', `${world.text('.env')}\n`);
    const { code, stderr } = await mr('gitlab');
    expect(code).toBe(1);
    expect(stderr).toContain('.env has uncommitted changes');
    expect(forge.writes()).toEqual([]);
    expect(origin('branch', '--list', 'promote-*')).toBe('');
  });

  it('starts from the target branch of the remote, whatever is checked out', async () => {
    world.git('checkout', '--quiet', '-b', 'work');
    world.sandbox.commit('instance', 'unfinished', { 'data/x.txt': 'x\n' });
    expect((await mr('gitlab')).code).toBe(0);
    expect(origin('rev-parse', `${branchOf(-1)}^`)).toBe(origin('rev-parse', 'main'));
  });

  it('does not throw away commits that somebody added to the branch', async () => {
    await mr('gitlab');
    world.git('branch', '--quiet', '-D', branchOf(-1));
    world.git('fetch', '--quiet', 'origin');
    world.git('checkout', '--quiet', branchOf(-1));
    world.sandbox.commit('instance', 'by hand', { 'README.md': 'by hand\n' });
    world.git('push', '--quiet', 'origin', branchOf(-1));
    world.git('checkout', '--quiet', 'main');
    const { code, stderr } = await mr('gitlab');
    expect(code).toBe(1);
    expect(stderr).toContain('BRANCH_FOREIGN');
  });

  it('makes nothing with --dry-run', async () => {
    const { code, stderr } = await mr('gitlab', '--dry-run');
    expect(code).toBe(0);
    expect(stderr).toContain(`branch ${branchOf(-1)} and its merge request were not created`);
    expect(world.git('branch', '--list', 'promote-*')).toBe('');
    expect(forge.seen).toEqual([]);
  });

  it('ends with the branch where it is told not to push', async () => {
    const { code, stdout } = await mr('gitlab', '--no-push');
    expect(code).toBe(0);
    expect(stdout).toContain('not pushed (--no-push)');
    expect(origin('branch', '--list', 'promote-*')).toBe('');
    expect(forge.seen).toEqual([]);
  });

  it('ends with the pushed branch where no forge is known, and says so', async () => {
    const { code, stdout } = await world.promote('mr');
    expect(code).toBe(0);
    expect(stdout).toContain('unknown forge: open the merge request by hand');
    expect(origin('rev-parse', '--verify', branchOf(-1))).toMatch(/^[0-9a-f]{40}$/);
  });

  it('ends with the branch where there is no remote; a detached head needs to be told the target branch', async () => {
    world.git('remote', 'remove', 'origin');
    world.git('checkout', '--quiet', '--detach');
    const refused = await world.promote('mr');
    expect(refused.stderr).toContain('TARGET_BRANCH_UNKNOWN');
    const { code, stdout } = await world.promote('mr', '--target-branch', 'main');
    expect(code).toBe(0);
    expect(stdout).toContain('the repository has no remote origin');
  });

  it('has nothing to do where everything is promoted', async () => {
    await world.promote('apply', '--yes');
    world.sandbox.commit('instance', 'promoted');
    world.git('push', '--quiet', 'origin', 'main');
    const { code, stdout } = await mr('gitlab');
    expect(code).toBe(0);
    expect(stdout).toContain('Nothing to do');
    expect(forge.seen).toEqual([]);
  });

  it('shows no token, also when the forge refuses it', async () => {
    const flags = [
      '--upstream-clone',
      world.upstream,
      '--digest',
      DIGEST,
      '--forge-url',
      `${forge.url}/service/app-interface`,
    ];
    const secret = 'glpat-not-a-real-token';
    const env = { GITLAB_TOKEN: secret };
    const { code, stdout, stderr } = await world.run(
      ['mr', ...flags, '--forge', 'gitlab', '--forge-api', forge.gitlabApi],
      env,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('FORGE_UNAUTHORIZED');
    expect(`${stdout}${stderr}`).not.toContain(secret);
  });
});
