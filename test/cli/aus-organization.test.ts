import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AusCli, ausCli } from '../support/aus-cli.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';

const FLEET = upgradeFleet([
  { id: 'org-1', clusters: [member('alpha')], labels: { 'team.example.com/owner': 'us' } } as never,
  { id: 'org-2', aus: { 'version-data.publish': 'org-9' }, clusters: [] },
]);

let cli: AusCli;
beforeEach(async () => {
  cli = await ausCli(FLEET);
});
afterEach(() => cli.dispose());

const OWN = { 'team.example.com/owner': 'us' };
const P13 = '^4\\.13\\..*$';
const P14 = '^4\\.14\\..*$';

/** Applies the same again; nothing may be written. */
async function again(args: readonly string[], stdin?: string): Promise<void> {
  const writes = cli.writes().length;
  expect((await cli.run(args, stdin)).stdout).toBe('Nothing to change.\n');
  expect(cli.writes()).toHaveLength(writes);
}

describe('freezes', () => {
  const apply = ['apply', 'freezes'];
  const [XMAS, EASTER] = ['2026-12-20T00:00:00Z/2027-01-03T00:00:00Z', '2027-03-26T00:00:00Z/2027-03-30T00:00:00Z'];

  it('freezes, unfreezes by the times alone, and shows', async () => {
    const freeze = [...apply, '--freeze', `${XMAS}=quarter end`, '--freeze', EASTER];
    await cli.run(freeze);
    expect(cli.labels('org-1')).toEqual({ freeze: `${XMAS}=quarter end,${EASTER}`, ...OWN });
    await again(freeze);
    expect((await cli.run(['status'])).stdout).toContain(`Freezes:            ${XMAS}=quarter end, ${EASTER}`);
    await cli.run([...apply, '--unfreeze', XMAS]);
    expect(JSON.parse((await cli.run(['get', 'freezes'])).stdout)).toEqual([EASTER]);
  });

  it.each([
    { given: 'nothing', args: [], code: 64, says: 'nothing to freeze or unfreeze' },
    { given: 'what is no freeze', args: ['--freeze', 'tomorrow'], code: 1, says: '"tomorrow" is not a freeze' },
    { given: 'a comma in a reason', args: ['--freeze', `${XMAS}=a,b`], code: 1, says: 'contains a comma' },
  ])('refuses $given', async ({ args, code, says }) => {
    const run = await cli.run([...apply, ...args]);
    expect({ code: run.code, writes: cli.writes() }).toEqual({ code, writes: [] });
    expect(run.stderr).toContain(says);
  });
});

describe('version-blocks', () => {
  const apply = ['apply', 'version-blocks'];

  it('blocks, unblocks and shows', async () => {
    const block = [...apply, '--block-version', P13, '--block-version', ` ${P14},`];
    await cli.run(block);
    expect(cli.labels('org-1')).toEqual({ 'blocked-versions': `${P13},${P14}`, ...OWN });
    await again(block);
    await cli.run([...apply, '--unblock-version', P14]);
    expect(JSON.parse((await cli.run(['get', 'version-blocks'])).stdout)).toEqual([P13]);
  });

  it('an emptied list is written as empty', async () => {
    await cli.run([...apply, '-b', P13]);
    await cli.run([...apply, '-u', P13]);
    expect(cli.labels('org-1')).toEqual({ 'blocked-versions': '', ...OWN });
    expect((await cli.run(['get', 'version-blocks'])).stdout).toBe('[]\n');
  });

  it('a dumped file replaces all; in another order it is the same', async () => {
    await cli.run([...apply, '-b', '^9$']);
    const { stdout } = await cli.run([...apply, '-b', P13, '-b', P14, '--replace', '--dump']);
    expect(JSON.parse(stdout)).toEqual([P13, P14]);
    await cli.run([...apply, '-', '--replace'], stdout);
    expect(cli.labels('org-1')).toEqual({ 'blocked-versions': `${P13},${P14}`, ...OWN });
    await again([...apply, '-', '--replace'], JSON.stringify([P14, P13]));
  });

  it.each([
    { given: 'what is no pattern', args: ['-b', '('], says: 'is not a valid regular expression' },
    { given: 'a comma in a pattern', args: ['-b', '4.1{1,2}'], says: 'contains a comma' },
  ])('refuses $given', async ({ args, says }) => {
    const { code, stderr } = await cli.run([...apply, ...args]);
    expect({ code, writes: cli.writes() }).toEqual({ code: 1, writes: [] });
    expect(stderr).toContain(says);
  });

  it('a dry run writes nothing', async () => {
    const { stdout } = await cli.run([...apply, '-b', P13, '--dry-run']);
    expect(stdout).toContain(`organization org-1:\n  + sre-capabilities.aus.blocked-versions=${P13}\n`);
    expect(cli.writes()).toEqual([]);
  });
});

