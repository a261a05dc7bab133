import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { type QontractServer, startQontractServer } from '../support/qontract-server.ts';
import { runCli } from '../support/run-cli.ts';
import { GRAPHQL_SCHEMA, hasShared } from '../support/shared.ts';

const FILE = 'resources/echelon/shadow.yml';
const GOOD = `integrations:
  slack-usergroups:
    actions: ['^action\\.action_type=(\\S+) action\\.usergroup=(\\S+)']
    ignore: ['^Rate limited']
    masks: [{ pattern: 'U[A-Z0-9]{8}', with: '<user>' }]
    inconclusive: ['cannot list']
    collapseRepeats: true
`;

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

async function problemsOf(
  data: string,
): Promise<{ rule: string; file: string; line: number; column: number; hint: string }[]> {
  const { stdout } = await runCli(['validate', '--data', data, '-o', 'json']);
  return JSON.parse(stdout).problems;
}

describe('validate reads resources/echelon/shadow.yml', () => {
  it('and has nothing to say of a good one', async () => {
    copy.write(FILE, GOOD);
    expect(await problemsOf(copy.root)).toEqual([]);
  });

  it.each([
    { given: 'an unknown field', from: 'masks:', to: 'mask:', rule: 'unknown-field', at: [5, 5], hint: 'masks' },
    {
      given: 'an unknown field of a mask',
      from: "with: '<user>'",
      to: "with: '<user>', withs: x",
      rule: 'unknown-field',
      at: [5, 56],
      hint: 'with',
    },
    { given: 'a look-ahead', from: 'cannot list', to: '(?=x)', rule: 'bad-value', at: [6, 21], hint: 'RE2' },
    {
      given: 'a pattern that matches anything',
      from: 'cannot list',
      to: 'x*',
      rule: 'bad-value',
      at: [6, 21],
      hint: 'RE2',
    },
    {
      given: 'an integration that does not exist',
      from: 'slack-usergroups',
      to: 'slack-usergroup',
      rule: 'unknown-integration',
      at: [2, 3],
      hint: 'did you mean slack-usergroups?',
    },
    { given: 'no actions', from: /actions: .*/, to: 'actions: []', rule: 'bad-value', at: [3, 14], hint: '' },
    {
      given: 'broken YAML',
      from: "with: '<user>' }]",
      to: "with: '<user>' }",
      rule: 'yaml-syntax',
      at: [6, 5],
      hint: '',
    },
  ])('and reports $given at its line and column', async ({ from, to, rule, at, hint }) => {
    copy.write(FILE, GOOD.replace(from, to));
    const [problem, ...others] = await problemsOf(copy.root);
    expect([problem?.rule, problem?.file, others]).toEqual([rule, FILE, []]);
    expect(problem?.hint).toContain(hint);
    expect([problem?.line, problem?.column]).toEqual(at);
  });

  it.skipIf(!hasShared)('from a directory, a bundle and a server', async () => {
    copy.write(FILE, GOOD.replace('ignore:', 'ignored:'));
    const bundle = bundleText(buildBundle(copy.root, { graphqlFile: GRAPHQL_SCHEMA }));
    copy.write('bundle.json', bundle);
    server = await startQontractServer({ bundle });
    for (const data of [copy.root, copy.path('bundle.json'), server.url]) {
      const own = (await problemsOf(data)).filter(({ file }) => file === FILE);
      expect({ data, lines: own.map(({ line }) => line) }).toEqual({ data, lines: [4] });
    }
  });
});
