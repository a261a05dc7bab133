import { Command } from 'commander';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { addCommand } from '../../src/cli/command.ts';
import { run as runCommands } from '../../src/cli/commands/run/commands.ts';
import { runningClock } from '../../src/sim/index.ts';
import { entry } from '../support/declared-organizations.ts';
import { until } from '../support/until.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { SIM_SECRET, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';
import { instanceFlags, putInstance } from '../support/upgrades-instance.ts';

const OCP = 'api.openshift.com/gate-ocp';
const STS = 'api.openshift.com/gate-sts';
const INGRESS = 'api.openshift.com/gate-ingress';

const ahead = { version: '4.18.4', channel: 'stable-4.19' };
const FLEET = upgradeFleet(
  [
    {
      id: 'org-1',
      clusters: [
        member('plain', {}, ahead),
        member('roles', { 'version-gate-approvals': `${OCP},${STS}` }, { ...ahead, sts: true, product: 'rosa' }),
        member('careful', { 'version-gate-approvals': INGRESS }, ahead),
        { ...member('filed', {}, ahead), aus: {} },
        { ...member('stranger', {}, ahead), aus: {} },
      ],
    },
  ],
  {
    versions: { releases: ['4.18.4', '4.19.1'].map((version) => ({ version, at: 'day -40' })) },
    gates: [
      { id: 'g-ocp', version: '4.19', label: OCP },
      { id: 'g-sts', version: '4.19', label: STS, sts_only: true },
    ],
  },
);
const FILES = {
  'org-1': { upgradePolicyClusters: [entry('filed', {}, { versionGateApprovals: [OCP] }), entry('stranger')] },
};
/** As pods of existing fleets have them. */
const JOBS = ['--job-controller-cluster', 'c', '--job-controller-namespace', 'n', '--rosa-job-service-account', 's'];

let cli: UpgradesCli;
let stop = new AbortController();
const outputs: string[] = [];
afterEach(async () => {
  stop.abort();
  outputs.push(cli.written.stdout, cli.written.stderr);
  await cli.dispose();
});

async function start(env: Readonly<Record<string, string>> = { RUN_ONCE: 'true' }): Promise<void> {
  stop = new AbortController();
  cli = await upgradesCli(FLEET, { clock: runningClock(), env: { LOG_FORMAT: 'json', ...env }, signal: stop.signal });
  putInstance(cli, FILES);
}

async function run(...args: readonly string[]): Promise<number> {
  const { data, secretsDir } = instanceFlags(cli);
  let code = -1;
  const program = new Command().exitOverride();
  addCommand(program, runCommands, cli.io, (given) => {
    code = given;
  });
  const common = ['--secrets-dir', secretsDir, '--metrics-port', '0', '--metrics-host', '127.0.0.1'];
  const source = args.includes('--config-file') ? [] : ['--data', data];
  await program.parseAsync(['run', 'version-gate-approver', ...source, ...common, ...JOBS, ...args], { from: 'user' });
  return code;
}

const events = () =>
  cli.written.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const agreed = () =>
  [...cli.sim.world.state.agreements.all()].map(({ clusterId, gateId }) => `${clusterId} ${gateId}`).sort();

const OF_PLAIN = '*/clusters/plain-id/gate_agreements';
const BY_LABELS = ['plain-id g-ocp', 'roles-id g-ocp'];

