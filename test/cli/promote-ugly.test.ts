import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startForgeServer } from '../support/forge-server.ts';
import { startLocalHttp } from '../support/local-http.ts';
import { DIGEST, type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';

const MANAGER = 'data/services/app-interface/cicd/saas-qontract-manager.yaml';

let world: PromotionWorld;
beforeEach(async () => {
  world = await promotionWorld();
});
afterEach(() => world.dispose());

/** Branches here and at the origin, and what differs from the last commit. */
const state = (): string =>
  [
    world.git('status', '--porcelain'),
    world.git('for-each-ref', 'refs/heads'),
    world.sandbox.git('origin.git', 'for-each-ref'),
  ].join('\n');

/** Says what is wrong and what to do, and changes nothing anywhere. */
async function expectRefused(args: readonly string[], code: string, ...says: readonly string[]): Promise<void> {
  const before = state();
  const { code: exit, stderr } = await world.run(args);
  expect({ exit, stderr }).toEqual({ exit: code === 'FLAG_INVALID' ? 64 : 1, stderr: expect.stringContaining(code) });
  for (const text of says) expect(stderr).toContain(text);
  expect(state()).toBe(before);
}

const withClone = (verb: string, ...args: readonly string[]): string[] => [
  verb,
  ...(verb === 'apply' ? ['--yes'] : []),
  ...['--upstream-clone', world.upstream, '--digest', DIGEST],
  ...args,
];

function conflictIn(file: string, text: string): void {
  world.git('checkout', '--quiet', '-b', 'other');
  world.write(file, `${text}# other\n`);
  world.sandbox.commit('instance', 'one');
  world.git('checkout', '--quiet', 'main');
  world.write(file, `${text}# main\n`);
  world.sandbox.commit('instance', 'two');
  expect(() => world.git('merge', 'other')).toThrow();
}

describe('conflicts are told before anything is read wrong of them', () => {
  it.each(['.env', MANAGER, 'promotion.yml'])('in %s', async (file) => {
    conflictIn(file, world.text(file));
    expect(world.text(file)).toContain('<<<<<<<');
    for (const verb of ['plan', 'apply', 'rollback']) {
      await expectRefused(withClone(verb), 'PROMOTION_DIRTY', `${file} has conflicts`, 'resolve them');
    }
  });
});

describe('a clone of the upstream', () => {
  it.each(['plan', 'apply', 'mr'])('that is of another project is refused by %s', async (verb) => {
    const args = withClone(verb).map((arg) => (arg === world.upstream ? world.schemas : arg));
    await expectRefused(
      args,
      'UPSTREAM_CLONE',
      `${world.schemas} has none of the currently promoted commits`,
      '--upstream-clone',
    );
  });

  it('that is shallow says how to get the rest', async () => {
    world.sandbox.git('', 'clone', '--quiet', '--depth', '1', `file://${world.upstream}`, 'shallow');
    const shallow = world.sandbox.path('shallow');
    const { code, stderr } = await world.run(['plan', '--upstream-clone', shallow, '--digest', DIGEST]);
    expect(code).toBe(1);
    expect(stderr).toContain(`${shallow} is a shallow clone: fetch its full history with git fetch --unshallow`);
  });

  it('is what the hint names when the forge does not answer', async () => {
    const gone = await startLocalHttp(() => {});
    await gone.close();
    const before = state();
    const { code, stderr } = await world.run(['plan'], { GITHUB_API: gone.url });
    expect(code).toBe(1);
    expect(stderr).toMatch(/FORGE_UNREACHABLE[\s\S]*--upstream-clone/);
    expect(state()).toBe(before);
  });
});

describe('a target that is a link', () => {
  it.each([
    { given: 'to a file of the repository', to: 'env.real' },
    { given: 'out of the repository', to: '../env.real' },
  ])('$given is refused', async ({ to }) => {
    renameSync(join(world.instance, '.env'), join(world.instance, to));
    symlinkSync(to, join(world.instance, '.env'));
    world.sandbox.commit('instance', 'a link');
    world.git('push', '--quiet', 'origin', 'main');
    await expectRefused(withClone('apply'), 'TARGET_LINK', '.env is a link', 'use the path of the linked file');
    await expectRefused(withClone('mr'), 'TARGET_NOT_FOUND', 'no file .env, or it is a link');
  });

  it('does not trouble a promotion when it is no target', async () => {
    symlinkSync('jenkins/global/defaults.yaml', join(world.instance, 'resources/linked.yaml'));
    expect((await world.run(withClone('plan'))).code).toBe(0);
  });
});

describe('promotion.yml says what is wrong with it, and where', () => {
  it.each([
    { given: 'nothing in it', text: '', says: 'promotion.yml is empty' },
    { given: 'a list', text: '- x\n', says: 'promotion.yml is not a mapping' },
    { given: 'a second document', text: 'a: 1\n---\nb: 1\n', says: 'it has more than one document' },
    { given: '__proto__', text: '__proto__: { targets: [] }\nupstreams: {}\ntargets: []\n', says: '__proto__' },
    { given: 'no YAML', text: 'a: 1\ntargets: [\n', says: 'promotion.yml:3:1 is not valid YAML' },
  ])('$given', async ({ text, says }) => {
    world.write('promotion.yml', text);
    await expectRefused(withClone('plan'), 'PROMOTION_FILE_INVALID', says);
  });
});

it('a datafile that cannot be read is named where a target of it is missed', async () => {
  world.write(MANAGER, `${world.text(MANAGER)}  : [\n`);
  await expectRefused(withClone('plan'), 'TARGET_NOT_FOUND', 'unreadable files may be the cause', `${MANAGER}:`);
});

it('--wait without --check-image waits for nothing, and says so', async () => {
  await expectRefused(['plan', '--upstream-clone', world.upstream, '--wait', '5m'], 'FLAG_INVALID', '--check-image');
});

describe('promote mr', () => {
  it('refuses a remote that the clone does not have', async () => {
    await expectRefused(
      withClone('mr', '--remote', 'orign'),
      'REMOTE_UNKNOWN',
      'it has origin',
      'did you mean origin?',
    );
  });

  it('names the flag for a target branch that is not there', async () => {
    await expectRefused(
      withClone('mr', '--target-branch', 'mian'),
      'REF_UNKNOWN',
      'did you mean main?',
      '--target-branch',
    );
    world.git('branch', '--quiet', '-m', 'main', 'trunk');
    world.git('update-ref', '-d', 'refs/remotes/origin/main');
    await expectRefused(withClone('mr'), 'DEFAULT_BRANCH_UNKNOWN', '--target-branch');
  });

  it('says in one line that nobody is known to commit', async () => {
    for (const role of ['AUTHOR', 'COMMITTER']) {
      vi.stubEnv(`GIT_${role}_NAME`, undefined);
      vi.stubEnv(`GIT_${role}_EMAIL`, undefined);
    }
    vi.stubEnv('EMAIL', undefined);
    await expectRefused(withClone('mr'), 'COMMIT_IDENTITY', 'no git identity for commits in', 'user.name');
  });

  it('asks the forge before it pushes anything', async () => {
    const gone = await startLocalHttp(() => {});
    await gone.close();
    const flags = ['--forge', 'gitlab', '--forge-url', `${gone.url}/a/b`, '--forge-api', `${gone.url}/api/v4`];
    await expectRefused(withClone('mr', ...flags), 'FORGE_UNREACHABLE');
  });

  it('says what is done when the forge refuses after the push, and goes on from there', async () => {
    const forge = await startForgeServer({ project: 'service/app-interface', branches: {} });
    const flags = ['--forge', 'gitlab', '--forge-url', `${forge.url}/service/app-interface`];
    const args = withClone('mr', ...flags, '--forge-api', forge.gitlabApi);
    const env = { GITLAB_TOKEN: forge.token };
    const branch = `promote-reconcile-${(world.commits.at(-1) ?? '').slice(0, 7)}`;
    const refused = await world.run(args, env);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`branch ${branch} was pushed to origin: run the command again to resume`);
    forge.state.branches.set('main', world.git('rev-parse', 'main'));
    forge.state.branches.set(branch, 'f'.repeat(40));
    const again = await world.run(args, env);
    await forge.close();
    expect(again.stdout).toContain('Merge request opened');
  });

  it('opens a new request where somebody closed the one before', async () => {
    const forge = await startForgeServer({ project: 'service/app-interface', branches: { main: 'a'.repeat(40) } });
    const branch = `promote-reconcile-${(world.commits.at(-1) ?? '').slice(0, 7)}`;
    forge.state.branches.set(branch, 'f'.repeat(40));
    const flags = ['--forge', 'gitlab', '--forge-url', `${forge.url}/service/app-interface`];
    const args = withClone('mr', ...flags, '--forge-api', forge.gitlabApi);
    const env = { GITLAB_TOKEN: forge.token };
    await world.run(args, env);
    for (const request of forge.state.requests) request.state = 'closed';
    const again = await world.run(args, env);
    await forge.close();
    expect(again.stdout).toContain('Merge request opened');
    expect(forge.state.requests.map(({ state: each }) => each)).toEqual(['closed', 'open']);
  });
});

describe('an imageRef of integration files', () => {
  const TARGET = `
- name: canaries
  schema: /app-sre/integration-1.yml
  selector: {name: terraform-resources}
  path: 'managed[].sharding.shardSpecOverrides[shard=/aws/payments/account.yml].imageRef'
  form: short
  length: 7
`;

  it('is promoted by schema and path, and only where the path leads', async () => {
    writeFileSync(join(world.instance, 'promotion.yml'), `${world.text('promotion.yml')}${TARGET}`);
    world.sandbox.commit('instance', 'targets');
    const { code, stderr } = await world.promote('apply', '--yes', '--allow-rollback', '--only', 'canaries');
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    const lines = world.git('diff', '--unified=0').split('\n');
    const newest = (world.commits.at(-1) ?? '').slice(0, 7);
    expect(lines.filter((line) => /^[+-][^+-]/.test(line))).toEqual([
      expect.stringMatching(/^- +imageRef: '?0473914'?/),
      expect.stringMatching(new RegExp(`^\\+ +imageRef: '?${newest}'?`)),
    ]);
  });
});
