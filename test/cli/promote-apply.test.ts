import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';

const MANAGER = 'data/services/app-interface/cicd/saas-qontract-manager.yaml';

let world: PromotionWorld;

beforeEach(async () => {
  world = await promotionWorld();
});
afterEach(() => world.dispose());

const stat = (): string[] =>
  world
    .git('diff', '--numstat')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('\t', ' '));

describe('promote apply', () => {
  it('writes exactly the lines that the plan shows, and has nothing to do afterwards', async () => {
    const { code, stdout } = await world.promote('apply', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('Wrote 6 files');
    expect(stat()).toEqual([
      '1 1 .env',
      `9 9 ${MANAGER}`,
      '1 1 data/services/app-interface/cicd/tekton-provider-defaults.yml',
      '1 1 data/services/app-interface/shared-resources/saas-deploy-tools.yml',
      '2 2 data/services/change-gateway/cicd/saas-change-gateway.yml',
      '1 1 resources/jenkins/global/defaults.yaml',
    ]);
    expect(world.git('status', '--porcelain', '--untracked-files=all').split('\n')).toHaveLength(6);
    const again = await world.promote('apply', '--yes');
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('Nothing to do');
  });

  it('touches only what --only names', async () => {
    await world.promote('apply', '--yes', '--only', 'reconcile-checks');
    expect(stat()).toEqual(['1 1 .env']);
  });

  it('writes nothing with --dry-run', async () => {
    const { code, stderr } = await world.promote('apply', '--dry-run');
    expect({ code, stat: stat() }).toEqual({ code: 0, stat: [] });
    expect(stderr).toContain('this is a dry run: nothing was changed');
  });

  it('needs somebody who agrees', async () => {
    const { code, stderr } = await world.promote('apply');
    expect({ code, stat: stat() }).toEqual({ code: 1, stat: [] });
    expect(stderr).toContain('CONSENT_MISSING');
  });

  it.each([
    { answer: 'yes', code: 0, files: 1 },
    { answer: 'y', code: 1, files: 0 },
  ])('asked on a terminal and answered $answer, it exits $code', async ({ answer, code, files }) => {
    const silent = { isTTY: true, write: () => {} };
    const args = ['promote', 'apply', '--upstream-clone', world.upstream, '--only', 'reconcile-checks'];
    const asked: string[] = [];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return answer;
    };
    const signal = new AbortController().signal;
    expect(await main(args, { stdout: silent, stderr: silent, env: {}, cwd: world.instance, signal, ask })).toBe(code);
    expect(asked).toEqual(['Change 1 file? Only "yes" is accepted: ']);
    expect(stat()).toHaveLength(files);
  });

  it.each([
    {
      given: 'a change that is not committed',
      arrange: () => world.write('.env', `${world.text('.env')}\n`),
      says: '.env has uncommitted changes',
    },
    { given: 'a conflict', arrange: conflict, says: '.env has conflicts' },
    { given: 'a rebase under way', arrange: rebase, says: 'a rebase is in progress' },
  ])('refuses $given', async ({ arrange, says }) => {
    arrange();
    const before = world.git('status', '--porcelain');
    const { code, stderr } = await world.promote('apply', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(stderr).toContain('Nothing was changed');
    expect(world.git('status', '--porcelain')).toBe(before);
  });

  it('does not mind changes elsewhere', async () => {
    world.write('README.md', 'x\n');
    expect((await world.promote('apply', '--yes')).code).toBe(0);
  });

  it.skipIf(process.getuid?.() === 0)('changes nothing when one file cannot be written', async () => {
    const folder = join(world.instance, 'resources/jenkins/global');
    chmodSync(folder, 0o555);
    const { code, stderr } = await world.promote('apply', '--yes');
    chmodSync(folder, 0o755);
    expect({ code, stat: stat() }).toEqual({ code: 1, stat: [] });
    expect(stderr).toContain('WRITE_FAILED');
  });

  it('leaves no temporary file behind', async () => {
    await world.promote('apply', '--yes');
    const names = readdirSync(world.instance, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.includes('echelon-edit'))).toEqual([]);
  });
});

