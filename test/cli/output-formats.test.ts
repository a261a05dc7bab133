import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadYaml } from '../../src/instance/yaml/yaml11.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

const get = (...args: readonly string[]) => runCli(['get', ...args, '--data', EXAMPLE_INSTANCE]);

const KEYS = {
  integrations: [
    ...['name', 'file', 'description', 'upstream', 'managed', 'environment', 'cluster', 'namespace', 'workload'],
    ...['spec', 'sharding'],
  ],
  environments: [
    'name',
    'file',
    'product',
    'servicePhase',
    'labels',
    'parameters',
    'clusters',
    'namespaces',
    'integrations',
  ],
  clusters: [
    ...['file', 'name', 'labels', 'serverUrl', 'consoleUrl', 'internal', 'spec', 'upgradePolicy'],
    ...['disabledIntegrations', 'organization', 'environments', 'integrations'],
  ],
  accounts: [
    ...['file', 'name', 'labels', 'uid', 'resourcesDefaultRegion', 'supportedDeploymentRegions', 'partition'],
    'disabledIntegrations',
  ],
  organizations: [
    ...['file', 'name', 'labels', 'orgId', 'blockedVersions', 'sectors', 'allowedWorkloads', 'policyClusters'],
    ...['healthChecks', 'inheritVersionData', 'publishVersionData', 'disabledIntegrations', 'environment', 'url'],
    'clusters',
  ],
} as const;

describe('get for programs', () => {
  const ROWS = [
    { args: ['integrations', 'version-gate-approver', '-e', 'app-interface-stage'], kind: 'IntegrationList' },
    { args: ['environments', 'app-interface-stage'], kind: 'EnvironmentList' },
    { args: ['clusters', 'app-sre-stage-01'], kind: 'ClusterList' },
    { args: ['accounts', 'app-sre'], kind: 'AccountList' },
    { args: ['organizations', 'ocm-app-sre-stage'], kind: 'OrganizationList' },
  ] as const;

  it.each(ROWS)('get $args -o json is a $kind with one item and its keys', async ({ args, kind }) => {
    const list = JSON.parse((await get(...args, '-o', 'json')).stdout);
    expect(list).toMatchObject({ apiVersion: 'echelon/v1', kind, revision: expect.any(String) });
    expect(list.items.map(Object.keys)).toEqual([expect.arrayContaining([...KEYS[args[0]]])]);
    expect(Object.keys(list.items[0])).toHaveLength(KEYS[args[0]].length);
  });

  it.each(ROWS)('get $args -o yaml says the same as -o json', async ({ args }) => {
    const json = JSON.parse((await get(...args, '-o', 'json')).stdout);
    const yaml = (await get(...args, '-o', 'yaml')).stdout;
    expect({ yaml11: loadYaml(yaml).value, yaml12: load(yaml) }).toEqual({ yaml11: json, yaml12: json });
  });

  it('get -o json tells no place where a credential is kept', async () => {
    for (const kind of ['clusters', 'organizations']) {
      expect((await get(kind, '-o', 'json')).stdout).not.toMatch(/creds|client_secret/);
    }
  });

  it('get -o name prints each name once, with its kind', async () => {
    const { stdout } = await get('integrations', '-o', 'name', 'quay-mirror', 'ldap-users');
    expect(stdout).toBe('integration/ldap-users\nintegration/quay-mirror\n');
  });

  it('an empty list is an empty list', async () => {
    const { code, stdout, stderr } = await get('clusters', '-i', 'saas-file-validator', '-o', 'json');
    expect({ code, stderr, items: JSON.parse(stdout).items }).toEqual({ code: 0, stderr: '', items: [] });
  });
});

