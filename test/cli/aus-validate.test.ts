import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ausValidate } from '../../src/cli/commands/aus/views.ts';
import { contextOf } from '../../src/cli/context.ts';
import type { Io } from '../../src/cli/io.ts';
import { loadFleet, manualClock, type SimOcm, startSimOcm } from '../../src/sim/index.ts';
import { type AusCli, ausCli } from '../support/aus-cli.ts';
import { REPO } from '../support/shared.ts';
import { member, minutes, upgradeFleet } from '../support/upgrade-world.ts';

describe('validate, of clusters that share a mutex', () => {
  let cli: AusCli;
  afterEach(() => cli.dispose());

  async function found(policy: object, mutexes: readonly string[], now: Date): Promise<string[]> {
    const [own = '', other = ''] = mutexes;
    const clusters = [member('holder', { mutexes: own }, { policy }), member('waiting', { mutexes: other })];
    cli = await ausCli(upgradeFleet([{ id: 'org-1', clusters }]));
    await cli.sim.advanceTo(minutes(30));
    expect(await ausValidate(contextOf(cli.io, {}, { now: () => now }), { color: true, output: 'json' })).toBe(0);
    const { items } = JSON.parse(cli.take().stdout) as { items: { cluster: string; message: string }[] };
    return items.map(({ cluster, message }) => `${cluster}: ${message}`);
  }

  const automatic = { schedule: '0 3 * * 0' };
  const manual = { version: '4.18.3', next_run: minutes(10).toISOString() };
  const soon = minutes(30);

  it('tells that one with automatic upgrades keeps the others waiting', async () => {
    expect(await found(automatic, ['m', 'm,n'], soon)).toEqual([
      'holder: mutex m is never free, and 1 cluster never upgraded (waiting): it has a policy of automatic upgrades, which never ends',
    ]);
  });

  it.each([
    { given: 'under way', now: soon, told: [] },
    {
      given: 'under way for more than a day',
      now: minutes(3 * 24 * 60),
      told: [
        expect.stringContaining(
          'its upgrade to 4.18.3 should have started at 2026-03-02T10:10:00Z and has not finished',
        ),
      ],
    },
  ])('looks at an upgrade that is $given', async ({ now, told }) => {
    expect(await found(manual, ['m', 'm'], now)).toEqual(told);
  });

  it('asks nobody for policies who shares none', async () => {
    expect(await found(automatic, ['m', 'n'], soon)).toEqual([]);
    expect(cli.sim.requests.filter(({ collection }) => collection === 'upgrade_policies')).toEqual([]);
  });
});

describe('validate, with the configuration of the scheduler', () => {
  const FLEET = upgradeFleet([
    { id: 'org-1', aus: { 'version-data.inherit': 'org-2,org-3,org-4,unseen' }, clusters: [] },
    ...['org-2', 'org-3', 'org-4'].map((id) => ({ id, aus: { 'version-data.publish': 'org-1' }, clusters: [] })),
  ]);
  let cli: AusCli;
  beforeEach(async () => {
    cli = await ausCli(FLEET);
  });
  afterEach(() => cli.dispose());

  /** The secret is nowhere: an owner who validates need not have it. */
  function configured(organizations: object): string[] {
    const credentials = { clientId: 'robot', clientSecretEnv: 'NOT_SET' };
    const environments = [{ name: 'test', url: cli.sim.url, credentials }];
    return ['--config-file', cli.write('served.yml', JSON.stringify({ environments, organizations }))];
  }

  async function found(args: readonly string[]): Promise<string[]> {
    const { code, stdout } = await cli.run(['validate', '--output', 'json', ...args]);
    expect(code).toBe(0);
    const { items } = JSON.parse(stdout) as { items: { lint: string; message: string }[] };
    return items.map(({ lint, message }) => `${lint} ${/organization (\S+?),/.exec(message)?.[1]}`);
  }

  it.each([
    {
      given: 'two of four sources',
      organizations: { allow: ['org-1', 'org-2', { id: 'unseen' }] },
      says: ['inherit-not-served org-3', 'inherit-not-served org-4', 'inherit-not-visible unseen'],
    },
    {
      given: 'all but a denied one',
      organizations: { allow: 'all', deny: ['org-3'] },
      says: ['inherit-not-served org-3', 'inherit-not-visible unseen'],
    },
    {
      given: 'a source in an environment that does not exist',
      organizations: { allow: [{ id: 'org-2', environment: 'other' }, 'org-3', 'org-4', 'unseen'] },
      says: ['inherit-not-served org-2', 'inherit-not-visible unseen'],
    },
  ])('that names $given', async ({ organizations, says }) => {
    expect(await found(configured(organizations))).toEqual(says);
  });

  it('that is an instance, which registers none of them', async () => {
    const says = ['org-2', 'org-3', 'org-4', 'unseen'].map((id) => `inherit-not-served ${id}`);
    expect(await found(['--data', join(REPO, 'examples/instance')])).toEqual([...says, 'inherit-not-visible unseen']);
  });

  it('says that the heir waits for good', async () => {
    const { stderr } = await cli.run(['validate', ...configured({ allow: ['org-1'] })]);
    expect(stderr).toContain('so every cluster here waits for good: no history yet of org-2\n');
  });

  it('says nothing of it without one', async () => {
    expect(await found([])).toEqual([]);
  });

  it('that cannot be read is an error', async () => {
    const { code, stderr } = await cli.run(['validate', '--config-file', 'missing.yml']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('cannot read missing.yml') });
  });
});

