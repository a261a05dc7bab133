import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { type QontractServer, startQontractServer } from '../support/qontract-server.ts';
import { runCli } from '../support/run-cli.ts';
import { GRAPHQL_SCHEMA, hasShared, SCHEMAS } from '../support/shared.ts';

const TERRAFORM = 'data/integrations/terraform-resources.yml';
const PINNED = "        $ref: /aws/payments/account.yml\n      imageRef: '0473914'\n";
const SUB = '      subSharding:\n        strategy: static\n        shards: 3\n';

describe.skipIf(!hasShared)('an instance on a server', () => {
  let copy: InstanceCopy;
  let server: QontractServer | undefined;

  beforeEach(() => {
    copy = copyInstance();
  });
  afterEach(async () => {
    copy.dispose();
    await server?.close();
    server = undefined;
  });

  async function served(): Promise<string> {
    const bundle = bundleText(buildBundle(copy.root, { schemasDir: SCHEMAS, graphqlFile: GRAPHQL_SCHEMA }));
    server = await startQontractServer({ bundle });
    return server.url;
  }

  it('is checked as far as the server gives it, and validate says which files it does not', async () => {
    const url = await served();
    const { code, stdout } = await runCli(['validate', '--data', url, '-o', 'json']);
    const { files, errors, notChecked } = JSON.parse(stdout);
    expect({ code, files, errors }).toEqual({ code: 0, files: 68, errors: 0 });
    expect(notChecked).toHaveLength(35);
    expect(notChecked).toContainEqual({ file: 'data/teams/app-sre/roles/app-sre.yml', schema: '/access/role-1.yml' });
    const text = (await runCli(['validate', '--data', url])).stdout;
    expect(text).toContain('not checked: 35 datafiles that Echelon does not read from a server');
    expect(text).toMatch(/\n {4}4 \/access\/permission-1\.yml\n/);
    expect(text).toMatch(/ in 68 of at least 103 datafiles of http/);
  });

  it('loses the sub-sharding of an account: validate and the manager say so, on either side', async () => {
    copy.replace(
      TERRAFORM,
      'name: terraform-resources\n',
      "name: terraform-resources\ncapabilities: ['--account-name', 'SHARDS']\n",
    );
    copy.replace(TERRAFORM, PINNED, `${PINNED}${SUB}`);
    const url = await served();
    const scope = ['--environment-name', 'app-interface-production', '-o', 'json'];
    const ofFiles = await runCli(['manager', 'values', '--data', copy.root, ...scope]);
    const ofServer = await runCli(['manager', 'values', '--data', url, ...scope]);
    expect(ofFiles.stdout).toContain('-payments-2');
    expect(ofServer.stdout).not.toContain('-payments-2');
    expect(ofFiles.stderr).toContain('a qontract-server does not serve subSharding of per-aws-account overrides');
    expect(ofServer.stderr).toContain('the server does not serve subSharding of per-aws-account overrides');
    for (const data of [copy.root, url]) {
      const { code, stdout } = await runCli(['validate', '--data', data]);
      expect(code).toBe(0);
      expect(stdout).toContain('[sub-sharding-not-served]');
    }
  });
});

describe('sub-sharding of an account', () => {
  it.each([
    { given: 'nothing declared', capabilities: undefined, code: 1 },
    { given: 'the flag alone declared', capabilities: "terraform-resources: ['--account-name']\n", code: 1 },
    { given: 'that it divides its work', capabilities: "terraform-resources: ['--account-name', 'SHARDS']\n", code: 0 },
  ])('with $given: validate and manager exit $code', async ({ capabilities, code }) => {
    const copy = copyInstance();
    try {
      copy.replace(TERRAFORM, PINNED, `${PINNED}${SUB}`);
      if (capabilities !== undefined) copy.write('capabilities.yml', capabilities);
      const more = capabilities === undefined ? [] : ['--capabilities', copy.path('capabilities.yml')];
      for (const command of [['validate'], ['manager', 'values', '-o', 'json']]) {
        const run = await runCli([...command, '--data', copy.root, ...more]);
        expect(run.code).toBe(code);
        expect(`${run.stdout}${run.stderr}`.includes('[sub-sharding-undivided]')).toBe(code === 1);
        expect(run.stdout.includes('-payments-2')).toBe(code === 0 && command[0] === 'manager');
      }
      const { stdout } = await runCli(['get', 'shards', '-i', 'terraform-resources', '--data', copy.root, ...more]);
      expect(stdout.includes('payments-2')).toBe(code === 0);
    } finally {
      copy.dispose();
    }
  });
});
