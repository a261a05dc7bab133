import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runningClock } from '../../src/sim/index.ts';
import { until } from '../support/until.ts';
import { runUpgrades } from '../support/upgrade-commands.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { configText, SIM_SECRET, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const FLEET = upgradeFleet([
  {
    id: 'org-1',
    clusters: [member('alpha', { 'soak-days': 1 }), member('beta'), member('gamma', { schedule: 'soon' })],
  },
]);

let cli: UpgradesCli;
let stop = new AbortController();

async function start(env: Record<string, string> = {}): Promise<void> {
  stop = new AbortController();
  cli = await upgradesCli(FLEET, { clock: runningClock(), env: { LOG_FORMAT: 'json', ...env }, signal: stop.signal });
}

const outputs: string[] = [];
afterEach(async () => {
  stop.abort();
  outputs.push(cli.written.stdout, cli.written.stderr);
  await cli.dispose();
});

const FLAGS = { configFile: 'upgrades.yml', metricsPort: 0, metricsHost: '127.0.0.1' };

const events = () =>
  cli.written.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const messages = (): unknown[] => events().map((event) => event['msg'] ?? event['message']);

/** The metrics, as soon as they show something. */
async function metrics(sign: RegExp): Promise<string> {
  const port = await until(() => events().find((event) => event['metricsPort'] !== undefined)?.['metricsPort'], {
    what: 'it has started',
  });
  return until(
    async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      outputs.push(text);
      return sign.test(text) ? text : undefined;
    },
    { what: `metrics show ${sign}` },
  );
}

