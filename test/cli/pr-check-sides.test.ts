import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CheckedRepository, checkedRepository, selectedBy } from '../support/pr-check.ts';

const MANAGER_FILE = 'resources/echelon/manager.yml';
const OPENSHIFT = 'data/integrations/openshift-resources.yml';

let repository: CheckedRepository;
beforeEach(async () => {
  repository = await checkedRepository();
});
afterEach(() => repository.dispose());

const git = (...args: readonly string[]): string => repository.sandbox.git('repository', ...args);

/** A commit on main, which the branch of the change gets only if it is told to. */
function onMain(edit: () => void, { isShared }: { readonly isShared: boolean }): void {
  git('checkout', '--quiet', 'main');
  edit();
  repository.sandbox.commit('repository', 'on main');
  git('checkout', '--quiet', 'change');
  if (isShared) git('merge', '--quiet', '--ff-only', 'main');
}

const newTag = (): void => repository.edit(MANAGER_FILE, (text) => text.replace('a4e1c58', 'b5f2d69'));

describe('the base is where the branch began', () => {
  it('and not the tip of what it will be merged into', async () => {
    repository.write('README.md', 'a word more\n');
    repository.commit();
    onMain(newTag, { isShared: false });
    const report = await repository.report();
    expect(report.files.map(({ file }) => file)).toEqual(['README.md']);
    expect(report.workloads?.difference.summary).toBe('none of 108 workloads changes');
    expect(report).toMatchObject({ base: { ref: 'main', behind: 1, commit: git('merge-base', 'main', 'change') } });
    const { stdout } = await repository.check(['--no-render']);
    expect(stdout).toContain('1 commit behind main: its changes are compared with where it began');
  });

  it('and a branch that is not behind says nothing', async () => {
    repository.write('README.md', 'a word more\n');
    repository.commit();
    const { stdout } = await repository.check(['--no-render']);
    expect(stdout).not.toContain('behind');
  });

  it('and without a common commit nothing is compared', async () => {
    git('checkout', '--quiet', '--orphan', 'alone');
    git('commit', '--quiet', '--allow-empty', '--message', 'alone');
    const { code, stderr } = await repository.check(['--head', 'alone']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('BASE_UNKNOWN') });
  });
});

describe('an old error in one entry', () => {
  const broken = (): void =>
    repository.edit(OPENSHIFT, (text) => `${text.trimEnd()}\n- namespace:\n    $ref: /nowhere.yml\n  spec: {}\n`);

  it('hides no image move of the other entries, and what is left out is counted', async () => {
    onMain(broken, { isShared: true });
    repository.edit('data/services/app-interface/cicd/saas-qontract-manager.yaml', (text) =>
      text.replaceAll('8c41f7e', '19e1349'),
    );
    repository.commit();
    const report = await repository.report();
    const moved = report.workloads?.difference.changes.filter(
      ({ integration }) => integration === 'openshift-resources',
    );
    expect(moved?.length).toBeGreaterThan(0);
    expect(report.workloads?.difference.summary).toMatch(/ of 108 workloads change in /);
  });

  it('that is new leaves out what it hides, by name', async () => {
    repository.edit(OPENSHIFT, (text) => text.replace(/\$ref: \/services\S+/, '$ref: /nowhere.yml'));
    repository.commit();
    const report = await repository.report();
    const { difference } = report.workloads ?? {};
    expect(difference).toMatchObject({ changes: [], notCompared: { integrations: ['openshift-resources'] } });
    expect(difference?.summary).toMatch(/^none of \d+ workloads changes; \d+ not compared: openshift-resources$/);
  });
});

describe('the image of a run', () => {
  it('selects the integration when manager.yml gives another tag', async () => {
    const file = 'data/integrations/fleet-label-exporter.yaml';
    const checked = (text: string): string => text.replace('managed:', 'pr_check: { cmd: exporter }\n\nmanaged:');
    onMain(() => repository.edit(file, checked), { isShared: true });
    newTag();
    repository.commit();
    const report = await repository.report(['--no-render']);
    expect(selectedBy(report)['fleet-label-exporter']).toEqual(['image']);
    expect(report.runs.map(({ image }) => image)).toContain('quay.io/example/fleet-tools:b5f2d69');
  });
});