describe('sectors', () => {
  const apply = ['apply', 'sectors'];

  it('adds and removes dependencies, and shows', async () => {
    const add = [...apply, '--add-dep', 'prod=stage', '--add-dep', 'stage=dev,dev-2'];
    await cli.run(add);
    expect(cli.labels('org-1')).toEqual({ 'sector-deps.prod': 'stage', 'sector-deps.stage': 'dev,dev-2', ...OWN });
    await again(add);
    await cli.run([...apply, '--remove-dep', 'stage=dev-2']);
    expect(JSON.parse((await cli.run(['get', 'sectors'])).stdout)).toEqual([
      { dependencies: ['stage'], name: 'prod' },
      { dependencies: ['dev'], name: 'stage' },
    ]);
  });

  it('a sector stays declared without dependencies, until it is removed by name', async () => {
    await cli.run([...apply, '-a', 'prod=stage']);
    await cli.run([...apply, '-r', 'prod=stage']);
    expect(cli.labels('org-1')).toEqual({ 'sector-deps.prod': '', ...OWN });
    await cli.run([...apply, '-r', 'prod']);
    expect(cli.labels('org-1')).toEqual(OWN);
  });

  it('a limit declares its sector, as it would have no effect otherwise', async () => {
    await cli.run([...apply, '--sector-max-parallel-upgrades', 'lone=50%', '-a', 'prod=stage', '-m', 'stage=2']);
    expect(cli.labels('org-1')).toEqual({
      'sector-deps.lone': '',
      'sector-deps.prod': 'stage',
      'sector-max-parallel-upgrades.lone': '50%',
      'sector-max-parallel-upgrades.stage': '2',
      ...OWN,
    });
  });

  it('a dumped file replaces all sectors and nothing else', async () => {
    await cli.run([...apply, '-a', 'old=older', '-m', 'old=1']);
    await cli.run(['apply', 'version-blocks', '-b', P13]);
    const { stdout } = await cli.run([...apply, '-a', 'prod=stage', '-a', 'stage=dev', '--replace', '--dump']);
    await cli.run([...apply, '-', '--replace'], stdout);
    expect(cli.labels('org-1')).toEqual({
      'blocked-versions': P13,
      'sector-deps.prod': 'stage',
      'sector-deps.stage': 'dev',
      ...OWN,
    });
    await again([...apply, '-', '--replace'], (await cli.run(['get', 'sectors'])).stdout);
  });

  it.each([
    { given: 'a circle', args: ['-a', 'a=b', '-a', 'b=a'], says: 'dependency cycle' },
    { given: 'a name that no key can have', args: ['-a', 'a b=c'], says: 'cannot be part of a label key' },
    { given: 'no limit', args: ['-m', 'a=many'], says: 'is not a valid limit' },
  ])('refuses $given', async ({ args, says }) => {
    const { code, stderr } = await cli.run([...apply, ...args]);
    expect({ code, writes: cli.writes() }).toEqual({ code: 1, writes: [] });
    expect(stderr).toContain(says);
  });
});

