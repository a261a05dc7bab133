import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AusCli, ausCli } from '../support/aus-cli.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';

const bare = (name: string, more = {}) => ({ ...member(name, {}, more), aus: {} });

const FLEET = upgradeFleet([
  {
    id: 'org-1',
    clusters: [
      bare('stage-1', { labels: { 'team.example.com/owner': 'payments' } }),
      bare('stage-2'),
      bare('prod-1'),
      member('old', { mutexes: 'm', sector: 's', 'version-gate-approvals': 'api.openshift.com/gate-ocp' }),
      member('frozen', { freeze: '2026-12-20T00:00:00Z/2027-01-03T00:00:00Z=quarter end' }),
      member('broken', { 'soak-days': 'few' }),
    ],
  },
  { id: 'org-2', clusters: [member('elsewhere')] },
]);

let cli: AusCli;
beforeEach(async () => {
  cli = await ausCli(FLEET);
});
afterEach(() => cli.dispose());

const POLICY = (more: string) => `[{"name":"stage-1","schedule":"anytime","workloads":["w"],${more}}]`;
const DAYS = (days: string) => POLICY(`"conditions":{"soak_days":${days}}`);
const STAGE_1 = ['--cluster-name', 'stage-1', '--schedule', 'weekdays', '--workload', 'my-service'];

