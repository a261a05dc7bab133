import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AusCli, ausCli } from '../support/aus-cli.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { SIM_SECRET } from '../support/upgrades-cli.ts';

const GATES = [
  { id: 'gate-ocp', version: '4.19', label: 'api.openshift.com/gate-ocp', description: 'removed APIs' },
  { id: 'gate-sts', version: '4.19', label: 'api.openshift.com/gate-sts', sts_only: true },
  { id: 'gate-old', version: '4.18', label: 'api.openshift.com/gate-ocp' },
  { id: 'gate-far', version: '4.20', label: 'api.openshift.com/gate-ocp' },
];
const FLEET = upgradeFleet(
  [
    {
      id: 'org-1',
      aus: {
        'blocked-versions': '^4\\.18\\.2$',
        'sector-deps.prod': 'stage',
        'sector-max-parallel-upgrades.prod': '1',
      },
      clusters: [
        member('sts', { sector: 'stage', 'soak-days': 0, mutexes: 'm' }, { product: 'rosa' }),
        member('plain', { sector: 'prod', 'soak-days': 5 }),
        member('wrong', { schedule: 'soon', sector: 'prod' }),
        { ...member('none'), aus: {} },
      ],
    },
  ],
  { gates: GATES },
);

let cli: AusCli;
beforeEach(async () => {
  cli = await ausCli(FLEET);
});
afterEach(() => cli.dispose());

describe('gates', () => {
  it('lists those that stand before each cluster next, of all kinds of clusters', async () => {
    const { stdout } = await cli.run(['get', 'gates', '--output', 'json']);
    const rows = (JSON.parse(stdout).items as { cluster: string; id: string }[]).map(
      ({ cluster, id }) => `${cluster} ${id}`,
    );
    expect(rows).toEqual(['none gate-ocp', 'plain gate-ocp', 'sts gate-ocp', 'sts gate-sts', 'wrong gate-ocp']);
    const table = (await cli.run(['get', 'gates'])).stdout;
    expect(table).toMatch(/^CLUSTER +VERSION +GATED VERSION/);
    expect(table).toContain('removed APIs');
  });

  const agree = ['apply', 'gate-agreement', '--cluster-name', 'sts', '--version', '4.19'];
  const agreements = () =>
    [...cli.sim.world.state.agreements.all()].map(({ clusterId, gateId }) => [clusterId, gateId]);

  it('agrees to all of a minor, once', async () => {
    expect((await cli.run(agree)).stdout).toContain('sts: agreed to api.openshift.com/gate-sts\n');
    expect(agreements()).toEqual([
      ['sts-id', 'gate-ocp'],
      ['sts-id', 'gate-sts'],
    ]);
    expect((await cli.run(agree)).stdout).toBe('Nothing to agree to.\n');
    expect(agreements()).toHaveLength(2);
  });

  it('a dry run agrees to nothing', async () => {
    expect((await cli.run([...agree, '--dry-run'])).stdout).toContain('would agree to');
    expect(agreements()).toEqual([]);
    expect(cli.writes()).toEqual([]);
  });
});

describe('status', () => {
  it('shows the organization, its sectors and its clusters with what they may upgrade to', async () => {
    const { stdout } = await cli.run(['status']);
    expect(stdout).toContain('Organization ID:    org-1\n');
    expect(stdout).toContain(`OCM environment:    ${cli.sim.url}\n`);
    expect(stdout).toContain('Blocked versions:   ^4\\.18\\.2$\n');
    expect(stdout).toMatch(/^prod +stage +1$/m);
    expect(stdout).toMatch(/^plain +osd +4\.18\.1 +stable +yes +\* \* \* \* \* +prod +- +5 +wl +- +4\.18\.3$/m);
    expect(stdout).toMatch(/^wrong +osd +4\.18\.1 +stable +no +- /m);
    expect(stdout).not.toMatch(/^none /m);
    expect((await cli.run(['status', '--show-all-clusters'])).stdout).toMatch(/^none .* no /m);
  });

  it('as data', async () => {
    const { stdout } = await cli.run(['status', '--output', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'UpgradeStatus',
      sectors: [{ name: 'prod', dependencies: ['stage'], maxParallelUpgrades: '1' }, { name: 'stage' }],
      clusters: [{ name: 'plain', availableUpgrades: ['4.18.3'] }, { name: 'sts' }, { name: 'wrong', enabled: false }],
    });
  });
});