describe('promote schemas', () => {
  it('changes the tag of .env alone', async () => {
    const { code } = await world.run(['schemas', 'apply', '--yes', '--upstream-clone', world.schemas]);
    expect(code).toBe(0);
    expect(stat()).toEqual(['1 1 .env']);
    expect(world.text('.env')).toContain(`SCHEMAS_IMAGE_TAG=${(world.schemasCommits[1] ?? '').slice(0, 7)}\n`);
  });

  it('is a plan when nothing is said, and needs no promotion.yml', async () => {
    world.git('rm', '--quiet', 'promotion.yml');
    const { code, stdout } = await world.run(['schemas', '--upstream-clone', world.schemas]);
    expect(code).toBe(0);
    expect(stdout).toContain('schemas-checks');
    expect(existsSync(join(world.instance, 'promotion.yml'))).toBe(false);
  });
});

describe('promote rollback', () => {
  it('brings back exactly what was there before the last promotion', async () => {
    const before = world.text(MANAGER);
    world.git('checkout', '--quiet', '--detach');
    await world.promote('mr', '--from-head', '--target-branch', 'main');
    world.git('checkout', '--quiet', 'main');
    world.git('merge', '--quiet', '--no-edit', `promote-reconcile-${(world.commits.at(-1) ?? '').slice(0, 7)}`);
    expect(world.text(MANAGER)).not.toBe(before);
    world.sandbox.commit('instance', 'something else', { 'README.md': 'y\n' });
    const { code, stdout } = await world.promote('rollback', 'apply', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('ROLLBACK');
    expect(world.text(MANAGER)).toBe(before);
    expect(world.text('README.md')).toBe('y\n');
  });

  it('is a request of its own', async () => {
    await world.promote('mr');
    world.git('merge', '--quiet', '--no-edit', `promote-reconcile-${(world.commits.at(-1) ?? '').slice(0, 7)}`);
    world.git('push', '--quiet', 'origin', 'main');
    const { code } = await world.promote('rollback', 'mr');
    expect(code).toBe(0);
    const branch = `promote-rollback-reconcile-${(world.commits[0] ?? '').slice(0, 7)}`;
    const other = `promote-rollback-reconcile-${(world.commits[1] ?? '').slice(0, 7)}`;
    const made = world.git('branch', '--list', branch, other).trim();
    expect(world.git('log', '-1', '--format=%s', made)).toMatch(
      /^\[echelon\] ROLLBACK qontract-reconcile to [0-9a-f]{7} and [0-9a-f]{7}$/,
    );
    expect(world.git('diff', '--shortstat', 'main~1', made)).toBe('');
  });

  it('says so where nothing was promoted', async () => {
    const { code, stderr } = await world.promote('rollback');
    expect(code).toBe(1);
    expect(stderr).toContain('PROMOTION_UNKNOWN');
  });
});

function diverge(): void {
  world.git('checkout', '--quiet', '-b', 'other');
  world.replace('.env', 'RECONCILE_IMAGE_TAG=', 'RECONCILE_IMAGE_TAG=1');
  world.sandbox.commit('instance', 'one');
  world.git('checkout', '--quiet', 'main');
  world.replace('.env', 'RECONCILE_IMAGE_TAG=', 'RECONCILE_IMAGE_TAG=2');
  world.sandbox.commit('instance', 'two');
}

/** The file itself stays one that can be read, so that the state of the repository decides. */
function conflict(): void {
  const text = world.text('.env');
  diverge();
  expect(() => world.git('merge', 'other')).toThrow();
  world.write('.env', text);
}

function rebase(): void {
  const text = world.text('.env');
  diverge();
  world.write('.env', text);
  world.sandbox.commit('instance', 'back again');
  expect(() => world.git('rebase', 'other')).toThrow();
  world.git('checkout', '--quiet', '--force', '--detach', 'HEAD');
  world.write('.env', text);
  world.git('add', '--all');
  world.git('commit', '--quiet', '--allow-empty', '--message', 'resolved');
}
