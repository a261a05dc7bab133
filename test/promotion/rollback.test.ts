import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';

const MANAGER = 'data/services/app-interface/cicd/saas-qontract-manager.yaml';
const SHARED = 'data/services/app-interface/shared-resources/saas-deploy-tools.yml';
const JENKINS = 'resources/jenkins/global/defaults.yaml';

let world: PromotionWorld;

beforeEach(async () => {
  world = await promotionWorld();
});
afterEach(() => world.dispose());

const short = (index: number): string => (world.commits.at(index) ?? '').slice(0, 7);
const tagIn = (file: string): string | undefined =>
  /(?:RECONCILE_IMAGE_TAG=|reconcile_image_tag: '?)(\w+)/.exec(world.text(file))?.[1];

async function promoteByHand(to: number, message: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await world.promote('apply', '--yes', '--to', world.commits.at(to) ?? '', ...args);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  world.sandbox.commit('instance', message);
}

async function promoteByRequest(to: number, merge: 'merge' | 'squash' | 'fast-forward'): Promise<void> {
  const { code } = await world.promote('mr', '--from-head', '--no-push', '--to', world.commits.at(to) ?? '');
  expect(code).toBe(0);
  const branch = `promote-reconcile-${short(to)}`;
  if (merge === 'squash') {
    world.git('merge', '--quiet', '--squash', branch);
    world.git('commit', '--quiet', '--message', 'Promote (!12)');
  } else world.git('merge', '--quiet', ...(merge === 'merge' ? ['--no-ff', '--no-edit'] : ['--ff-only']), branch);
}

const rollback = (...args: readonly string[]) => world.promote('rollback', 'apply', '--yes', ...args);

describe('a rollback takes back the last change of what the files say, whatever its message', () => {
  it.each([
    { given: 'an own commit after apply', change: () => promoteByHand(3, 'newest version') },
    { given: 'a squashed merge request', change: () => promoteByRequest(3, 'squash') },
    { given: 'a merged merge request', change: () => promoteByRequest(3, 'merge') },
    { given: 'a fast-forward', change: () => promoteByRequest(3, 'fast-forward') },
  ])('$given', async ({ change }) => {
    await promoteByRequest(2, 'fast-forward');
    const before = world.text(MANAGER);
    await change();
    world.sandbox.commit('instance', 'something else', { 'README.md': 'y\n' });
    const { code, stdout } = await rollback();
    expect(code).toBe(0);
    expect(stdout).toContain('ROLLBACK');
    expect(tagIn('.env')).toBe(short(2));
    expect(world.text(MANAGER)).toBe(before);
  });

  it('leaves targets alone that the last change did not touch', async () => {
    await promoteByHand(2, 'everything');
    await promoteByHand(3, 'checks alone', '--only', 'reconcile-checks');
    const { code } = await rollback();
    expect({ code, checks: tagIn('.env'), jenkins: tagIn(JENKINS) }).toEqual({
      code: 0,
      checks: short(2),
      jenkins: short(2),
    });
  });

  it('goes further back where --only names a target that was changed earlier', async () => {
    await promoteByHand(2, 'everything');
    await promoteByHand(3, 'checks alone', '--only', 'reconcile-checks');
    const { code } = await rollback('--only', 'jenkins-global-defaults');
    expect({ code, jenkins: tagIn(JENKINS), checks: tagIn('.env') }).toEqual({
      code: 0,
      jenkins: short(0),
      checks: short(3),
    });
  });

  it('names the commit that it takes back, its people and its commits', async () => {
    await promoteByHand(1, 'first');
    await promoteByHand(3, 'the bad one');
    const { stdout } = await world.promote('rollback');
    expect(stdout).toContain('takes back 2 commits');
    expect(stdout).toContain(`${short(3)} fix it (Test)`);
    expect(stdout).toContain(`compare/${world.commits[1]}...${world.commits[3]}`);
    expect(stdout).toContain('To notify: Daniel Wu (dwu): 1 commit');
    expect(stdout).toMatch(/the bad one/);
    expect(stdout).not.toContain('0 commits');
  });
});

describe('a rollback of a rollback', () => {
  async function rolledBack(): Promise<void> {
    await promoteByHand(2, 'good');
    await promoteByHand(3, 'bad');
    expect((await rollback()).code).toBe(0);
    world.sandbox.commit('instance', 'back, by hand');
  }

  it('needs consent', async () => {
    await rolledBack();
    for (const args of [['plan'], ['apply', '--yes'], ['mr', '--from-head']]) {
      const { code, stderr } = await world.promote('rollback', ...args);
      expect({ args, code, stderr }).toEqual({
        args,
        code: 1,
        stderr: expect.stringMatching(/back, by hand[\s\S]*ROLLBACK_OF_ROLLBACK[\s\S]*--undo-rollback/),
      });
    }
    expect(tagIn('.env')).toBe(short(2));
  });

  it('is said to be one', async () => {
    await rolledBack();
    const { code, stdout } = await world.promote('rollback', 'mr', '--undo-rollback', '--from-head', '--no-push');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('undoes a rollback') });
    const branch = world.git('branch', '--list', 'promote-rollback-*').trim();
    expect(world.git('log', '-1', '--format=%s', branch)).toBe(
      `[echelon] ROLLBACK of a rollback: qontract-reconcile to ${short(3)}`,
    );
  });

  it('is known without the upstream, from the history of the files', async () => {
    await rolledBack();
    const { code, stderr } = await world.run(['rollback', '--offline']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ROLLBACK_OF_ROLLBACK') });
  });
});