/** Of the first series of a metric. */
function labelsOf(text: string, name: string): Record<string, string> {
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`)) ?? '';
  return Object.fromEntries([...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
}

describe('one pass in a pod', () => {
  it('schedules, tells, stores, and succeeds although a user made a mistake', async () => {
    await start({ RUN_ONCE: 'true' });
    expect(await runUpgrades(cli.io, FLAGS)).toBe(0);
    expect([...cli.sim.world.state.policies.all()].map(({ target }) => target.clusterId)).toEqual(['beta-id']);
    expect([...cli.sim.world.state.logs.all()].map(({ clusterId }) => clusterId)).toEqual(['gamma-id']);
    expect(messages()).toEqual(
      expect.arrayContaining(['integration started', 'upgrade scheduled', 'invalid label', 'integration stopped']),
    );
    expect(existsSync(join(cli.folder, 'state/advanced-upgrade-scheduler/test/org-1'))).toBe(true);
  });

  it.each([
    { given: 'the variable', env: { DRY_RUN: '--dry-run' }, flags: {} },
    { given: 'the flag', env: {}, flags: { dryRun: true } },
  ])('writes nothing in a dry run, by $given: promise P2', async ({ env, flags }) => {
    await start({ RUN_ONCE: 'true', ...env });
    expect(await runUpgrades(cli.io, { ...FLAGS, ...flags })).toBe(0);
    expect(messages()).toContain('upgrade would be scheduled (dry run)');
    expect(cli.writes()).toEqual([]);
    expect(existsSync(join(cli.folder, 'state'))).toBe(false);
  });

  it('sees the time of a simulated OCM that runs faster, and schedules in its future', async () => {
    const started = Date.now() - 100 * 86_400_000;
    const env = { LOG_FORMAT: 'json', RUN_ONCE: 'true', ECHELON_SIM_CLOCK: `${new Date(started).toISOString()}*2` };
    cli = await upgradesCli(FLEET, { clock: runningClock(2, Date.now, started), env });
    expect(await runUpgrades(cli.io, FLAGS)).toBe(0);
    const [policy, ...others] = cli.sim.world.state.policies.all();
    expect([policy?.target.clusterId, others]).toEqual(['beta-id', []]);
    expect(policy?.nextRun).toBeGreaterThan(Date.now() + 99 * 86_400_000);
  });

  it('never brings a simulated time to another machine', async () => {
    await start({ RUN_ONCE: 'true', ECHELON_SIM_CLOCK: '2026-03-02T00:00:00Z*60' });
    cli.write(
      'elsewhere.yml',
      readFileSync(join(cli.folder, 'upgrades.yml'), 'utf8').replace(/url: .*/, 'url: https://ocm.invalid'),
    );
    expect(await runUpgrades(cli.io, { ...FLAGS, configFile: 'elsewhere.yml' })).toBe(1);
    expect(cli.written.stdout).toContain('SIM_CLOCK_REFUSED');
    expect(cli.sim.requests).toEqual([]);
  });

  it('fails when the service does', async () => {
    await start({ RUN_ONCE: 'true' });
    cli.sim.addFault({ path: '*/labels', probability: 1, effect: { kind: 'status', status: 403 } });
    expect(await runUpgrades(cli.io, FLAGS)).toBe(1);
    expect(events()).toContainEqual(expect.objectContaining({ environment: 'test', code: 'OCM_FORBIDDEN' }));
  });
});

describe('a loop in a pod', () => {
  it('shows what it does in metrics, keeps what it knew when OCM fails, and ends when told', async () => {
    await start();
    const running = runUpgrades(cli.io, { ...FLAGS, poll: 0.2 });
    const text = await metrics(/^aus_cluster_blocked_reason\{.*"beta-uuid",version="4\.18\.3",gate="busy"\} 1$/m);
    expect(labelsOf(text, 'aus_cluster_upgrade_policy_info')).toEqual({
      ...{ integration: 'advanced-upgrade-scheduler', ocm_env: 'test', cluster_uuid: 'alpha-uuid', org_id: 'org-1' },
      ...{ org_name: 'org-1', channel: 'stable-4.18', current_version: '4.18.1', cluster_name: 'alpha' },
      ...{ schedule: '* * * * *', sector: '', mutexes: '', soak_days: '1', workloads: 'wl', product: 'osd' },
      hypershift: 'false',
    });
    expect(text).toContain(
      'aus_organization_validation_errors{integration="advanced-upgrade-scheduler",ocm_env="test",org_id="org-1"} 1',
    );
    expect(text).toMatch(/^aus_organization_reconcile_errors_total\{[^}]*org_id="org-1"\} 0$/m);
    expect(text).toMatch(
      /^aus_cluster_blocked_reason\{[^}]*cluster_uuid="alpha-uuid",version="4\.18\.3",gate="soak"\} 1$/m,
    );
    expect(text).toMatch(/^aus_policy_create_failures_total\{[^}]*outcome="refused"\} 0$/m);
    expect(text).toMatch(
      /^echelon_ocm_requests_total\{ocm_env="test",method="GET",collection="labels",status="200"\} \d+$/m,
    );
    expect(text).toMatch(/^qontract_reconcile_ocm_request_total\{verb="GET",client_id="robot"\} \d+$/m);

    cli.sim.addFault({ path: '*/labels', probability: 1, effect: { kind: 'status', status: 403 } });
    const failing = await metrics(/^aus_ocm_environment_errors_total\{.*\} [1-9]/m);
    expect(labelsOf(failing, 'aus_cluster_upgrade_policy_info')).toMatchObject({ cluster_uuid: 'alpha-uuid' });
    expect(failing).toMatch(/^qontract_reconcile_last_run_status\{.*\} 1$/m);

    stop.abort(new Error('SIGTERM'));
    expect(await running).toBe(0);
    expect([...cli.sim.world.state.policies.all()]).toHaveLength(1);
  });

  it('reads an access token from its file again when the one that it has is refused', async () => {
    await start({ SLEEP_ON_ERROR: '0.2' });
    const [environment] = [...cli.sim.environments.values()];
    const newToken = async (): Promise<string> => {
      const form = { grant_type: 'client_credentials', client_id: 'robot', client_secret: SIM_SECRET };
      const response = await fetch(environment!.tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
      return ((await response.json()) as { access_token: string }).access_token;
    };
    cli.write('access-token', await newToken());
    const config = configText(cli.sim).replace(/credentials: .*/, 'credentials: { accessTokenFile: access-token }');
    cli.write('upgrades.yml', config);
    const running = runUpgrades(cli.io, { ...FLAGS, poll: 0.2, resync: 0.2 });
    await metrics(/^echelon_passes_total\{result="ok"\} [1-9]/m);

    cli.sim.addFault({ path: '*/labels', probability: 1, effect: { kind: 'expired-token' } });
    await metrics(/^echelon_passes_total\{result="failed"\} [1-9]/m);
    expect(cli.written.stdout).toContain('OCM rejected the access token');
    cli.write('access-token', await newToken());
    cli.sim.clearFaults();
    await metrics(/^qontract_reconcile_last_run_status\{.*\} 0$/m);
    stop.abort(new Error('SIGTERM'));
    expect(await running).toBe(0);
  });
});

/** Promise X1: no secret is in logs and metrics of any test. */
afterAll(() => {
  const all = outputs.join('\n');
  expect(all).toContain('aus_cluster_info');
  expect(all).not.toContain(SIM_SECRET);
  expect(all).not.toMatch(/Bearer /);
});