describe('one pass of the approver', () => {
  it('agrees for those whose labels or file allow it, and tells of gates that need other work', async () => {
    await start();
    expect(await run()).toBe(0);
    expect(agreed()).toEqual(['filed-id g-ocp', ...BY_LABELS]);
    expect(events()).toContainEqual(
      expect.objectContaining({
        ...{ cluster: 'roles', gate: STS, version: '4.19' },
        reason: 'the AWS STS roles must be upgraded first, outside of OCM',
      }),
    );
  });

  it('serves a configuration file by labels alone', async () => {
    await start();
    expect(await run('--config-file', 'upgrades.yml')).toBe(0);
    expect(agreed()).toEqual(BY_LABELS);
  });

  it('agrees to gates of STS where it is told that the roles are kept', async () => {
    await start();
    expect(await run('--sts-roles-kept')).toBe(0);
    expect(agreed()).toEqual(['filed-id g-ocp', ...BY_LABELS, 'roles-id g-sts']);
  });

  it('leaves organizations alone that it is not for', async () => {
    await start();
    expect(await run('--exclude-org-id', 'org-1')).toBe(0);
    expect(agreed()).toEqual([]);
  });

  it.each([
    { given: 'the variable', env: { DRY_RUN: '--dry-run' }, args: [] },
    { given: 'the flag', env: {}, args: ['--dry-run'] },
  ])('writes nothing in a dry run, by $given: promise P2', async ({ env, args }) => {
    await start({ RUN_ONCE: 'true', ...env });
    expect(await run(...args)).toBe(0);
    expect(events()).toContainEqual(expect.objectContaining({ cluster: 'plain', gateId: 'g-ocp' }));
    expect([cli.writes(), agreed()]).toEqual([[], []]);
  });

  it.each([
    { fault: 'does not answer a read', method: 'GET', status: 503, told: { code: 'OCM_UNAVAILABLE' } },
    { fault: 'does not answer an agreement', method: 'POST', status: 500, told: { gateId: 'g-ocp' } },
    { fault: 'does not take the login', method: 'POST', status: 401, told: { gateId: 'g-ocp' } },
  ])('fails when OCM $fault, after it has served all others', async ({ method, status, told }) => {
    await start();
    cli.sim.addFault({ path: OF_PLAIN, method, probability: 1, effect: { kind: 'status', status } });
    expect(await run()).toBe(1);
    expect(agreed()).toEqual(['filed-id g-ocp', 'roles-id g-ocp']);
    expect(events()).toContainEqual(expect.objectContaining({ level: 'error', cluster: 'plain', ...told }));
  });

  it.each([
    { refused: 'an agreement', method: 'POST', status: 400, told: { gateId: 'g-ocp' } },
    { refused: 'an agreement to who may not', method: 'POST', status: 403, told: { gateId: 'g-ocp' } },
    { refused: 'to show a cluster', method: 'GET', status: 403, told: { code: 'OCM_FORBIDDEN' } },
    { refused: 'a cluster that is gone', method: 'GET', status: 404, told: { code: 'OCM_NOT_FOUND' } },
  ])('tells that OCM refuses $refused with $status, and does not fail', async ({ method, status, told }) => {
    await start();
    cli.sim.addFault({ path: OF_PLAIN, method, probability: 1, effect: { kind: 'status', status } });
    expect(await run()).toBe(0);
    expect(agreed()).toEqual(['filed-id g-ocp', 'roles-id g-ocp']);
    expect(events()).toContainEqual(expect.objectContaining({ level: 'warn', cluster: 'plain', ...told }));
    expect(events().filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('the approver in a loop', () => {
  it('shows in metrics what is still closed and what it did, and ends when told', async () => {
    await start({});
    cli.sim.addFault({
      ...{ path: '*/clusters/filed-id/gate_agreements', method: 'POST', probability: 1 },
      effect: { kind: 'status', status: 400 },
    });
    const running = run('--poll', '1s', '--no-lease');
    const port = await until(() => events().find((event) => event['metricsPort'] !== undefined)?.['metricsPort'], {
      what: 'it has started',
    });
    const text = await until(
      async () => {
        const shown = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        return /^aus_organization_reconciled_total\{/m.test(shown) ? shown : undefined;
      },
      { what: 'a pass was made' },
    );
    outputs.push(text);
    const missing = [...text.matchAll(/^aus_cluster_missing_version_gate_agreements\{([^}]*)\} (\d+)$/gm)];
    expect(missing.map(([, labels = '', value]) => [/cluster_uuid="([^"]*)"/.exec(labels)?.[1], value]).sort()).toEqual(
      [
        ['careful-uuid', '1'],
        ['filed-uuid', '1'],
        ['roles-uuid', '1'],
      ],
    );
    expect(missing[0]?.[1]).toContain('integration="version-gate-approver",ocm_env="test",org_id="org-1"');
    expect(text).toMatch(/^echelon_version_gate_agreements_total\{ocm_env="test",outcome="agreed"\} 2$/m);
    const refusals =
      /^echelon_version_gate_refusals_total\{ocm_env="test",org_id="org-1",cluster_uuid="([^"]*)"\} \d+$/gm;
    expect([...text.matchAll(refusals)].map(([, uuid]) => uuid)).toEqual(['filed-uuid']);
    expect(text).toMatch(/^aus_organization_reconcile_errors_total\{[^}]*org_id="org-1"\} 0$/m);
    expect(text).toMatch(/^aus_ocm_environment_errors_total\{[^}]*\} 0$/m);
    expect(text).toMatch(/^qontract_reconcile_ocm_request_total\{verb="POST",client_id="robot"\} \d+$/m);
    stop.abort(new Error('SIGTERM'));
    expect(await running).toBe(0);
  });
});

/** Promise X1: no secret is in logs and metrics of any test. */
afterAll(() => {
  expect(outputs.join('\n')).toContain('aus_cluster_missing_version_gate_agreements');
  expect(outputs.join('\n')).not.toContain(SIM_SECRET);
  expect(outputs.join('\n')).not.toMatch(/Bearer /);
});