describe('apply policies', () => {
  it('writes what the flags say, presets expanded, and leaves foreign labels alone', async () => {
    const more = ['--sector', 'stage', '--mutex', 'stage-mutex', '--mutex', 'b', '--soak-days', '1'];
    const { code, stdout } = await cli.run(['apply', 'policies', ...STAGE_1, ...more, '--blocked-versions', '^4\\.13']);
    expect(code).toBe(0);
    expect(stdout).toContain('cluster stage-1:\n');
    expect(stdout).toContain('  + sre-capabilities.aus.schedule=* * * * 1-4\n');
    expect(cli.labels('stage-1-sub')).toEqual({
      'blocked-versions': '^4\\.13',
      mutexes: 'stage-mutex,b',
      schedule: '* * * * 1-4',
      sector: 'stage',
      'soak-days': '1',
      'team.example.com/owner': 'payments',
      workloads: 'my-service',
    });
  });

  it('keeps the freezes of a cluster unless it is told to change them', async () => {
    const [before, after] = [
      '2026-12-20T00:00:00Z/2027-01-03T00:00:00Z=quarter end',
      '2027-03-26T00:00:00Z/2027-03-30T00:00:00Z',
    ];
    const flags = ['apply', 'policies', '-c', 'frozen', '-s', 'anytime', '-w', 'wl'];
    await cli.run(flags);
    expect(cli.labels('frozen-sub')).toMatchObject({ freeze: before });
    const { stdout } = await cli.run(['get', 'policies']);
    expect(stdout).toContain(before);
    await cli.run([...flags, '--freeze', after]);
    expect(cli.labels('frozen-sub')).toMatchObject({ freeze: after });
    await cli.run(
      ['apply', 'policies', '-'],
      '[{"name":"frozen","schedule":"anytime","workloads":["wl"],"conditions":{"freezes":[]}}]',
    );
    expect(cli.labels('frozen-sub')).toMatchObject({ freeze: '' });
  });

  it('takes away what a policy does not say any more, but not approvals of gates', async () => {
    const flags = ['-c', 'old', '-s', 'anytime', '-w', 'wl'];
    const { stdout } = await cli.run(['apply', 'policies', ...flags]);
    expect(stdout).toContain('  - sre-capabilities.aus.mutexes=m\n');
    expect(cli.labels('old-sub')).toEqual({
      schedule: '* * * * *',
      'soak-days': '0',
      'version-gate-approvals': 'api.openshift.com/gate-ocp',
      workloads: 'wl',
    });
  });

  it('dumps what it would apply, without asking OCM', async () => {
    const { stdout } = await cli.run(['apply', 'policies', ...STAGE_1, '--dump']);
    expect(JSON.parse(stdout)).toEqual([
      { conditions: { soak_days: 0 }, name: 'stage-1', schedule: '* * * * 1-4', workloads: ['my-service'] },
    ]);
    expect(cli.sim.requests).toHaveLength(0);
  });

  it('applies a file of many from standard input; the second time nothing is written', async () => {
    const dump = (await cli.run(['apply', 'policies', ...STAGE_1, '--dump'])).stdout;
    const file = JSON.stringify([
      ...JSON.parse(dump),
      { name: 'prod-1', schedule: '0 8 * * 1-5', workloads: ['b', 'a'], conditions: { soak_days: 5, mutexes: ['m'] } },
    ]);
    expect((await cli.run(['apply', 'policies', '-'], file)).code).toBe(0);
    expect(cli.labels('stage-1-sub')).toMatchObject({ 'soak-days': '0', workloads: 'my-service' });
    expect(cli.labels('prod-1-sub')).toEqual({
      mutexes: 'm',
      schedule: '0 8 * * 1-5',
      'soak-days': '5',
      workloads: 'b,a',
    });
    const writes = cli.writes().length;
    const again = await cli.run(['apply', 'policies', '-'], file);
    expect(again.stdout).toBe('Nothing to change.\n');
    expect(cli.writes()).toHaveLength(writes);
  });

  it('reads a file by its name, with a byte order mark and names of days in the schedule', async () => {
    cli.write('policies.json', `\uFEFF${POLICY('"schedule":"0 8 * * MON-FRI"')}`);
    expect((await cli.run(['apply', 'policies', '-f', 'policies.json'])).code).toBe(0);
    expect(cli.labels('stage-1-sub')).toMatchObject({ schedule: '0 8 * * MON-FRI', workloads: 'w' });
  });

  it('an empty list changes nothing', async () => {
    expect(await cli.run(['apply', 'policies', '-'], '[]')).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' });
    expect(cli.writes()).toEqual([]);
  });

  it('what was got can be applied and changes nothing', async () => {
    const { stdout } = await cli.run(['get', 'policies']);
    expect((await cli.run(['apply', 'policies', '-'], stdout)).stdout).toBe('Nothing to change.\n');
    expect(cli.writes()).toEqual([]);
  });

  it('a dry run shows the labels and writes nothing', async () => {
    const { code, stdout, stderr } = await cli.run(['apply', 'policies', ...STAGE_1, '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain('  + sre-capabilities.aus.workloads=my-service\n');
    expect(stderr).toContain('this is a dry run');
    expect(cli.writes()).toEqual([]);
  });

  it.each([
    { given: 'no workload', args: ['-c', 'stage-1', '-s', 'anytime'], says: 'sre-capabilities.aus.workloads' },
    { given: 'a wrong schedule', args: [...STAGE_1, '-s', '61 * * * *'], says: 'is not a valid schedule' },
    { given: 'a wrong pattern', args: [...STAGE_1, '-b', '('], says: 'is not a valid regular expression' },
    { given: 'a comma in a member', args: [...STAGE_1, '-w', 'a,b'], says: 'contains a comma' },
    { given: 'a cluster nobody knows', args: [...STAGE_1, '-c', 'stage-3'], says: 'did you mean stage-1' },
    {
      given: 'a cluster of another organization',
      args: [...STAGE_1, '-c', 'elsewhere'],
      says: 'has no managed cluster',
    },
  ])('refuses $given and writes nothing', async ({ args, says }) => {
    const { code, stderr } = await cli.run(['apply', 'policies', ...args]);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(cli.writes()).toEqual([]);
  });

  it.each([
    { given: 'no JSON', file: '{', says: 'is not JSON' },
    { given: 'nothing', file: ' \n', says: 'standard input is empty' },
    { given: 'no list', file: 'null', says: 'expected array, received null' },
    { given: 'soak days as text', file: DAYS('"3"'), says: 'expected number, received string → at [0].conditions' },
    { given: 'a part of a day', file: DAYS('1.5'), says: 'expected int' },
    { given: 'negative soak days', file: DAYS('-1'), says: '-1 is less than 0' },
    { given: 'null for conditions', file: POLICY('"conditions":null'), says: 'at [0].conditions' },
    { given: 'a schedule that never comes', file: POLICY('"schedule":"0 8 31 2 *"'), says: 'matches no date' },
    {
      given: 'very many mistakes',
      file: JSON.stringify(Array.from({ length: 9 }, () => ({ name: 1, schedule: 'anytime', workloads: [] }))),
      says: 'and 4 more',
    },
    {
      given: 'one cluster twice, by its name and its id',
      file: JSON.stringify(['stage-1', 'stage-1-id'].map((name) => ({ name, schedule: 'anytime', workloads: ['w'] }))),
      says: 'stage-1: duplicate policy',
    },
    { given: 'an unknown key', file: '[{"name":"a","schedul":"x","workloads":[]}]', says: 'schedul' },
    {
      given: 'one cluster twice',
      file: '[{"name":"old","schedule":"anytime","workloads":["w"]},{"name":"old","schedule":"weekdays","workloads":["w"]}]',
      says: 'duplicate policy',
    },
  ])('refuses a file with $given', async ({ file, says }) => {
    const { code, stderr } = await cli.run(['apply', 'policies', '-'], file);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(cli.writes()).toEqual([]);
  });

  it('warns about a sector that is not declared yet, and a workload that nobody starts with', async () => {
    const { code, stderr } = await cli.run(['apply', 'policies', ...STAGE_1, '-d', '3', '--sector', 'stage']);
    expect(code).toBe(0);
    expect(stderr).toContain('stage-1: sre-capabilities.aus.sector: sector stage is not declared');
    await cli.run(['apply', 'sectors', '--add-dep', 'stage']);
    expect((await cli.run(['validate'])).stderr).toContain('no cluster with the workload my-service has 0 soak days');
  });

  it('what fails in the middle is told, and the next time does only the rest', async () => {
    const lift = cli.sim.addFault({
      ...{ method: 'POST', path: '*/prod-1-sub/labels', probability: 1 },
      effect: { kind: 'status', status: 403 },
    });
    const file = JSON.stringify(
      ['stage-1', 'prod-1'].map((name) => ({
        name,
        schedule: 'anytime',
        workloads: ['w'],
        conditions: { soak_days: 0 },
      })),
    );
    const failed = await cli.run(['apply', 'policies', '-'], file);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain(
      '3 of 6 labels changed, the last one sre-capabilities.aus.workloads of cluster stage-1; apply it again for the rest',
    );
    lift();
    const { stdout } = await cli.run(['apply', 'policies', '-'], file);
    expect(stdout).not.toContain('cluster stage-1');
    expect(stdout).toContain('Done: 3 labels changed.');
  });

  it('what OCM answers with 429 is sent again, and nothing is told of it', async () => {
    cli.sim.addFault({
      ...{ method: 'POST', path: '*/stage-1-sub/labels', times: 2 },
      effect: { kind: 'status', status: 429, retryAfter: 0 },
    });
    const { code, stderr } = await cli.run(['apply', 'policies', ...STAGE_1]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('429') });
    expect(cli.labels('stage-1-sub')).toMatchObject({ 'soak-days': '0', workloads: 'my-service' });
  });

  it.each([
    { beside: '-c', args: ['-', '-c', 'stage-1'], says: '--cluster-name has no effect beside standard input' },
    { beside: '-d', args: ['-f', 'a.json', '-d', '3'], says: '--soak-days has no effect beside a.json' },
    { beside: '-', args: ['-', '-f', 'a.json'], says: 'both - and --filename a.json given' },
  ])('refuses $beside beside a document', async ({ args, says }) => {
    const { code, stderr } = await cli.run(['apply', 'policies', ...args], '[]');
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(says) });
  });

  it('asks on a terminal, and takes only yes', async () => {
    const asked: string[] = [];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return 'no';
    };
    const shy = await ausCli(FLEET, { ask });
    const { code, stderr } = await shy.run(['apply', 'policies', ...STAGE_1]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was changed') });
    expect(asked).toEqual(['Change 3 labels? Only "yes" is accepted: ']);
    expect(shy.writes()).toEqual([]);
    await shy.run(['apply', 'policies', ...STAGE_1, '--yes']);
    expect(shy.writes()).toHaveLength(3);
    await shy.dispose();
  });
});

