import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CheckedRepository, checkedRepository, runsOfIntegration, selectedBy } from '../support/pr-check.ts';
import { OWN_CHART } from '../support/render-chart.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

let repository: CheckedRepository;
beforeEach(async () => {
  repository = await checkedRepository();
});
afterEach(() => repository.dispose());

const NEW_ACCOUNT = (text: string): string =>
  text.replaceAll('payments-ci', 'data-lake').replace(/uid: .*/, "uid: '999988887777'");

describe('a change of', () => {
  it('docs selects nothing but what always runs', async () => {
    repository.write('docs/guide.md', 'hello\n');
    repository.commit();
    const report = await repository.report();
    expect(selectedBy(report)).toEqual({ 'integrations-manager': ['always-run'] });
    expect(report).toMatchObject({ code: 0, ok: true, failures: [] });
    expect(report.files.map(({ file, meaning }) => `${file}: ${meaning}`)).toEqual(['docs/guide.md: documentation']);
    expect(report.workloads?.difference.summary).toBe('none of 108 workloads changes');
  });

  it('the image of an upstream changes its workloads, and no others', async () => {
    const path = 'resources/echelon/manager.yml';
    const before = readFileSync(join(EXAMPLE_INSTANCE, path), 'utf8');
    repository.write(path, before.replace('a4e1c58', 'b5f2d69'));
    repository.commit();
    const report = await repository.report();
    expect(report.files.map(({ file, meaning }) => `${file}: ${meaning}`)).toEqual([
      `${path}: a file of Echelon itself`,
    ]);
    expect(report.workloads?.difference.summary).toBe('4 of 108 workloads change in 3 environments');
    expect(JSON.stringify(report.workloads)).toContain('quay.io/example/fleet-tools:b5f2d69');
  });

  it('an integration file selects that integration, and shows what happens to its workloads', async () => {
    repository.edit('data/integrations/openshift-groups.yml', (text) => text.replace(/cpu: \d+m/, 'cpu: 11m'));
    repository.commit();
    const report = await repository.report();
    expect(selectedBy(report)).toEqual({ 'integrations-manager': ['always-run'], 'openshift-groups': ['own-file'] });
    expect(report.workloads?.difference.summary).toBe('1 of 108 workloads changes in 1 environment');
    expect(report.workloads?.difference.changes).toMatchObject([
      { integration: 'openshift-groups', change: 'changed', resources: true },
    ]);
    const strict = await repository.report(['--select-strict', '--no-render']);
    expect(Object.keys(selectedBy(strict)).length).toBeGreaterThan(10);
  });

  it('an account gives a shard to every integration that has one for each, and selects what reads accounts', async () => {
    repository.write(
      'data/aws/data-lake/account.yml',
      NEW_ACCOUNT(repository.text('data/aws/payments-ci/account.yml')),
    );
    repository.commit();
    const report = await repository.report();
    expect(selectedBy(report)).toEqual({
      'integrations-manager': ['always-run', 'schema'],
      'terraform-resources': ['schema'],
      'terraform-users': ['schema'],
      'terraform-vpc-peerings': ['schema'],
    });
    const added = report.workloads?.difference.changes.map(({ integration, shard, change }) => [
      integration,
      shard,
      change,
    ]);
    expect(new Set(added?.map(String))).toEqual(
      new Set(
        ['terraform-resources', 'terraform-users', 'terraform-vpc-peerings'].map((name) => `${name},data-lake,added`),
      ),
    );
    expect(runsOfIntegration(report, 'terraform-resources')).toEqual([
      'reconcile-terraform-resources.txt|8c41f7e|--exclude-accounts app-sre --exclude-accounts payments',
      'reconcile-terraform-resources_0473914.txt|0473914|--account-name app-sre --account-name payments',
    ]);
    expect(runsOfIntegration(report, 'terraform-users')).toEqual(['reconcile-terraform-users.txt|8c41f7e|']);
  });

  it('a pin gives a run to each image, and moves the shard', async () => {
    repository.edit('data/integrations/terraform-resources.yml', (text) =>
      text.replace(
        "$ref: /aws/app-sre/account.yml\n      imageRef: '0473914'",
        '$ref: /aws/app-sre/account.yml\n      imageRef: f929a38',
      ),
    );
    repository.commit();
    const report = await repository.report();
    expect(runsOfIntegration(report, 'terraform-resources')).toEqual([
      'reconcile-terraform-resources.txt|8c41f7e|--exclude-accounts app-sre --exclude-accounts payments',
      'reconcile-terraform-resources_0473914.txt|0473914|--account-name payments',
      'reconcile-terraform-resources_f929a38.txt|f929a38|--account-name app-sre',
    ]);
    expect(report.workloads?.difference.changes).toEqual([
      expect.objectContaining({
        integration: 'terraform-resources',
        shard: 'app-sre',
        environment: 'app-interface-production',
        image: { from: 'quay.io/app-sre/qontract-reconcile:0473914', to: 'quay.io/app-sre/qontract-reconcile:f929a38' },
      }),
    ]);
  });

  it('a manager that is promoted moves what it operates in that environment, but for pins', async () => {
    repository.edit('data/services/app-interface/cicd/saas-qontract-manager.yaml', (text) =>
      text.replace("IMAGE_TAG: '31e8409'", "IMAGE_TAG: '5555555'"),
    );
    repository.commit();
    const { workloads, integrations } = await repository.report();
    const changes = workloads?.difference.changes ?? [];
    expect(changes.length).toBeGreaterThan(20);
    for (const change of changes)
      expect(change).toMatchObject({ environment: 'app-interface-stage', change: 'changed' });
    expect(changes.some(({ integration }) => integration === 'fleet-label-exporter')).toBe(false);
    expect(integrations.find(({ integration }) => integration === 'saas-file-validator')?.selected).toBe(true);
  });

  it('the image of .env selects everything with a check but what has an image of its own', async () => {
    repository.edit('.env', (text) => text.replace('RECONCILE_IMAGE_TAG=8c41f7e', 'RECONCILE_IMAGE_TAG=abcdef0'));
    repository.commit();
    const report = await repository.report(['--no-render']);
    const skipped = report.integrations.filter(({ selected }) => !selected);
    expect(skipped.map(({ integration, reasons }) => `${integration}: ${reasons[0]?.rule}`)).toContain(
      'terraform-vpc-peerings: not-affected',
    );
    expect(new Set(skipped.map(({ reasons }) => reasons[0]?.rule))).toEqual(
      new Set(['no-pr-check', 'disabled', 'not-affected']),
    );
    expect(runsOfIntegration(report, 'ldap-users')).toEqual(['reconcile-ldap-users.txt|abcdef0|']);
  });

  it('a broken file fails the check, and what was broken before does not', async () => {
    repository.sandbox.git('repository', 'checkout', '--quiet', 'main');
    repository.write('data/teams/old.yml', 'name: no schema\n');
    repository.sandbox.commit('repository', 'broken on main');
    repository.sandbox.git('repository', 'checkout', '--quiet', '-B', 'change');
    repository.write('data/aws/app-sre/account.yml', '$schema: /aws/account-1.yml\nname: [\n');
    repository.commit();
    const report = await repository.report();
    expect(report).toMatchObject({ code: 1, ok: false });
    expect(report.validation.added.map(({ file }) => file)).toContain('data/aws/app-sre/account.yml');
    expect(report.validation.kept.map(({ file }) => file)).toEqual(['data/teams/old.yml']);
    expect(selectedBy(report)).toHaveProperty('terraform-resources');
  });

  it('an integration that becomes wrong does not look like one that goes', async () => {
    repository.edit('data/integrations/openshift-groups.yml', (text) => text.replace(/cpu: \d+m/, 'cpu: a lot'));
    repository.commit();
    const report = await repository.report();
    expect(report.validation.added).toMatchObject([{ file: 'data/integrations/openshift-groups.yml' }]);
    expect(report.workloads?.difference.changes).toEqual([]);
    expect(report.code).toBe(1);
  });

  it('many files is told apart from what the guard would stop', async () => {
    for (const name of ['terraform-resources.yml', 'terraform-users.yml', 'openshift-namespaces.yml']) {
      repository.remove(`data/integrations/${name}`);
    }
    repository.commit();
    const { workloads, integrations, code } = await repository.report();
    const limit = 'are allowed per hour; apply will need --allow-mass-deletion';
    const stage = `12 of 39 objects would be deleted or stopped; at most 11 ${limit}`;
    expect(workloads?.guard).toEqual([
      `environment app-interface-stage: ${stage}`,
      `cluster app-sre-prod-01: 19 of 52 objects would be deleted or stopped; at most 15 ${limit}`,
      `cluster app-sre-stage-01: ${stage}`,
    ]);
    expect(integrations.find(({ integration }) => integration === 'terraform-users')?.reasons).toMatchObject([
      { rule: 'removed' },
    ]);
    expect(code).toBe(0);
  });
});