describe('validate', () => {
  it('tells what the scheduler would refuse, and what only shows together', async () => {
    const { code, stdout, stderr } = await cli.run(['validate']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '1 error, 0 warnings.\n' });
    expect(stderr).toContain('error: wrong: sre-capabilities.aus.schedule: "soon" is not a valid schedule');
    await cli.run(['apply', 'policies', '-c', 'wrong', '-s', 'anytime', '-w', 'wl', '--sector', 'prod']);
    const mended = await cli.run(['validate', '--output', 'json']);
    expect(mended.code).toBe(0);
    expect((JSON.parse(mended.stdout).items as { lint: string }[]).map(({ lint }) => lint)).toEqual([
      'limit-without-mutex',
    ]);
  });
});

describe('login', () => {
  const noFile = { OCM_CONFIG: 'nowhere.json' };
  const urls = () => ['--ocm-url', cli.sim.url, '--token-url', cli.sim.tokenUrl];
  const token = async (): Promise<string> => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'robot',
      client_secret: SIM_SECRET,
    });
    const answer = await fetch(cli.sim.tokenUrl, { method: 'POST', body });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const as = (env: Record<string, string>) => Object.assign(cli.io.env, noFile, env);

  it.each([
    { by: 'flags', env: {}, args: ['--client-id', 'robot', '--client-secret', SIM_SECRET] },
    { by: 'variables', env: { OCM_CLIENT_ID: 'robot', OCM_CLIENT_SECRET: SIM_SECRET }, args: [] },
    { by: 'a flag and a variable', env: { OCM_CLIENT_SECRET: SIM_SECRET }, args: ['--client-id', 'robot'] },
  ])('by $by', async ({ env, args }) => {
    as(env);
    expect((await cli.run(['get', 'sectors', ...urls(), ...args])).code).toBe(0);
    expect(cli.secrets).toEqual([SIM_SECRET]);
  });

  it('by an access token in a variable, which is told as a secret', async () => {
    const secret = await token();
    as({ OCM_TOKEN: secret });
    expect((await cli.run(['get', 'sectors', ...urls()])).code).toBe(0);
    expect(cli.secrets).toEqual([secret]);
  });

  it('by the file that a variable names', async () => {
    const { url, tokenUrl } = cli.sim;
    const login = {
      url,
      token_url: tokenUrl,
      access_token: await token(),
      client_id: 'cloud-services',
      refresh_token: '',
    };
    as({ OCM_CONFIG: cli.write('login.json', JSON.stringify(login)) });
    expect((await cli.run(['get', 'sectors'])).code).toBe(0);
  });

  it.each([
    { given: 'nobody', file: undefined, says: 'OCM_NOT_LOGGED_IN' },
    { given: 'a broken file', file: '{"refresh_token":"hush-hush', says: 'OCM_LOGIN_UNREADABLE' },
  ])('with $given it says what to do, and no secret', async ({ file, says }) => {
    as(file === undefined ? {} : { OCM_CONFIG: cli.write('login.json', file) });
    const { code, stderr } = await cli.run(['get', 'sectors']);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
    expect(stderr).toContain('ocm login');
    expect(stderr).not.toContain('hush');
  });
});

describe('command lines', () => {
  it.each([
    { args: ['apply', 'policies', 'file.json'], says: 'it must be -, for standard input' },
    { args: ['apply', 'policies', '-d', '-1'], says: 'whole number of days' },
    { args: ['delete', 'policy'], says: '--cluster-name' },
    { args: ['apply', 'policies', '-c', 'plain', '-w', 'a'], says: '--schedule is missing' },
    { args: ['apply', 'policies', '-s', 'anytime', '-w', 'a'], says: '--cluster-name is missing' },
    { args: ['apply', 'version-blocks'], says: 'nothing to block' },
    { args: ['apply', 'sectors'], says: 'no sector given' },
    { args: ['apply', 'sectors', '-m', '3'], says: 'is not a valid sector limit' },
    { args: ['apply', 'sectors', '-a', '=b'], says: 'has no sector name' },
    { args: ['apply', 'inheritance'], says: 'no organization given' },
    { args: ['apply', 'gate-agreement', '-c', 'sts', '--version', '4.19.1'], says: '4.19.1 is not a minor version' },
    { args: ['get', 'polices'], says: "unknown command 'polices'" },
    { args: ['--backend', 'git', 'status'], says: 'Allowed choices are ocmlabels' },
  ])('echelon aus $args is refused', async ({ args, says }) => {
    const { code, stderr } = await cli.run(args);
    expect(code).toBe(64);
    expect(stderr).toContain(says);
  });

  it('takes the global options of the plugin', async () => {
    expect((await cli.run(['--backend', 'ocmlabels', '--debug', 'get', 'sectors'])).code).toBe(0);
  });
});