describe('get policies', () => {
  it('prints valid policies of the organization in the shape of the file, and names those left out', async () => {
    const { stdout, stderr } = await cli.run(['get', 'policies']);
    expect(JSON.parse(stdout)).toEqual([
      expect.objectContaining({ name: 'frozen' }),
      {
        conditions: { mutexes: ['m'], sector: 's', soak_days: 0 },
        name: 'old',
        schedule: '* * * * *',
        workloads: ['wl'],
      },
    ]);
    expect(stderr).toContain('the policy of broken is not valid');
  });

  it('of another organization, when it is named', async () => {
    const { stdout } = await cli.run(['get', 'policies', '-o', 'org-2']);
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'elsewhere' }]);
  });

  it('two clusters of one name are told apart, as a file has to', async () => {
    const twin = (id: string) => ({ ...member('twin'), id, uuid: `${id}-uuid`, subscription: `${id}-sub` });
    const twins = await ausCli(upgradeFleet([{ id: 'org-1', clusters: [twin('a'), twin('b')] }]));
    const { stdout } = await twins.run(['get', 'policies']);
    expect(JSON.parse(stdout)).toMatchObject([{ subscription_id: 'a-sub' }, { subscription_id: 'b-sub' }]);
    expect((await twins.run(['apply', 'policies', '-'], stdout)).stdout).toBe('Nothing to change.\n');
    expect((await twins.run(['apply', 'policies', '-', '--dump'], stdout)).stdout).toBe(stdout);
    const { code, stderr } = await twins.run(['apply', 'policies', '-c', 'twin', '-s', 'anytime', '-w', 'w']);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('2 clusters are named twin: a, b'),
    });
    await twins.dispose();
  });
});

describe('delete policy', () => {
  it('takes away all labels about upgrades and no others', async () => {
    await cli.run(['apply', 'policies', ...STAGE_1]);
    for (const name of ['stage-1', 'old']) expect((await cli.run(['delete', 'policy', '-c', name])).code).toBe(0);
    expect(cli.labels('stage-1-sub')).toEqual({ 'team.example.com/owner': 'payments' });
    expect(cli.labels('old-sub')).toEqual({});
  });

  it('a dry run takes away nothing', async () => {
    const { stdout } = await cli.run(['delete', 'policies', '--cluster-name', 'old', '--dry-run']);
    expect(stdout).toContain('  - sre-capabilities.aus.version-gate-approvals=');
    expect(cli.writes()).toEqual([]);
  });
});