describe('what cannot be rendered', () => {
  const FAILING =
    '{{- range .Values.integrations }}{{ if eq .name "openshift-groups" }}{{ if eq .resources.requests.cpu "11m" }}{{ fail "not this one" }}{{ end }}{{ end }}{{ end }}';

  it('fails the check when the change brings it, and is only told when it was so before', async () => {
    cpSync(OWN_CHART, repository.path('chart'), { recursive: true });
    repository.sandbox.write('chart', 'templates/failing.yaml', FAILING);
    repository.edit('data/integrations/openshift-groups.yml', (text) => text.replace(/cpu: \d+m/, 'cpu: 11m'));
    repository.commit();
    const brought = await repository.report(['--chart', repository.path('chart')]);
    expect(brought).toMatchObject({ code: 1, failures: ['1 namespace no longer rendered'] });
    expect(brought.workloads?.troubles).toEqual([{ message: expect.stringContaining('not this one'), known: false }]);
    expect(brought.workloads?.difference.changes).toEqual([]);

    repository.sandbox.git('repository', 'checkout', '--quiet', '-b', 'mended');
    repository.sandbox.git('repository', 'revert', '--no-edit', 'HEAD');
    const mended = await repository.report([
      '--chart',
      repository.path('chart'),
      '--base',
      'change',
      '--head',
      'mended',
    ]);
    expect(mended.workloads?.troubles).toEqual([{ message: expect.stringContaining('at base only: '), known: true }]);
    expect(mended).toMatchObject({ code: 0, ok: true });
  });
});