describe('colour', () => {
  const BOLD = '\u001b[1m';
  it.each([
    { given: 'a terminal', tty: true, env: {}, args: [], colour: true },
    { given: 'no terminal', tty: false, env: {}, args: [], colour: false },
    { given: 'a dumb terminal', tty: true, env: { TERM: 'dumb' }, args: [], colour: false },
    { given: 'NO_COLOR', tty: true, env: { NO_COLOR: '1' }, args: [], colour: false },
    { given: 'an empty NO_COLOR', tty: true, env: { NO_COLOR: '' }, args: [], colour: true },
    { given: '--no-color', tty: true, env: {}, args: ['--no-color'], colour: false },
    { given: 'FORCE_COLOR and no terminal', tty: false, env: { FORCE_COLOR: '1' }, args: [], colour: true },
    { given: 'FORCE_COLOR=0', tty: true, env: { FORCE_COLOR: '0' }, args: [], colour: false },
    { given: 'NO_COLOR and FORCE_COLOR', tty: true, env: { NO_COLOR: '1', FORCE_COLOR: '1' }, args: [], colour: false },
    { given: '--no-color and FORCE_COLOR', tty: true, env: { FORCE_COLOR: '1' }, args: ['--no-color'], colour: false },
  ])('with $given: $colour', async ({ tty, env, args, colour }) => {
    const line = ['get', 'accounts', 'app-sre', '--data', EXAMPLE_INSTANCE, ...args];
    const { stdout } = await runCli(line, { tty, env });
    expect(stdout.startsWith(BOLD)).toBe(colour);
    expect(stdout.includes('\u001b')).toBe(colour);
  });

  it('an error follows the same rules on standard error', async () => {
    const line = ['get', 'accounts', 'zzz', '--data', EXAMPLE_INSTANCE];
    expect((await runCli(line, { tty: true })).stderr).toContain('\u001b[31merror:\u001b[39m no account zzz');
    expect((await runCli([...line, '--no-color'], { tty: true })).stderr).toMatch(/^error: no account zzz/);
  });
});

describe('of an edited copy', () => {
  let copy: InstanceCopy;
  beforeEach(() => {
    copy = copyInstance();
  });
  afterEach(() => copy.dispose());

  it.each([
    ...['0473914', '0o17', '0x1f', '0b11', '1_000', '1e3', '1.5', '20240131', '2024-01-31', '7'],
    ...['yes', 'NO', 'on', 'Off', 'y', 'n', 'true', 'null', 'Null'],
  ])('the tag %s stays text in YAML 1.1 and 1.2', async (tag) => {
    copy.replace('data/integrations/slack-usergroups.yml', "imageRef: '0473914'", `imageRef: '${tag}'`);
    const line = ['get', 'integrations', 'slack-usergroups', '-e', 'app-interface-production', '-o', 'yaml'];
    const { stdout } = await runCli([...line, '--data', copy.root]);
    const imageRef = { items: [{ spec: { imageRef: tag } }] };
    expect(loadYaml(stdout).value).toMatchObject(imageRef);
    expect(load(stdout)).toMatchObject(imageRef);
  });

  it('markdown shows what would be markup as it is typed', async () => {
    copy.replace('data/aws/payments-archive/account.yml', '- terraform-resources', "- 'a|b\\c<d>@e'");
    const { stdout } = await runCli(['get', 'accounts', 'payments-archive', '-o', 'markdown', '--data', copy.root]);
    expect(stdout).toBe(
      '| NAME | UID | REGION | DISABLED FOR |\n' +
        '| --- | --- | --- | --- |\n' +
        '| payments-archive | 520000000004 | us-west-2 | a\\|b\\\\c&lt;d>@\u200be |\n',
    );
  });

  it('text of any width keeps the columns of a table in line', async () => {
    copy.replace('data/aws/payments-ci/account.yml', 'name: payments-ci', 'name: 支付-ci');
    copy.replace('data/aws/payments/account.yml', 'name: payments\n', 'name: pāyments\n');
    const { stdout } = await runCli(['get', 'accounts', '支付-ci', 'pāyments', '--data', copy.root]);
    expect(stdout).toBe(
      'NAME       UID            REGION      DISABLED FOR\n' +
        'pāyments   520000000001   us-east-1   -\n' +
        '支付-ci    520000000002   us-east-1   -\n',
    );
  });

  it('what is broken is left out and counted on standard error', async () => {
    copy.write('data/aws/payments/account.yml', '');
    const { code, stdout, stderr } = await runCli(['get', 'accounts', '-o', 'name', '--data', copy.root]);
    expect(stderr).toBe('warning: 1 error in this instance; the affected parts are left out: run echelon validate\n');
    expect(stdout).not.toContain('account/payments\n');
    expect({ code, accounts: stdout.split('\n').length - 1 }).toEqual({ code: 0, accounts: 5 });
  });
});
