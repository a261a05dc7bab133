import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { type QontractServer, startQontractServer } from '../support/qontract-server.ts';
import { runCli } from '../support/run-cli.ts';
import { GRAPHQL_SCHEMA, hasShared } from '../support/shared.ts';

const FILE = 'resources/echelon/rollouts.yml';
const GOOD = `tracks:
- name: terraform-production
  match: { environments: [app-interface-production], integrations: [terraform-*] }
  waves:
  - { name: canary, shards: [terraform-resources/payments-ci, app-sre-stage], soak: 4h }
  - { name: early, percent: 20, soak: 1d, maxParallel: 3 }
  - { name: rest }
  window: "* 8-16 * * 1-4"
  health: { queries: [] }
freezes:
- { name: quarter-end, from: 2026-12-20T00:00:00Z, until: 2027-01-03T00:00:00Z, reason: quarter end }
`;

let copy: InstanceCopy;
beforeEach(() => {
  copy = copyInstance();
});
afterEach(() => copy.dispose());

interface Reported {
  readonly rule: string;
  readonly severity: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint: string;
}

async function validate(data: string, ...more: readonly string[]): Promise<{ code: number; problems: Reported[] }> {
  const { code, stdout, stderr } = await runCli(['validate', '--data', data, '-o', 'json', ...more]);
  expect(stderr).toBe('');
  return { code, problems: JSON.parse(stdout).problems };
}

describe('validate reads resources/echelon/rollouts.yml', () => {
  it('and has nothing to say of a good one', async () => {
    copy.write(FILE, GOOD);
    expect(await validate(copy.root)).toEqual({ code: 0, problems: [] });
  });

  it.each([
    { given: 'an unknown field', from: 'percent:', to: 'percents:', rule: 'unknown-field', hint: 'percent' },
    { given: 'broken YAML', from: '{ name: rest }', to: '{ name: rest', rule: 'yaml-syntax', hint: '' },
    { given: 'a bad duration', from: '4h', to: '4 hours', rule: 'bad-value', hint: 'unit' },
    { given: 'a window that never opens', from: '8-16 * *', to: '8 30 2', rule: 'bad-value', hint: 'UTC' },
    { given: 'a query that nothing declares', from: '[]', to: '[errors]', rule: 'unknown-query', hint: 'declare' },
    {
      given: 'an unknown environment',
      from: 'app-interface-production]',
      to: 'app-interface-prodction]',
      rule: 'unknown-environment',
      hint: 'did you mean app-interface-production?',
    },
    {
      given: 'an unknown integration',
      from: 'terraform-*]',
      to: 'terraform-resource]',
      rule: 'unknown-integration',
      hint: 'did you mean terraform-resources',
    },
    {
      given: 'an unknown shard',
      from: 'payments-ci,',
      to: 'payments-cd,',
      rule: 'unknown-shard',
      hint: 'terraform-resources/payments-ci',
    },
    {
      given: 'a wave that selects nothing',
      from: '{ name: early, percent: 20,',
      to: '{ name: early, shards: [app-sre-stage],',
      rule: 'empty-wave',
      hint: 'later waves never open',
    },
    {
      given: 'shards of no wave',
      from: '  - { name: rest }\n',
      to: '',
      rule: 'no-wave',
      hint: 'end with a wave',
    },
    {
      given: 'a track that no shard reaches',
      from: '[terraform-*]',
      to: '[integrations-manager]',
      rule: 'no-shards',
      hint: 'widen match',
    },
  ])('and reports $given at its line', async ({ from, to, rule, hint }) => {
    expect(GOOD.split(from).length).toBe(2);
    copy.write(FILE, GOOD.replace(from, to));
    const { code, problems } = await validate(copy.root);
    expect(code).toBe(1);
    const found = problems.find((problem) => problem.rule === rule);
    expect(found).toMatchObject({ severity: 'error', file: FILE, hint: expect.stringContaining(hint) });
    const near = GOOD.slice(0, GOOD.indexOf(from)).split('\n').length;
    expect(Math.abs((found?.line ?? 0) - near)).toBeLessThanOrEqual(3);
    expect(found?.column).toBeGreaterThan(0);
    expect(problems.every(({ file }) => file === FILE)).toBe(true);
  });

  it('and warns of a target that can change by itself', async () => {
    copy.write(FILE, GOOD);
    const saas = 'data/services/app-interface/cicd/saas-qontract-manager.yaml';
    const image = copy.text(saas).split('ENVIRONMENT_NAME: app-interface-production')[1] ?? '';
    const [declared = ''] = /IMAGE_TAG: .*\n\s+IMAGE_DIGEST: .*\n/.exec(image) ?? [];
    const text = copy.text(saas).split('ENVIRONMENT_NAME: app-interface-production');
    copy.write(
      saas,
      text
        .join('ENVIRONMENT_NAME: app-interface-production')
        .replace(image, image.replace(declared, 'IMAGE_TAG: latest\n')),
    );
    const { code, problems } = await validate(copy.root);
    expect({ code, problems }).toMatchObject({
      code: 0,
      problems: [{ rule: 'moving-target', severity: 'warning', file: FILE, line: 3 }],
    });
    expect(problems[0]?.message).toContain('app-interface-production declares the tag latest');
  });

  it('and lists at most 100 problems of it', async () => {
    const shards = Array.from({ length: 150 }, (_, index) => `nothing-${index}`).join(', ');
    copy.write(FILE, GOOD.replace('app-sre-stage]', `app-sre-stage, ${shards}]`));
    const { problems } = await validate(copy.root);
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toMatchObject({ rule: 'more-problems', message: '50 more problems in this file' });
  });

  it('or the file of --rollouts, which is named so that an editor opens it', async () => {
    copy.write(FILE, GOOD);
    copy.write('other.yml', GOOD.replace('name: early', 'nam: early'));
    const run = (...args: readonly string[]) =>
      runCli(['validate', '--data', '.', '--rollouts', ...args], { cwd: copy.root });
    const { code, stdout } = await run('other.yml');
    expect(code).toBe(1);
    expect(stdout).toContain(`${copy.path('other.yml')}:6:7: error: unknown field nam [unknown-field]\n`);
    const missing = await run('missing.yml');
    expect({ code: missing.code, stdout: missing.stdout }).toEqual({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('ROLLOUTS_UNREADABLE');
  });
});

describe.skipIf(!hasShared)('validate reads rollouts.yml from every source', () => {
  let server: QontractServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it.each([
    { given: 'a good one', text: GOOD, lines: [] },
    { given: 'a bad one', text: GOOD.replace('payments-ci,', 'payments-cd,'), lines: [5] },
  ])('$given', async ({ text, lines }) => {
    copy.write(FILE, text);
    const bundle = bundleText(buildBundle(copy.root, { graphqlFile: GRAPHQL_SCHEMA }));
    copy.write('bundle.json', bundle);
    server = await startQontractServer({ bundle });
    for (const data of [copy.root, copy.path('bundle.json'), server.url]) {
      const own = (await validate(data)).problems.filter(({ file }) => file === FILE);
      expect({ data, lines: own.map((problem) => problem.line) }).toEqual({ data, lines });
    }
  });
});
