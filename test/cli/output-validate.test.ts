import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { runCli } from '../support/run-cli.ts';

const FILE = 'data/integrations/slack-usergroups.yml';

let copy: InstanceCopy;

beforeEach(() => {
  copy = copyInstance();
});
afterEach(() => copy.dispose());

/** Runs validate; what differs from run to run is replaced by a word. */
async function validate(...args: readonly string[]) {
  const { code, stdout, stderr } = await runCli(['validate', '--data', copy.root, ...args]);
  return { code, stderr, stdout: stdout.replaceAll(copy.root, 'INSTANCE').replaceAll(/content\.\w{8}/g, 'REVISION') };
}

describe('validate of an instance without problems', () => {
  const summary = 'no problems in 109 datafiles of INSTANCE at REVISION (no JSON schemas at hand)';
  it.each([
    { format: 'table', stdout: `${summary}\n` },
    { format: 'markdown', stdout: `**${summary}**\n` },
    { format: 'name', stdout: '' },
  ])('-o $format', async ({ format, stdout }) => {
    expect(await validate('-o', format)).toEqual({ code: 0, stdout, stderr: '' });
  });
});

describe('validate of an instance with one problem', () => {
  beforeEach(() => {
    copy.replace(FILE, "imageRef: '0473914'", 'imageRef: a|b');
  });

  const summary = '1 error, 0 warnings in 109 datafiles of INSTANCE at REVISION (no JSON schemas at hand)';

  it.each([
    {
      format: 'table',
      stdout: `INSTANCE/${FILE}:40:15: error: "a|b" is not a valid image tag [bad-image-ref]
    at managed[1].spec.imageRef; use a tag such as f929a38, without the repository
${summary}
`,
    },
    {
      format: 'markdown',
      stdout: `**${summary}**

|  | where | what | what to do | rule |
| --- | --- | --- | --- | --- |
| error | ${FILE}:40:15 | "a\\|b" is not a valid image tag | use a tag such as f929a38, without the repository | bad-image-ref |
`,
    },
    { format: 'name', stdout: `INSTANCE/${FILE}\n` },
  ])('-o $format', async ({ format, stdout }) => {
    expect(await validate('-o', format)).toEqual({ code: 1, stdout, stderr: '' });
  });

  it('-o json, and -o yaml says the same', async () => {
    const { code, stdout } = await validate('-o', 'json');
    expect({ code, report: JSON.parse(stdout) }).toEqual({
      code: 1,
      report: {
        apiVersion: 'echelon/v1',
        kind: 'ValidationReport',
        source: 'INSTANCE',
        revision: { id: 'REVISION', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        files: 109,
        schemas: false,
        errors: 1,
        warnings: 0,
        problems: [
          {
            rule: 'bad-image-ref',
            severity: 'error',
            file: FILE,
            line: 40,
            column: 15,
            at: 'managed[1].spec.imageRef',
            message: '"a|b" is not a valid image tag',
            hint: 'use a tag such as f929a38, without the repository',
          },
        ],
      },
    });
    expect(load((await validate('-o', 'yaml')).stdout)).toEqual(JSON.parse(stdout));
  });

  it('the word beside the colour says the same', async () => {
    const { stdout } = await runCli(['validate', '--data', copy.root], { tty: true });
    expect(stdout).toContain('\u001b[31merror\u001b[39m: "a|b"');
  });
});

describe('validate names files as an editor opens them', () => {
  it.each([
    { from: 'the root of the instance', cwd: () => copy.root, data: '.' },
    { from: 'a folder of the instance', cwd: () => copy.path('data/aws'), data: '../..' },
  ])('from $from', async ({ cwd, data }) => {
    copy.write('data/aws/app-sre/account.yml', '');
    const { stdout } = await runCli(['validate', '--data', data], { cwd: cwd() });
    expect(stdout).toContain(`${copy.path('data/aws/app-sre/account.yml')}:1:1: error: the file is empty`);
  });
});