describe('the example fleet', () => {
  let sim: SimOcm;
  let fleet: Awaited<ReturnType<typeof loadFleet>>;
  beforeAll(async () => {
    fleet = await loadFleet(join(REPO, 'examples/fleet/fleet.yml'));
    sim = await startSimOcm({ fleet, clock: manualClock(new Date(fleet.start)) });
  });
  afterAll(() => sim.close());

  /** What is found in an organization, by where it is. */
  async function findings(environment: string, orgId: string): Promise<string[]> {
    const { url = '', tokenUrl = '' } = sim.environments.get(environment) ?? {};
    const { clientId = '', clientSecret = '' } =
      fleet.environments.find(({ name }) => name === environment)?.accounts[0] ?? {};
    let stdout = '';
    const write = (text: string): void => {
      stdout += text;
    };
    const login = { ocmUrl: url, tokenUrl, clientId, clientSecret };
    const io: Io = {
      ...{ stdout: { isTTY: false, write }, stderr: { isTTY: false, write: () => undefined } },
      ...{ env: {}, cwd: REPO, signal: new AbortController().signal },
    };
    await ausValidate(contextOf(io, {}, { now: () => new Date(fleet.start) }), {
      ...{ color: true, output: 'json', orgId },
      ...login,
    });
    const { items } = JSON.parse(stdout) as { items: { cluster?: string; lint?: string; key: string }[] };
    return items.map(({ cluster, lint, key }) =>
      [cluster ?? 'organization', lint ?? key.replace('sre-capabilities.aus.', '')].join(' '),
    );
  }

  it.each([
    {
      environment: 'ocm-production',
      orgId: '1QfZcT8mLwKpR2vN9sXdY4hB6gJ',
      found: ['shard-04 soak-days', 'shard-09 sector', 'tools-03 schedule'],
    },
    {
      environment: 'ocm-production',
      orgId: '29b6h0qk4tz8nf1p',
      found: [
        ...['partner-boreal-05 schedule', 'partner-boreal-07 workloads', 'partner-cobalt-02 blocked-versions'],
        ...['partner-delta-06 soak-days', 'partner-cobalt-08 mutex-never-free'],
      ],
    },
    {
      environment: 'ocm-production',
      orgId: '3Kd82mVbq7Yt0Rw5',
      found: [
        'organization sector-max-parallel-upgrades.wide',
        ...['archive-1 schedule', 'archive-2 schedule', 'archive-3 schedule', 'archive-4 schedule'],
        'scope-10 version-gate-approvals',
      ],
    },
    { environment: 'ocm-stage', orgId: '2c5kd8x1mq0zwv7r', found: [] },
    { environment: 'ocm-stage', orgId: '2a0m9rw3xk5cvd7s', found: [] },
  ])('has in $orgId nothing wrong but what is meant: $found', async ({ environment, orgId, found }) => {
    expect(await findings(environment, orgId)).toEqual(found);
  });
});
