import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pins as listPins } from '../../src/cli/commands/images/pins.ts';
import { contextOf } from '../../src/cli/context.ts';
import { copyInstance, type InstanceCopy } from '../support/instance-copy.ts';
import { runCli } from '../support/run-cli.ts';
import { simFleet, writesOf } from '../support/sim-fleet.ts';

const VPC = 'data/integrations/terraform-vpc-peerings.yaml';
const TERRAFORM = 'data/integrations/terraform-resources.yml';
const PRODUCTION = ['-e', 'app-interface-production'];
const PRODUCTION_DIGEST = 'sha256:bfc661d7f87fddc19910e70d677d0adfc4b91bf699e3a41f4387f4b72277bca1';
const STAGE_DIGEST = 'sha256:1d1fdc28f290b2541ff538ad002f6648f7cf3c7885dce9d1845db211def5b6bf';

let copy: InstanceCopy;
beforeEach(() => {
  copy = copyInstance();
});
afterEach(() => copy.dispose());

const run = (...args: readonly string[]) => runCli([...args, '--data', copy.root]);
const text = (block: string): string => block.replace(/^\n/, '');
const rows = (table: string): string[][] =>
  table
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(/ {3,}/));

async function images(integration: string): Promise<Record<string, string>> {
  const { stdout } = await run('get', 'shards', '-i', integration, '-o', 'json');
  const items = JSON.parse(stdout).items as { environment: string; shard: string; image?: string; imageFrom: string }[];
  const told = items.map(({ environment, shard, image, imageFrom }) => [
    `${environment}/${shard}`,
    `${image} ${imageFrom}`,
  ]);
  return Object.fromEntries(told);
}

/** The checks that the rest of the product makes are content with the file. */
async function expectValid(): Promise<void> {
  const before = await runCli(['validate', '--data', 'examples/instance', '-o', 'json']);
  expect((await run('validate', '-o', 'json')).code).toBe(before.code);
}