describe('inheritance', () => {
  const apply = ['apply', 'inheritance'];

  it('adds organizations, and replaces them by a file', async () => {
    const add = [...apply, '--inherit-from', 'org-2', '-i', 'org-7', '--publish-to', 'org-3,org-4'];
    await cli.run(add);
    expect(cli.labels('org-1')).toEqual({
      'version-data.inherit': 'org-2,org-7',
      'version-data.publish': 'org-3,org-4',
      ...OWN,
    });
    await again(add);
    const { stdout } = await cli.run([...apply, '-i', 'org-2', '--replace', '--dump']);
    expect(JSON.parse(stdout)).toEqual({ inherit: ['org-2'] });
    await cli.run([...apply, '-', '--replace'], stdout);
    expect(cli.labels('org-1')).toEqual({ 'version-data.inherit': 'org-2', ...OWN });
  });

  it('warns when the other side does not agree, as far as it can be seen', async () => {
    const { code, stderr } = await cli.run([...apply, '-i', 'org-2', '-i', 'unseen', '-p', 'org-2', '--dry-run']);
    expect(code).toBe(0);
    expect(stderr).toContain('organization org-2 does not publish its history to this one');
    expect(stderr).toContain('is published to organization org-2, which does not inherit it');
    expect(stderr).not.toContain('unseen');
    expect(cli.writes()).toEqual([]);
  });
});

describe('an organization with older errors in its labels', () => {
  const OLD = '(?=4)';
  const blocks = ['apply', 'version-blocks'];
  const sectors = ['apply', 'sectors'];

  /** The labels after the edit, and what it said. */
  async function edited(aus: Record<string, string>, args: readonly string[]) {
    await cli.dispose();
    cli = await ausCli(upgradeFleet([{ id: 'org-1', aus, clusters: [] }]));
    const { code, stderr } = await cli.run(args);
    return { code, stderr, labels: cli.labels('org-1') };
  }

  it('blocks a version in an emergency, and warns of the pattern that is not RE2', async () => {
    const { code, stderr, labels } = await edited({ 'blocked-versions': OLD }, [...blocks, '-b', P13]);
    expect({ code, labels }).toEqual({ code: 0, labels: { 'blocked-versions': `${OLD},${P13}` } });
    expect(stderr).toMatch(/^warning: sre-capabilities\.aus\.blocked-versions: "\(\?=4\)" is not a valid regular/);
    expect(stderr).not.toContain('other problem');
  });

  it('still refuses one more pattern that is not valid, and names only that', async () => {
    const { code, stderr, labels } = await edited({ 'blocked-versions': OLD }, [...blocks, '-b', '(']);
    expect({ code, labels }).toEqual({ code: 1, labels: { 'blocked-versions': OLD } });
    expect(stderr).toContain('"("');
    expect(stderr).not.toContain('?=');
  });

  it('dumps the result of an edit as well', async () => {
    expect((await edited({ 'blocked-versions': OLD }, [...blocks, '-b', P13, '--dump'])).code).toBe(0);
    expect((await edited({ 'blocked-versions': OLD }, [...blocks, '-b', '(', '--dump'])).code).toBe(1);
  });

  const CYCLES = { 'sector-deps.a': 'b', 'sector-deps.b': 'a', 'sector-deps.c': 'd', 'sector-deps.d': 'c' };

  it('removes one of two dependency cycles, and warns of the other', async () => {
    const { code, stderr, labels } = await edited(CYCLES, [...sectors, '-r', 'b=a']);
    expect({ code, labels }).toEqual({ code: 0, labels: { ...CYCLES, 'sector-deps.b': '' } });
    expect(stderr).toContain(
      'warning: sre-capabilities.aus.sector-deps.c: dependency cycle between sectors: c → d → c',
    );
  });

  it('refuses a third cycle, which the first would hide', async () => {
    const { code, stderr, labels } = await edited(CYCLES, [...sectors, '-a', 'x=y', '-a', 'y=x']);
    expect({ code, labels }).toEqual({ code: 1, labels: CYCLES });
    expect(stderr).toContain('dependency cycle between sectors: x → y → x');
    expect(stderr).not.toContain('a → b');
  });

  it('repairs two limits one at a time', async () => {
    const limits = {
      'sector-deps.a': 'b',
      'sector-max-parallel-upgrades.a': 'x',
      'sector-max-parallel-upgrades.b': 'y',
    };
    const { code, stderr, labels } = await edited(limits, [...sectors, '-m', 'a=1']);
    expect({ code, labels }).toEqual({ code: 0, labels: { ...limits, 'sector-max-parallel-upgrades.a': '1' } });
    expect(stderr).toContain('warning: sre-capabilities.aus.sector-max-parallel-upgrades.b: "y" is not a valid limit');
  });
});
