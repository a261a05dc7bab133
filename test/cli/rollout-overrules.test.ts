import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRollouts } from '../../src/rollouts/index.ts';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { runCli } from '../support/run-cli.ts';

const FILE = 'resources/echelon/rollouts.yml';
const TEXT = `# reviewed by the owners of terraform
tracks:
- name: terraform-production
  match: { environments: [app-interface-production], integrations: [terraform-*] }
  waves:
  - { name: canary, shards: [payments-ci], soak: 4h }
  - { name: rest }
  health: { queries: [] }
  # the end of the track
`;
const REASON = ['--reason', 'INC-123: "x" # y'];

let copy: InstanceCopy;
beforeEach(() => {
  copy = copyInstance();
  copy.write(FILE, TEXT);
});
afterEach(() => copy.dispose());

const rollout = (...args: readonly string[]) => runCli(['rollout', ...args, '--data', copy.root]);

function overrules() {
  const { file, problems } = readRollouts(copy.text(FILE), FILE);
  expect(problems).toEqual([]);
  return file?.overrules ?? [];
}

describe('rollout pause, resume, expedite, reject and accept-shadow', () => {
  it.each([
    { action: 'pause', more: ['--for', '4h'], ends: true },
    { action: 'pause', more: ['--image', '12345e7', '--until', '2099-01-01T00:00:00Z'], ends: true },
    { action: 'expedite', more: ['--image', '8c41f7e', '--for', '1d'], ends: true },
    { action: 'resume', more: ['--image', '8c41f7e'], ends: false },
    { action: 'accept-shadow', more: ['--digest', `sha256:${'0123456789ab'.repeat(2)}`], ends: false },
    { action: 'reject', more: ['--image', 'quay.io/app-sre/qontract-reconcile:8c41f7e'], ends: false },
  ])('$action $more adds one overrule and leaves every other byte', async ({ action, more, ends }) => {
    const before = Date.now() * 1_000;
    const { code, stderr } = await rollout(action, 'terraform-production', ...more, ...REASON);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${action} added to ${FILE}\n` });
    expect(copy.text(FILE).startsWith(`${TEXT}overrules:\n- track: terraform-production\n`)).toBe(true);
    const [overrule] = overrules();
    expect(overrule).toMatchObject({ track: 'terraform-production', action, reason: 'INC-123: "x" # y' });
    expect(overrule?.image).toBe(more.includes('--image') ? more[more.indexOf('--image') + 1] : undefined);
    expect(overrule?.digest).toBe(more.includes('--digest') ? more.at(-1) : undefined);
    expect(overrule?.at).toBeGreaterThanOrEqual(before);
    expect(overrule?.until !== undefined).toBe(ends);
  });

  it('a second one goes behind the first, in its style', async () => {
    const first = '-  { track: terraform-production, image: abc, action: reject, at: 2026-11-16T10:00:00Z, reason: r }';
    copy.write(FILE, `${TEXT}overrules: # decisions\n${first} # bad\n# end\n`);
    expect((await rollout('resume', 'terraform-production', '--image', 'abc', ...REASON)).code).toBe(0);
    const [resume] = copy.text(FILE).split('\n').slice(-3);
    expect(resume).toMatch(/^- {2}\{ track: terraform-production, image: abc, action: resume, at: '2/);
    expect(copy.text(FILE).replace(`${resume}\n`, '')).toBe(`${TEXT}overrules: # decisions\n${first} # bad\n# end\n`);
    expect(overrules().map(({ action }) => action)).toEqual(['reject', 'resume']);
  });

  it('--dry-run shows the diff and writes nothing', async () => {
    const { code, stdout, stderr } = await rollout(
      ...['pause', 'terraform-production', '--until', '2099-01-01T00:00:00Z', '--dry-run', ...REASON],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'pause would be added; nothing was written\n' });
    expect(stdout).toContain(`+++ b/${FILE}`);
    expect(stdout).toContain("\n+  until: '2099-01-01T00:00:00Z'\n");
    expect(copy.text(FILE)).toBe(TEXT);
  });

  it.each(['table', 'wide', 'markdown', 'name', 'json', 'yaml'])('-o %s shows what was added', async (format) => {
    const { code, stdout } = await rollout(
      ...['reject', 'terraform-production', '--image', '8c41f7e', '-o', format, ...REASON],
    );
    expect(code).toBe(0);
    expect(stdout).toContain(format === 'name' ? 'overrule/terraform-production' : 'reject');
    if (format === 'json') {
      expect(JSON.parse(stdout)).toMatchObject({
        kind: 'OverruleList',
        items: [{ track: 'terraform-production', image: '8c41f7e', action: 'reject', reason: 'INC-123: "x" # y' }],
      });
    }
  });

  it.each([
    { given: 'a mistyped track', args: ['pause', 'terraform-prodction', '--for', '4h'], says: 'TRACK_UNKNOWN' },
    { given: 'no end', args: ['pause', 'terraform-production'], says: 'pause needs an end', code: 64 },
    { given: 'no digest', args: ['accept-shadow', 'x'], says: "required option '--digest", code: 64 },
    {
      given: 'a digest that is none',
      args: ['accept-shadow', 'terraform-production', '--digest', 'abc'],
      says: 'rollout explain',
      code: 64,
    },
    { given: 'no image', args: ['reject', 'terraform-production'], says: "required option '--image", code: 64 },
    { given: 'an end of a reject', args: ['reject', 'x', '--image', 'a', '--for', '4h'], says: '--for', code: 64 },
    {
      given: 'the past',
      args: ['pause', 'terraform-production', '--until', '2020-01-01T00:00:00Z'],
      says: 'future',
      code: 64,
    },
  ])('with $given is refused, and nothing is written', async ({ args, says, code = 1 }) => {
    const ran = await rollout(...args, ...REASON);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(says);
    expect(copy.text(FILE)).toBe(TEXT);
  });

  it('without a reason is refused', async () => {
    expect((await rollout('pause', 'terraform-production', '--for', '4h')).code).toBe(64);
  });

  it.each([
    { given: 'a file with a mistake', text: TEXT.replace('soak: 4h', 'soak: 4'), says: `${FILE}:6:` },
    { given: 'no file', text: undefined, says: 'ROLLOUTS_MISSING' },
    { given: 'a list that is an alias', text: `freezes: &a []\noverrules: *a\n${TEXT}`, says: 'EDIT_REFUSED' },
  ])('in $given is refused', async ({ text, says }) => {
    if (text === undefined) copy.remove(FILE);
    else copy.write(FILE, text);
    const { code, stderr } = await rollout('pause', 'terraform-production', '--for', '4h', ...REASON);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    if (text !== undefined) expect(copy.text(FILE)).toBe(text);
  });

  it('adds to the file of --rollouts, without an instance, and leaves that of the instance', async () => {
    copy.write('other/mine.yml', TEXT);
    const args = ['pause', 'terraform-production', '--for', '4h', ...REASON, '--rollouts', 'other/mine.yml'];
    const shown = await runCli(['rollout', ...args, '--dry-run'], { cwd: copy.root });
    expect(shown.stdout).toContain('+  action: pause');
    const { code, stderr } = await runCli(['rollout', ...args, '-o', 'json'], { cwd: copy.root });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'pause added to other/mine.yml\n' });
    expect(copy.text('other/mine.yml').startsWith(`${TEXT}overrules:\n- track: terraform-production\n`)).toBe(true);
    expect(copy.text(FILE)).toBe(TEXT);
  });

  it.each([
    { given: 'does not exist', file: 'missing.yml', says: 'ROLLOUTS_UNREADABLE' },
    { given: 'is a folder', file: 'resources', says: 'ROLLOUTS_UNREADABLE' },
    { given: 'has a mistake', file: 'wrong.yml', says: 'wrong.yml:6:' },
    { given: 'is a link', file: 'link.yml', says: 'is a symbolic link' },
  ])('in a file of --rollouts that $given is refused', async ({ file, says }) => {
    copy.write('wrong.yml', TEXT.replace('soak: 4h', 'soak: 4'));
    symlinkSync(FILE, join(copy.root, 'link.yml'));
    const args = ['pause', 'terraform-production', '--for', '4h', ...REASON, '--rollouts', join(copy.root, file)];
    const { code, stderr } = await runCli(['rollout', ...args]);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(copy.text(FILE)).toBe(TEXT);
  });

  it('in a bundle is refused', async () => {
    copy.write('bundle.json', bundleText(buildBundle(copy.root)));
    const { code, stderr } = await runCli([
      'rollout',
      'pause',
      'terraform-production',
      '--for',
      '4h',
      ...REASON,
      '--data',
      copy.path('bundle.json'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('is a bundle, which cannot be edited');
  });
});