describe('pin', () => {
  it('keeps all shards but the canary where they are, and unpin gives the file back', async () => {
    const before = copy.text(TERRAFORM);
    const { code, stdout, stderr } = await run('pin', 'terraform-resources', ...PRODUCTION, '--except', 'payments-ci');
    expect({ code, stderr }).toEqual({ code: 0, stderr: `2 shards changed in ${TERRAFORM}\n` });
    expect(rows(stdout).map(([, , , shard, change, from, to]) => [shard, change, from, to])).toEqual([
      ['app-sre', 'keep', '0473914', '0473914'],
      ['app-sre-stage', 'pin', '-', '8c41f7e@sha256:bfc661d7f87f…'],
      ['payments', 'keep', '0473914', '0473914'],
      ['payments-stage', 'pin', '-', '8c41f7e@sha256:bfc661d7f87f…'],
    ]);
    expect(copy.text(TERRAFORM)).toBe(
      `${before}${text(`
    - shard:
        $ref: /aws/app-sre-stage/account.yml
      imageRef: '8c41f7e@${PRODUCTION_DIGEST}'
    - shard:
        $ref: /aws/payments-stage/account.yml
      imageRef: '8c41f7e@${PRODUCTION_DIGEST}'
`)}`,
    );
    await expectValid();
    const undo = ['--shard', 'app-sre-stage', '/aws/payments-stage/account.yml'];
    expect((await run('unpin', 'terraform-resources', ...undo)).code).toBe(0);
    expect(copy.text(TERRAFORM)).toBe(before);
  });

  it.each([
    { image: '8c41f7e', restarts: true },
    { image: `8c41f7e@${PRODUCTION_DIGEST}`, restarts: false },
    { image: 'current', restarts: false },
    { image: '1234567', restarts: false },
  ])('to $image tells of a restart for a new name of the same image: $restarts', async ({ image, restarts }) => {
    const flags = ['--shard', 'app-sre-stage', '--image', image, '--dry-run'];
    const { code, stderr } = await run('pin', 'terraform-resources', ...PRODUCTION, ...flags);
    expect(code).toBe(0);
    expect(stderr.includes('1 shard of terraform-resources in app-interface-production will restart once')).toBe(
      restarts,
    );
  });

  it('with a digest is listed by its beginning, and whole for programs', async () => {
    await run('pin', 'terraform-resources', ...PRODUCTION, '--shard', 'app-sre-stage');
    const flags = ['pins', '-i', 'terraform-resources', ...PRODUCTION];
    expect((await run(...flags)).stdout).toContain(' 8c41f7e@sha256:bfc661d7f87f… ');
    expect((await run(...flags, '-o', 'json')).stdout).toContain(`"8c41f7e@${PRODUCTION_DIGEST}"`);
  });

  it('notes a reason where it pins, not on pins of others that stay', async () => {
    const before = copy.text(TERRAFORM);
    const flags = [...PRODUCTION, '--except', 'payments-ci', '--reason', 'canary first'];
    expect((await run('pin', 'terraform-resources', ...flags)).code).toBe(0);
    expect(copy.text(TERRAFORM).startsWith(before)).toBe(true);
    expect(copy.text(TERRAFORM).match(/# canary first/g)).toHaveLength(2);
    await run('pin', 'terraform-resources', ...PRODUCTION, '--shard', 'payments', '--reason', 'asked for');
    expect(copy.text(TERRAFORM).match(/imageRef: '0473914' # asked for/g)).toHaveLength(1);
  });

  it('merges with an override, and unpin leaves what else it says', async () => {
    const before = copy.text(VPC);
    const flags = ['--shard', 'payments-ci', '--image', '1234567', '--reason', 'APPSRE-1', '--until', '2026-12-01'];
    expect((await run('pin', 'terraform-vpc-peerings', ...flags)).code).toBe(0);
    const line = "\n      imageRef: '1234567' # until 2026-12-01: APPSRE-1\n      disabled: true\n";
    expect(copy.text(VPC)).toBe(before.replace('\n      disabled: true\n', line));
    expect(await images('terraform-vpc-peerings')).toMatchObject({
      'app-interface-production/payments-ci': '1234567 override',
      'app-interface-production/payments-stage': '8c41f7e override',
      'app-interface-production/app-sre': 'd90b2ac spec',
    });
    await run('unpin', 'terraform-vpc-peerings', '--shard', 'payments-ci');
    expect(copy.text(VPC)).toBe(before);
  });

  it('twice is once', async () => {
    const flags = ['pin', 'terraform-vpc-peerings', '--shard', 'app-sre', '--image', 'abc'];
    await run(...flags);
    const once = copy.text(VPC);
    const { ino } = lstatSync(copy.path(VPC));
    expect((await run(...flags)).stderr).toBe('nothing to change\n');
    expect({ text: copy.text(VPC), ino: lstatSync(copy.path(VPC)).ino }).toEqual({ text: once, ino });
  });

  it('with --dry-run shows the difference and writes nothing', async () => {
    const before = copy.text(VPC);
    const flags = ['--shard', 'payments-stage', '--image', 'abc', '--dry-run'];
    expect(await run('pin', 'terraform-vpc-peerings', ...flags)).toEqual({
      code: 0,
      stdout: text(`
--- a/${VPC}
+++ b/${VPC}
@@ -45,4 +45,4 @@
       disabled: true
     - shard:
         $ref: /aws/payments-stage/account.yml
-      imageRef: '8c41f7e'
+      imageRef: 'abc'
`),
      stderr: '1 shard would change; nothing was written\n',
    });
    expect(copy.text(VPC)).toBe(before);
  });

  it('names an organization by its id, and a place by its cluster', async () => {
    const flags = ['-n', 'app-sre-prod-01/app-interface-production', '--shard', '2a0m9rw3xk5cvd7s', '--image', 'abc'];
    expect((await run('pin', 'advanced-upgrade-scheduler', ...flags, '-o', 'name')).stdout).toBe(
      'shard/ocm-payments-stage\n',
    );
    expect(copy.text('data/integrations/advanced-upgrade-scheduler.yml')).toContain('imageRef: ');
    await expectValid();
  });

  it('in all environments is one change of the file', async () => {
    const flags = ['--all-environments', '--shard', 'payments-ci', '-o', 'json'];
    const { code, stdout } = await run('pin', 'terraform-resources', ...flags);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'PinChangeList',
      items: [
        { environment: 'app-interface-stage', shard: 'payments-ci', action: 'pin', to: `31e8409@${STAGE_DIGEST}` },
        {
          environment: 'app-interface-production',
          shard: 'payments-ci',
          action: 'pin',
          to: `8c41f7e@${PRODUCTION_DIGEST}`,
        },
      ],
    });
    expect(await images('terraform-resources')).toMatchObject({
      'app-interface-stage/payments-ci': `31e8409@${STAGE_DIGEST} override`,
      'app-interface-production/payments-ci': `8c41f7e@${PRODUCTION_DIGEST} override`,
      'app-interface-stage/payments': 'undefined default',
    });
    await expectValid();
  });

  it('warns that the existing manager ignores pins of CronJobs', async () => {
    copy.replace(VPC, '  spec:\n', "  spec:\n    cron: '0 0 * * *'\n");
    const { stderr } = await run('pin', 'terraform-vpc-peerings', '--shard', 'app-sre', '--image', 'abc');
    expect(stderr).toContain(
      'warning: terraform-vpc-peerings is a CronJob in app-interface-production: Echelon honours the pin',
    );
  });
});

describe('pin and unpin refuse', () => {
  it.each([
    {
      given: 'an unknown integration',
      args: ['pin', 'terraform-resorces', '--shard', 'x'],
      says: 'no integration terraform-resorces',
      hint: 'did you mean terraform-resources?',
    },
    {
      given: 'an unknown shard',
      args: ['pin', 'terraform-vpc-peerings', '--shard', 'payment-ci'],
      says: 'has no shard payment-ci',
      hint: 'did you mean payments-ci',
    },
    {
      given: 'an unknown path',
      args: ['pin', 'terraform-vpc-peerings', '--shard', '/aws/payment/account.yml'],
      says: 'has no shard /aws/payment',
      hint: '/aws/payments/account.yml',
    },
    {
      given: 'several places',
      args: ['pin', 'terraform-users', '--shard', 'payments'],
      says: 'is managed in several places',
      hint: '--environment app-interface-stage|app-interface-production',
    },
    {
      given: 'an environment where it does not run',
      args: ['pin', 'terraform-vpc-peerings', '-e', 'app-interface-stage', '--shard', 'x'],
      says: 'does not run in environment app-interface-stage',
      hint: 'app-interface-production',
    },
    {
      given: 'static sharding',
      args: ['pin', 'openshift-groups', ...PRODUCTION, '--shard', '0'],
      says: 'static sharding, or none',
      hint: 'spec.imageRef',
    },
    {
      given: 'no sharding',
      args: ['pin', 'slack-usergroups', '--shard', '0'],
      says: 'static sharding, or none',
      hint: 'spec.imageRef',
    },
    {
      given: 'no shards',
      exit: 64,
      args: ['pin', 'terraform-vpc-peerings'],
      says: 'no shards selected',
      hint: '--shard and --except',
    },
    {
      given: 'two ways to name them',
      exit: 64,
      args: ['unpin', 'terraform-vpc-peerings', '--all', '--shard', 'x'],
      says: 'in more than one way',
      hint: '--all',
    },
    {
      given: 'an image with its repository',
      exit: 64,
      args: ['pin', 'terraform-vpc-peerings', '--shard', 'payments', '--image', 'quay.io/a:b'],
      says: 'is not a valid image tag',
      hint: 'without the repository',
    },
    {
      given: 'a day that does not exist',
      exit: 64,
      args: ['pin', 'terraform-vpc-peerings', '--shard', 'payments', '--until', '2026-02-30'],
      says: 'is not a valid date',
      hint: '2026-12-01',
    },
  ])('$given', async ({ args, says, hint, exit = 1 }) => {
    const before = [VPC, TERRAFORM].map((file) => copy.text(file));
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).toContain(hint);
    expect([VPC, TERRAFORM].map((file) => copy.text(file))).toEqual(before);
  });

  it('an image that the instance does not tell, with what it has', async () => {
    copy.remove('data/services/app-interface/cicd/saas-qontract-manager.yaml');
    const { code, stderr } = await run('pin', 'terraform-users', ...PRODUCTION, '--shard', 'payments');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'the instance does not declare which image terraform-users runs in app-interface-production',
    );
    expect(stderr).toContain('--image; .env has RECONCILE_IMAGE_TAG=8c41f7e');
  });

  it('an old spelling', async () => {
    copy.replace(
      VPC,
      '  sharding:\n    strategy: per-aws-account\n    shardSpecOverrides:\n',
      '  sharding:\n    strategy: per-aws-account\n  shardSpecOverrides:\n',
    );
    const { stderr } = await run('unpin', 'terraform-vpc-peerings', '--all');
    expect(stderr).toContain('uses the old spelling shardSpecOverrides');
  });

  it('a bundle', async () => {
    const bundle = copy.path('bundle.json');
    writeFileSync(bundle, JSON.stringify({ data: {}, resources: {}, schemas: {}, graphql: {} }));
    const { code, stderr } = await runCli(['pin', 'terraform-vpc-peerings', '--shard', 'payments', '--data', bundle]);
    expect(code).toBe(1);
    expect(stderr).toContain('is a bundle, which cannot be edited');
  });

  it('a symbolic link', async () => {
    const before = copy.text(VPC);
    copy.write('data/integrations/real.txt', before);
    unlinkSync(copy.path(VPC));
    symlinkSync('real.txt', copy.path(VPC));
    const { code, stderr } = await run('pin', 'terraform-vpc-peerings', '--shard', 'payments', '--image', 'abc');
    expect({ code, link: lstatSync(copy.path(VPC)).isSymbolicLink() }).toEqual({ code: 1, link: true });
    expect(stderr).toContain('is a symbolic link');
    expect(readFileSync(copy.path('data/integrations/real.txt'), 'utf8')).toBe(before);
  });
});