describe('the commits', () => {
  it('are the working tree and the commit it stands on, when asked so', async () => {
    repository.write('docs/guide.md', 'hello\n');
    repository.remove('data/integrations/ldap-users.yml');
    const report = await repository.report(['--head', '.', '--no-render']);
    expect(report.files.map(({ file }) => file)).toEqual(['data/integrations/ldap-users.yml', 'docs/guide.md']);
    expect(report).toMatchObject({ head: { ref: 'working tree' } });
  });

  it('are where the head left the base, or the default branch when none is named', async () => {
    repository.write('data/x.md', 'on the branch');
    repository.commit();
    repository.sandbox.git('repository', 'checkout', '--quiet', 'main');
    repository.write('docs/later.md', 'on main, later');
    repository.sandbox.commit('repository', 'later');
    const { stdout, code } = await repository.check(['--no-render', '-o', 'json']);
    expect(JSON.parse(stdout).files).toHaveLength(1);
    const { runCli } = await import('../support/run-cli.ts');
    const found = await runCli([
      'pr-check',
      '--data',
      repository.root,
      '--head',
      'change',
      '--no-render',
      '-o',
      'json',
    ]);
    expect(JSON.parse(found.stdout).files.map(({ file }: { file: string }) => file)).toEqual(['data/x.md']);
    expect([code, found.code]).toEqual([0, 0]);
  });

  it('that do not exist are an error that names them', async () => {
    expect(await repository.check(['--head', 'no-such'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no-such'),
    });
  });
});

describe('an instance in a folder of the repository', () => {
  it('is compared with itself; the rest is not looked at', async () => {
    const nested = await checkedRepository('instances/one');
    try {
      nested.edit('data/integrations/openshift-groups.yml', (text) => `${text}# a comment\n`);
      nested.sandbox.write('repository', 'Makefile', 'all:\n');
      nested.commit();
      const report = await nested.report(['--no-render']);
      expect(report.files.map(({ file, meaning }) => `${file}: ${meaning}`)).toEqual([
        '../../Makefile: not checked',
        'data/integrations/openshift-groups.yml: /app-sre/integration-1.yml',
      ]);
      expect(Object.keys(selectedBy(report))).toEqual(['integrations-manager', 'openshift-groups']);
    } finally {
      nested.dispose();
    }
  });
});

describe('output', () => {
  it('is for people, as names and as Markdown', async () => {
    repository.edit('data/integrations/openshift-groups.yml', (text) => text.replace(/cpu: \d+m/, 'cpu: 11m'));
    repository.commit();
    const { stdout, stderr, code } = await repository.check();
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(/Workloads: 1 of 108 workloads changes in 1 environment\n/);
    expect(stdout).toMatch(/openshift-groups +yes +its own file changes: data\/integrations\/openshift-groups.yml\n/);
    expect(stdout).toMatch(
      /openshift-groups +quay.io\/app-sre\/qontract-reconcile:8c41f7e +all +reconcile-openshift-groups.txt\n/,
    );
    expect((await repository.check(['-o', 'name'])).stdout).toBe(
      'integration/integrations-manager\nintegration/openshift-groups\n',
    );
    expect((await repository.check(['-o', 'markdown'])).stdout).toContain('| openshift-groups |');
  });

  it('makes the plan without running anything', async () => {
    await repository.check();
    expect(() => repository.logs()).toThrow(/ENOENT/);
  });
});