describe('a rollback gives each place its own old value', () => {
  it('also where a matching file was added before the others, or refuses', async () => {
    await promoteByHand(2, 'good');
    await promoteByHand(3, 'bad');
    const added = 'data/services/app-interface/shared-resources/added-tools.yml';
    world.write(added, world.text(SHARED).replace('name: ', 'name: added-'));
    world.sandbox.commit('instance', 'one more');
    const { code, stderr } = await rollback('--only', 'shared-resources');
    expect(code).toBe(1);
    expect(stderr).toContain('ROLLBACK_PLACE_MISSING');
    expect(stderr).toContain(added);
    expect([tagIn(added), tagIn(SHARED)]).toEqual([short(3), short(3)]);
  });

  it('of several lines with the same key, also where one is inserted and all differ', async () => {
    const lines = (...tags: readonly string[]): string =>
      tags.map((tag, index) => `- job: job-${index}\n  qontract_reconcile_image_tag: '${tag}'\n`).join('');
    world.write(JENKINS, `{% if x %}\n${lines(short(0), short(1), short(2))}{% endif %}\n`);
    world.replace('promotion.yml', `file: ${JENKINS}\n`, `file: ${JENKINS}\n  matches: {min: 3, max: 3}\n`);
    world.sandbox.commit('instance', 'a template');
    await promoteByHand(3, 'bad');
    world.write(JENKINS, world.text(JENKINS).replace('- job: job-1', '# one line more\n\n- job: job-1'));
    world.sandbox.commit('instance', 'a comment');
    expect((await rollback()).code).toBe(0);
    expect(world.text(JENKINS)).toBe(
      `{% if x %}\n${lines(short(0), short(1), short(2)).replace('- job: job-1', '# one line more\n\n- job: job-1')}{% endif %}\n`,
    );
  });

  it('of items of a list, by their names and not by their position', async () => {
    await promoteByHand(2, 'good', '--only', 'app-interface-production');
    await promoteByHand(3, 'bad');
    const before = world.text(MANAGER);
    world.write(
      MANAGER,
      before.replace(
        /^( *)targets:\n/m,
        '$1targets:\n$1- name: new-one\n$1  namespace:\n$1    $ref: /services/app-interface/namespaces/app-interface-stage.yml\n$1  ref: main\n$1  delete: true\n',
      ),
    );
    world.sandbox.commit('instance', 'one more item in front');
    const { code, stdout, stderr } = await rollback();
    expect({ code, stderr: code === 0 ? '' : stderr, stdout }).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.any(String),
    });
    const values = world.text(MANAGER).match(/ref: [0-9a-f]{40}|IMAGE_TAG: \w+/g);
    const wanted = world.git('show', `HEAD~2:${MANAGER}`).match(/ref: [0-9a-f]{40}|IMAGE_TAG: \w+/g);
    expect(values).toEqual(wanted);
  });
});

describe('a rollback says why it cannot', () => {
  it('where nothing was ever changed, with flags that exist', async () => {
    const { code, stderr } = await world.promote('rollback');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('PROMOTION_UNKNOWN') });
    expect(stderr).toContain('echelon promote plan --to COMMIT --allow-rollback');
  });

  it('where the history of the clone is cut', async () => {
    await promoteByHand(3, 'bad');
    world.sandbox.commit('instance', 'later', { 'README.md': 'y\n' });
    world.sandbox.git('', 'clone', '--quiet', '--depth', '1', `file://${world.instance}`, 'cut');
    const { code, stderr } = await world.run([
      ...['rollback', '--data', world.sandbox.path('cut'), '--upstream-clone', world.upstream],
    ]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/HISTORY_SHALLOW[\s\S]*--unshallow/) });
  });

  it('works offline', async () => {
    await promoteByHand(2, 'good');
    await promoteByHand(3, 'bad');
    const { code } = await world.run(['rollback', 'apply', '--yes', '--offline']);
    expect({ code, tag: tagIn('.env') }).toEqual({ code: 0, tag: short(2) });
  });
});
