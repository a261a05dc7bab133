import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apply, plan, type UpgradesApplyFlags } from '../support/upgrade-commands.ts';
import { member, minutes, upgradeFleet } from '../support/upgrade-world.ts';
import { SIM_SECRET, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const FLEET = upgradeFleet([
  {
    id: 'org-1',
    clusters: [
      member('alpha', { mutexes: 'm' }),
      member('beta', { mutexes: 'm' }),
      member('gamma', { schedule: '0 15 * * *' }),
      member('delta', { 'soak-days': 'few' }),
      member('epsilon', {}, { version: '4.18.3' }),
    ],
  },
  { id: 'org-2', aus: { 'blocked-versions': '(' }, clusters: [member('zeta')] },
]);

let cli: UpgradesCli;
let outputs = '';

beforeEach(async () => {
  cli = await upgradesCli(FLEET);
});
afterEach(async () => {
  outputs +=
    cli.written.stdout + cli.written.stderr + stored(cli) + JSON.stringify([...cli.sim.world.state.logs.all()]);
  await cli.dispose();
});

const flags = (more: Partial<UpgradesApplyFlags> = {}): UpgradesApplyFlags => ({
  configFile: 'upgrades.yml',
  output: 'table',
  ...more,
});

async function planned(more: Partial<UpgradesApplyFlags> = {}) {
  const code = await plan(cli.io, flags(more), cli.clock);
  return { code, ...cli.take() };
}

async function applied(more: Partial<UpgradesApplyFlags> = {}) {
  const code = await apply(cli.io, flags({ yes: true, ...more }), cli.clock);
  return { code, ...cli.take() };
}

/** All that is stored, as text. */
function stored({ folder }: UpgradesCli): string {
  const files = readdirSync(join(folder), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.includes('state'),
  );
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n');
}

describe('plan', () => {
  it('shows what becomes of every cluster, and why not', async () => {
    const { code, stdout, stderr } = await planned();
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'ORGANIZATION   CLUSTER   VERSION   ACTION    TO       STARTS                 GATE       WHY',
      'org-1          alpha     4.18.1    upgrade   4.18.3   2026-03-02T10:07:00Z   -          no soak is required',
      'org-1          beta      4.18.1    wait      4.18.3   -                      mutex      mutex m is held by alpha',
      'org-1          delta     4.18.1    hold      -        -                      -          sre-capabilities.aus.soak-days: not a whole number of days',
      'org-1          gamma     4.18.1    wait      4.18.3   -                      schedule   the next slot is 2026-03-02T15:00:00Z',
      'org-2          zeta      4.18.1    hold      -        -                      -          its organization is stopped',
      '',
      'ORGANIZATION   SERVICE LOG TO   WHY',
      'org-1          delta            the label sre-capabilities.aus.soak-days of this cluster is invalid: not a whole number of days',
      'org-2          zeta             the label sre-capabilities.aus.blocked-versions of this organization is invalid: "(" is not a valid regular expression: missing closing ): `(`',
      '',
      'Plan: 1 upgrade, 2 service logs; 2 waiting, 2 held, 1 with nothing newer.',
      '',
    ]);
    expect(stderr).toMatch(
      /^note: .+\/state has no history for org-1, org-2: nothing has soaked there yet\nstopped: test\/org-2: /,
    );
    expect([cli.writes(), stored(cli)]).toEqual([[], '']);
  });

  it('shows more when asked, and the same to programs', async () => {
    const wide = await planned({ output: 'wide' });
    expect(wide.stdout).toMatch(/^ENVIRONMENT +ORGANIZATION +CLUSTER +UUID +VERSION +CHANNEL +SECTOR +ACTION/);
    expect(wide.stdout).toMatch(/epsilon +epsilon-uuid +4\.18\.3 +stable-4\.18 +- +none/);
    const json = await planned({ output: 'json', detailedExitcode: true });
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({
      apiVersion: 'echelon/v1',
      kind: 'UpgradePlan',
      summary: { upgrade: 1, wait: 2, hold: 2, none: 1 },
      organizations: [
        {
          orgId: 'org-1',
          clusters: [
            { name: 'alpha', action: 'upgrade', to: '4.18.3', startsAt: '2026-03-02T10:07:00Z' },
            { name: 'beta', action: 'wait', gate: 'mutex' },
            { name: 'gamma', action: 'wait', gate: 'schedule', until: '2026-03-02T13:00:00Z' },
            { name: 'epsilon', action: 'none' },
            { name: 'delta', action: 'hold' },
          ],
          problems: [{ key: 'sre-capabilities.aus.soak-days', severity: 'error', cluster: 'delta' }],
        },
        { orgId: 'org-2', stopped: expect.stringContaining('blocked-versions'), clusters: [{ action: 'hold' }] },
      ],
    });
    expect((await planned({ output: 'yaml' })).stdout).toContain('kind: UpgradePlan\n');
    expect((await planned({ output: 'markdown' })).stdout).toContain('| org-1 | alpha | 4.18.1 | upgrade | 4.18.3 |');
    expect((await planned({ output: 'name' })).stdout).toBe('cluster/alpha\n');
  });

  it.each([
    { given: '--org-id', more: { orgId: ['org-2'] }, names: ['org-2'] },
    { given: '--exclude-org-id', more: { excludeOrgId: ['org-2'] }, names: ['org-1'] },
    { given: 'both, and denial wins', more: { orgId: ['org-1'], excludeOrgId: ['org-1'] }, names: [] },
  ])('is narrowed by $given', async ({ more, names }) => {
    const { stdout } = await planned({ ...more, output: 'json' });
    expect(JSON.parse(stdout).organizations.map(({ orgId }: { orgId: string }) => orgId)).toEqual(names);
  });

  it('warns once about organizations that inherit from each other', async () => {
    await cli.dispose();
    const shares = (other: string) => ({ 'version-data.inherit': other, 'version-data.publish': other });
    cli = await upgradesCli(
      upgradeFleet([
        { id: 'org-1', aus: shares('org-2'), clusters: [member('alpha')] },
        { id: 'org-2', aus: shares('org-1'), clusters: [member('beta', {}, { version: '4.18.3' })] },
      ]),
    );
    const { code, stdout, stderr } = await planned();
    const warning =
      'warning: organizations inherit history from each other in a circle: org-1, org-2; remove one of these';
    expect([code, stderr.split(warning).length]).toEqual([0, 2]);
    expect(stdout).toMatch(/alpha .*inherited-floor +no history yet of test\/org-2, from which history is inherited/);
  });

  it('decides as the existing scheduler does when told to', async () => {
    const { stdout } = await planned({ rules: 'qontract', orgId: ['org-1'], output: 'json' });
    expect(JSON.parse(stdout).organizations).toMatchObject([{ stopped: expect.stringContaining('soak-days') }]);
  });

  it('fails when OCM cannot be reached, and says so', async () => {
    cli.sim.addFault({ path: '*/labels', probability: 1, effect: { kind: 'status', status: 403 } });
    const { code, stdout, stderr } = await planned();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /error: test: GET http:\/\/127\.0\.0\.1:\d+\/api\/accounts_mgmt\/v1\/labels answered 403: .+ \[OCM_FORBIDDEN\]\n {4}grant the account/,
    );
    expect(stdout).toBe('Plan: 0 upgrades; 0 waiting, 0 with nothing newer.\n');
  });

  it('shows what is known when one cluster cannot be read, and fails', async () => {
    cli.sim.addFault({
      path: '*/clusters/alpha-id/upgrade_policies',
      probability: 1,
      effect: { kind: 'status', status: 400 },
    });
    const { code, stdout, stderr } = await planned();
    expect(code).toBe(1);
    expect(stdout).toMatch(/alpha +4\.18\.1 +wait +4\.18\.3 +- +busy +an upgrade to an unknown version is possible/);
    expect(stdout).toMatch(/beta .+ mutex m is held by alpha/);
    expect(stderr).toContain('cluster alpha: cannot read its upgrade policies, so it counts as busy');
  });
});