describe('unpin', () => {
  it('--all takes overrides that say nothing else, and the list with the last one', async () => {
    copy.replace(VPC, '    - shard:\n        $ref: /aws/payments-ci/account.yml\n      disabled: true\n', '');
    const before = copy.text(VPC);
    await run('unpin', 'terraform-vpc-peerings', '--all');
    const list =
      "    shardSpecOverrides:\n    - shard:\n        $ref: /aws/payments-stage/account.yml\n      imageRef: '8c41f7e'\n";
    expect(copy.text(VPC)).toBe(before.replace(list, ''));
    expect(Object.values(await images('terraform-vpc-peerings'))).toEqual(Array(6).fill('d90b2ac spec'));
    await expectValid();
  });

  it('says what is not pinned, and changes nothing', async () => {
    const before = copy.text(VPC);
    const { code, stderr } = await run('unpin', 'terraform-vpc-peerings', '--shard', 'app-sre');
    expect({ code, stderr, text: copy.text(VPC) }).toEqual({
      code: 0,
      stderr: 'warning: app-sre is not pinned in app-interface-production\nnothing to change\n',
      text: before,
    });
  });
});

describe('pins', () => {
  const NOW = new Date('2026-11-15T12:00:00Z');

  async function list(
    ...args: string[]
  ): Promise<{ shard: string; ageDays?: number; expired?: boolean; reason?: string; until?: string }[]> {
    const { stdout } = await run('pins', '-o', 'json', ...args);
    return JSON.parse(stdout).items;
  }

  function commit(date: string): void {
    const env = { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: copy.root, env });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', date);
  }

  it('are listed with shard, image and the comment beside or above them', async () => {
    const { code, stdout } = await run('pins', '-i', 'terraform-vpc-peerings', '-i', 'advanced-upgrade-scheduler');
    expect(code).toBe(0);
    expect(rows(stdout)).toEqual([
      [
        'advanced-upgrade-scheduler',
        'app-interface-production',
        'app-sre-prod-01/app-interface-production',
        'ocm-payments',
        '0473914',
        '-',
        '-',
        'partners asked for no surprises before the holiday season',
      ],
      [
        'terraform-vpc-peerings',
        'app-interface-production',
        'app-sre-prod-01/app-interface-production',
        'payments-stage',
        '8c41f7e',
        '-',
        '-',
        '-',
      ],
    ]);
  });

  it('know their age from git, by the line of the image', async () => {
    commit('2026-09-01T12:00:00Z');
    await run('pin', 'terraform-vpc-peerings', '--shard', 'app-sre', '--image', 'abc');
    commit('2026-11-10T00:00:00Z');
    await run('pin', 'terraform-vpc-peerings', '--shard', 'payments', '--image', 'abc');
    const shown: string[] = [];
    const output = { isTTY: false, write: (part: string) => void shown.push(part) };
    const io = { stdout: output, stderr: output, env: {}, cwd: copy.root, signal: new AbortController().signal };
    const integration = ['terraform-vpc-peerings'];
    const usual = { cache: false, color: true, concurrency: 10 };
    const flags = { ...usual, data: copy.root, output: 'table' as const, integration };
    expect(await listPins(contextOf(io, flags, { now: () => NOW }), flags)).toBe(0);
    expect(rows(shown.join('')).map(([, , , shard, , age]) => [shard, age])).toEqual([
      ['payments-stage', '75d'],
      ['app-sre', '5d'],
      ['payments', '-'],
    ]);
    shown.length = 0;
    await listPins(contextOf(io, flags, { now: () => NOW }), { ...flags, olderThan: 30 * 86_400_000, output: 'name' });
    expect(shown.join('')).toBe('pin/terraform-vpc-peerings/app-interface-production/payments-stage\n');
  });

  it('whose last day is over are marked', async () => {
    const pin = (shard: string, until: string) =>
      run('pin', 'terraform-vpc-peerings', '--shard', shard, '--image', 'abc', '--until', until, '--reason', 'so');
    await pin('app-sre', '2020-01-01');
    await pin('payments', '2999-01-01');
    const found = await list('-i', 'terraform-vpc-peerings');
    expect(found.map(({ shard, until, expired, reason }) => ({ shard, until, expired, reason }))).toEqual([
      { shard: 'payments-stage' },
      { shard: 'app-sre', until: '2020-01-01', expired: true, reason: 'so' },
      { shard: 'payments', until: '2999-01-01', expired: false, reason: 'so' },
    ]);
    const { stdout } = await run('pins', '--expired', '-i', 'terraform-vpc-peerings', '-o', 'markdown');
    expect(stdout.split('\n').slice(2, -1)).toEqual([
      expect.stringContaining('| app-sre | abc | - | 2020-01-01 (expired) | so |'),
    ]);
  });

  it.each([
    { args: ['--older-than', '30'], code: 64, says: 'it must be an age such as 12h, 30d or 8w' },
    { args: ['-i', 'nothing'], code: 1, says: 'no integration nothing' },
    { args: ['-e', 'nowhere'], code: 1, says: 'no environment nowhere' },
  ])('$args are used wrongly', async ({ args, code, says }) => {
    const ran = await run('pins', ...args);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(says);
  });
});

it('pins --live tells whether shards obey, and writes nothing', async () => {
  const fleet = await simFleet();
  try {
    await fleet.run(['apply', '--yes']);
    const pinned = await fleet.cli(['pin', 'terraform-resources', '--shard', 'beta', '--image', '0473914']);
    expect(pinned.code).toBe(0);
    const writes = writesOf(fleet.sim).length;
    const lagging = await fleet.cli(['pins', '--live', '-o', 'json']);
    expect(lagging.code).toBe(1);
    expect(JSON.parse(lagging.stdout).items).toMatchObject([
      { shard: 'beta', live: { obeys: false, state: 'lagging: it is set to another image' } },
    ]);
    expect(writesOf(fleet.sim)).toHaveLength(writes);
    await fleet.run(['apply', '--yes']);
    const obeying = await fleet.cli(['pins', '--live']);
    expect({ code: obeying.code, live: rows(obeying.stdout).map((row) => row.at(-1)) }).toEqual({
      code: 0,
      live: ['pinned'],
    });
  } finally {
    await fleet.dispose();
  }
});