describe('apply', () => {
  it('does what the plan shows, tells users, and the next one does nothing: promise P1', async () => {
    const first = await applied();
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Done: 1 change made, 2 service logs written.'),
    });
    expect(cli.writes().toSorted()).toEqual([
      'POST /api/clusters_mgmt/v1/clusters/alpha-id/upgrade_policies',
      'POST /api/service_logs/v1/cluster_logs',
      'POST /api/service_logs/v1/cluster_logs',
    ]);
    const { policies, logs } = cli.sim.world.state;
    expect([...policies.all()].map(({ version, nextRun }) => [version, new Date(nextRun).toISOString()])).toEqual([
      ['4.18.3', '2026-03-02T10:07:00.000Z'],
    ]);
    expect([...logs.all()].map(({ clusterUuid, severity }) => `${clusterUuid} ${severity}`).sort()).toEqual([
      'delta-uuid Moderate',
      'zeta-uuid Moderate',
    ]);
    cli.sim.clearRequests();
    await cli.sim.advanceTo(minutes(10));
    const second = await applied();
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining('Done: 0 changes made.') });
    expect(cli.writes()).toEqual([]);
  });

  it('sends exactly the service logs of the plan, each once: promise P1', async () => {
    const { organizations } = JSON.parse((await planned({ output: 'json' })).stdout) as {
      organizations: { serviceLogs: { uuid: string; summary: string }[] }[];
    };
    const listed = organizations.flatMap(({ serviceLogs }) => serviceLogs.map(({ uuid, summary }) => [uuid, summary]));
    await applied();
    const sent = [...cli.sim.world.state.logs.all()].map(({ clusterUuid, summary }) => [clusterUuid, summary]);
    expect(sent.toSorted()).toEqual(listed.toSorted());
    expect(sent).toHaveLength(2);
    const again = JSON.parse((await planned({ output: 'json' })).stdout) as { summary: object };
    expect(again.summary).toMatchObject({ upgrade: 0, serviceLogs: 0 });
  });

  it('asks before it sends a service log, also without another change', async () => {
    await cli.dispose();
    cli = await upgradesCli(upgradeFleet([{ id: 'org-1', clusters: [member('delta', { 'soak-days': 'few' })] }]));
    await expect(apply(cli.io, flags(), cli.clock)).rejects.toMatchObject({
      code: 'CONSENT_MISSING',
      message: 'send 1 service log: no terminal to ask for confirmation',
    });
    expect(cli.writes()).toEqual([]);
    expect((await planned({ detailedExitcode: true })).code).toBe(2);
  });

  it('plans no service log of a cluster whose sent ones cannot be read', async () => {
    cli.sim.addFault({ path: '*/cluster_logs', probability: 1, effect: { kind: 'status', status: 403 } });
    const { code, stdout, stderr } = await applied();
    expect(code).toBe(1);
    expect(stdout).toContain('Done: 1 change made.');
    expect(stderr).toContain('cannot read the service logs of cluster delta');
    expect(cli.writes().filter((write) => write.includes('service_logs'))).toEqual([]);
  });

  it('writes nothing in a dry run, neither to OCM nor to the state: promise P2', async () => {
    const { code, stdout, stderr } = await applied({ dryRun: true });
    expect(code).toBe(0);
    expect(stdout).toContain('upgrade   4.18.3');
    expect(stderr).toContain('this is a dry run: nothing was changed\n');
    expect([cli.writes(), stored(cli)]).toEqual([[], '']);
  });

  it('asks, and takes only yes', async () => {
    const asked: string[] = [];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return 'y';
    };
    const code = await apply({ ...cli.io, ask }, flags(), cli.clock);
    expect([code, asked]).toEqual([1, ['Make 1 change and send 2 service logs? Only "yes" is accepted: ']]);
    expect([cli.writes(), stored(cli)]).toEqual([[], '']);
    await expect(apply(cli.io, flags(), cli.clock)).rejects.toMatchObject({ code: 'CONSENT_MISSING' });
  });

  it('tells a refusal, with the gates that are missing', async () => {
    await cli.dispose();
    const gates = [{ id: 'gate-new', version: '4.19', label: 'example.com/gate-new' }];
    const clusters = [member('alpha', {}, { version: '4.18.4', channel: 'stable-4.19' }), member('beta')];
    cli = await upgradesCli(upgradeFleet([{ id: 'org-1', clusters }], { gates }));
    await cli.sim.advanceTo(minutes(11 * 24 * 60));
    const { code, stdout, stderr } = await applied();
    expect(code).toBe(1);
    expect(stdout).toContain('Done: 1 change made, 1 not.');
    expect(stderr).toMatch(
      /refused: org-1\/alpha: upgrade 4\.19\.1: .+ \(missing: example\.com\/gate-new for 4\.19\)\n/,
    );
  });

  it('reports what nobody knows, and counts it as taken in the next run', async () => {
    cli.sim.addFault({
      method: 'POST',
      path: '*/upgrade_policies',
      effect: { kind: 'status', status: 504, committed: false },
    });
    const first = await applied({ output: 'json' });
    expect(first.code).toBe(1);
    expect(JSON.parse(first.stdout)).toMatchObject({
      kind: 'UpgradeResult',
      organizations: [{ results: [{ cluster: 'alpha', outcome: 'unconfirmed' }] }, { results: [] }],
    });
    await cli.sim.advanceTo(minutes(5));
    const second = await applied();
    expect(second.stdout).toMatch(/alpha +4\.18\.1 +wait +4\.18\.3 +- +busy +an upgrade to 4\.18\.3 is unconfirmed/);
    expect([...cli.sim.world.state.policies.all()]).toEqual([]);
  });

  it('finds what arrived although the answer was lost', async () => {
    cli.sim.addFault({
      method: 'POST',
      path: '*/upgrade_policies',
      effect: { kind: 'status', status: 504, committed: true },
    });
    const { code, stdout } = await applied({ output: 'json' });
    expect([code, JSON.parse(stdout).organizations[0].results[0].outcome]).toEqual([0, 'done']);
    expect([...cli.sim.world.state.policies.all()]).toHaveLength(1);
  });
});

/** Promise X1: no secret was printed, stored or told to users by any test. */
afterAll(() => {
  expect(outputs.length).toBeGreaterThan(5_000);
  expect(outputs).not.toContain(SIM_SECRET);
  expect(outputs).not.toMatch(/Bearer |ey[\w-]{10,}\.[\w-]+\./);
});
