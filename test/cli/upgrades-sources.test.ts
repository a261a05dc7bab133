import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defined, type StateStore } from '../../src/base/index.ts';
import type { Io } from '../../src/cli/io.ts';
import { openStore } from '../../src/clients/state/index.ts';
import { openSources, statePlace } from '../../src/upgrades/service/sources.ts';
import { json, startLocalHttp } from '../support/local-http.ts';
import { plan, type SourceFlags, upgradesPorts } from '../support/upgrade-commands.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { configText, SIM_SECRET, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

const FLEET = {
  ...upgradeFleet([]),
  environments: ['one', 'two'].map((name) => ({
    name,
    organizations: [`${name}-a`, `${name}-b`].map((id) => ({ id, name: `the ${id}`, clusters: [member(`c-${id}`)] })),
  })),
};

let cli: UpgradesCli;
beforeEach(async () => {
  cli = await upgradesCli(FLEET);
});
afterEach(() => cli.dispose());

const openState = (io: Io, given: string | undefined): StateStore => openStore(io, statePlace(io, given, undefined));

const SERVED = ['one-a', 'one-b', 'two-a', 'two-b'];

const opened = (flags: SourceFlags) => openSources(flags, upgradesPorts(cli.io, flags, { readOnly: true }));

async function served(flags: SourceFlags, env: Record<string, string> = {}) {
  const io = { ...cli.io, env: { ...cli.io.env, ...env } };
  const sources = await openSources(flags, upgradesPorts(io, flags, { readOnly: true }));
  const { sites, neighbours, notes } = await sources.load();
  const names = sites.flatMap((site) =>
    SERVED.filter((orgId) => orgId.startsWith(site.name)).flatMap((orgId) => {
      const organization = site.serves(orgId);
      return organization === undefined ? [] : [`${site.name} ${organization.name ?? organization.orgId}`];
    }),
  );
  return { names, neighbours: neighbours.map(({ name }) => name), notes, sources };
}

async function planOf(flags: SourceFlags) {
  const code = await plan(cli.io, { output: 'json', ...flags }, cli.clock);
  const { stdout, stderr } = cli.take();
  return {
    code,
    stderr,
    organizations: JSON.parse(stdout).organizations as { orgId: string; name: string; clusters: [] }[],
  };
}

describe('a configuration file', () => {
  const config = (organizations: string): void =>
    void cli.write('upgrades.yml', configText(cli.sim).replace('{ allow: all }', organizations));
  const file = { configFile: 'upgrades.yml' };

  it.each([
    {
      given: 'all',
      organizations: '{ allow: all }',
      flags: {},
      names: ['one one-a', 'one one-b', 'two two-a', 'two two-b'],
    },
    {
      given: 'a list',
      organizations: '{ allow: [one-a, { id: two-b, name: B }] }',
      flags: {},
      names: ['one one-a', 'two B'],
    },
    { given: 'an environment', organizations: '{ allow: [{ id: one-a, environment: two }] }', flags: {}, names: [] },
    {
      given: 'a denial',
      organizations: '{ allow: all, deny: [one-a, two-a] }',
      flags: {},
      names: ['one one-b', 'two two-b'],
    },
    {
      given: 'a flag that names one',
      organizations: '{ allow: all }',
      flags: { orgId: ['two-a'] },
      names: ['two two-a'],
    },
    {
      given: 'a flag that names one which is not allowed',
      organizations: '{ allow: [one-a] }',
      flags: { orgId: ['two-a'] },
      names: [],
    },
    { given: 'nobody', organizations: '{ allow: [] }', flags: {}, names: [] },
  ])('serves only whom it allows: $given', async ({ organizations, flags, names }) => {
    config(organizations);
    const found = await served({ ...file, ...flags });
    expect(found.names).toEqual(names);
  });

  it.each([
    { given: 'the flag', flags: { ocmEnv: 'two' }, env: {} },
    { given: 'the variable', flags: {}, env: { AUS_OCM_ENV: 'two' } },
  ])('is narrowed to an environment by $given; the others stay neighbours', async ({ flags, env }) => {
    const { neighbours, sources } = await served({ ...file, ...flags }, env);
    expect([neighbours, (await sources.load()).sites.map(({ name }) => name)]).toEqual([['one'], ['two']]);
  });

  it('tells of an organization that was named and is not served', async () => {
    config('{ allow: [one-a] }');
    expect((await served({ ...file, orgId: ['two-a'] })).notes).toEqual([
      'organization two-a is not registered, or is disabled, so it is not served',
    ]);
  });

  it('refuses an environment that is not there', async () => {
    await expect(served({ ...file, ocmEnv: 'on' })).rejects.toMatchObject({
      ...{ code: 'OCM_ENVIRONMENT_UNKNOWN', hint: 'did you mean one?' },
    });
  });

  it('tells names that only OCM knows', async () => {
    const { code, organizations } = await planOf(file);
    expect(code).toBe(0);
    expect(organizations.map(({ orgId, name }) => [orgId, name])).toEqual(SERVED.map((id) => [id, `the ${id}`]));
  });

  it('has rules, and flags win over them', async () => {
    cli.write('upgrades.yml', configText(cli.sim, 'rules: qontract\nignoreStsClusters: true\n'));
    const fromFile = (await served(file)).sources;
    const fromFlag = (await served({ ...file, rules: 'healthGate', ignoreStsClusters: false })).sources;
    expect([fromFile.rules.healthGate, fromFile.ignoreSts]).toEqual([false, true]);
    expect([fromFlag.rules.healthGate, fromFlag.rules.isolateFaults, fromFlag.ignoreSts]).toEqual([true, false, false]);
  });

  const broken = (text: string, replacement: string): string => configText(cli.sim).replace(text, replacement);

  it.each([
    {
      given: 'no list of organizations',
      text: () => broken('organizations: { allow: all }\n', ''),
      told: /upgrades\.yml:1:1: organizations: /,
    },
    {
      given: 'an address that is none',
      text: () => broken('url: http', 'url: ocm'),
      told: /upgrades\.yml:3:8: environments\[0\]\.url: it must be a URL/,
    },
    {
      given: 'a key that nobody knows',
      text: () => broken('state: state', 'sate: state'),
      told: /Unrecognized key: "sate"/,
    },
    {
      given: 'a secret in the open',
      text: () => broken('clientSecretEnv: OCM_SECRET', 'clientSecret: hunter2'),
      told: /environments\[0\]\.credentials/,
    },
    {
      given: 'two secrets',
      text: () => broken('clientSecretEnv: OCM_SECRET', 'clientSecretEnv: A, offlineTokenEnv: B'),
      told: /upgrades\.yml:5:16: environments\[0\]\.credentials: set exactly one secret/,
    },
    {
      given: 'a secret for nobody',
      text: () => broken('clientId: robot, ', ''),
      told: /a client secret needs a clientId/,
    },
    {
      given: 'two environments of one name',
      text: () => broken('- name: two', '- name: one'),
      told: /upgrades\.yml:6:9: environments\[1\]\.name: duplicate environment one/,
    },
    { given: 'no YAML', text: () => 'a: [', told: /upgrades\.yml is not valid YAML/ },
  ])('is refused with its line: $given', async ({ text, told }) => {
    cli.write('upgrades.yml', text());
    const error = await opened(file).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(told) });
    expect(String(error)).not.toContain('hunter2');
  });

  it('that is not there is an error', async () => {
    await expect(opened({ configFile: 'none.yml' })).rejects.toThrow('cannot read none.yml: ENOENT');
  });

  it.each([
    {
      given: 'a variable that is not set',
      login: '{ clientId: robot, clientSecretEnv: NOT_SET }',
      told: 'the environment variable NOT_SET is not set',
    },
    {
      given: 'a file that is not there',
      login: '{ clientId: robot, clientSecretFile: none }',
      told: 'cannot read the file none: ENOENT',
    },
  ])('takes one environment out of service, not the others: $given', async ({ login, told }) => {
    cli.write('upgrades.yml', configText(cli.sim).replace('{ clientId: robot, clientSecretEnv: OCM_SECRET }', login));
    const { code, stderr, organizations } = await planOf(file);
    expect([code, organizations.map(({ orgId }) => orgId)]).toEqual([1, ['two-a', 'two-b']]);
    expect(stderr).toContain(`error: one: ${told} [SECRET_NOT_FOUND]`);
  });

  it.each([
    { given: 'a file', login: '{ clientId: robot, clientSecretFile: secret }' },
    { given: 'a variable', login: '{ clientId: robot, clientSecretEnv: OCM_SECRET }' },
  ])('takes secrets from $given', async ({ login }) => {
    cli.write('secret', `${SIM_SECRET}\n`);
    cli.write(
      'upgrades.yml',
      configText(cli.sim).replaceAll('{ clientId: robot, clientSecretEnv: OCM_SECRET }', login),
    );
    expect(await planOf(file)).toMatchObject({ code: 0, organizations: SERVED.map((orgId) => ({ orgId })) });
  });

  it('logs in anew with a secret that was changed', async () => {
    cli.write('secret', 'an-old-secret');
    const login = '{ clientId: robot, clientSecretFile: secret }';
    cli.write(
      'upgrades.yml',
      configText(cli.sim).replaceAll('{ clientId: robot, clientSecretEnv: OCM_SECRET }', login),
    );
    const sources = await opened(file);
    const connect = async () => {
      const [site] = (await sources.load()).sites;
      return (await site?.connect())?.listVersionGates();
    };
    await expect(connect()).rejects.toMatchObject({ code: 'OCM_CREDENTIALS' });
    cli.write('secret', SIM_SECRET);
    expect((await connect())?.items).toHaveLength(1);
  });
});

describe('an instance', () => {
  const put = (path: string, text: string): void => {
    const file = join(cli.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const flags = (): SourceFlags => ({ data: 'instance', secretsDir: join(cli.folder, 'secrets'), state: 'state' });

  function organization(id: string, more = ''): void {
    const [environment] = id.split('-');
    put(
      `instance/data/ocm/${id}.yml`,
      `$schema: /openshift/openshift-cluster-manager-1.yml\nlabels: {}\nname: ocm-${id}\ndescription: x\norgId: ${id}\nenvironment: { $ref: /ocm/env/${environment}.yml }\n${more}`,
    );
  }

  beforeEach(() => {
    put(
      'instance/data/settings.yml',
      '$schema: /app-interface/app-interface-settings-1.yml\nname: test\nrepoUrl: https://example.com/data\nhashLength: 7\nvault: false\n',
    );
    for (const { name, url, tokenUrl, telemetryUrl } of cli.sim.environments.values()) {
      put(
        `instance/data/ocm/env/${name}.yml`,
        `$schema: /openshift/openshift-cluster-manager-environment-1.yml\nlabels: {}\nname: ${name}\ndescription: x\nurl: ${url}\naccessTokenClientId: robot\naccessTokenUrl: ${tokenUrl}\naccessTokenClientSecret: { path: ocm/${name}, field: client_secret }\ntelemeter: { $ref: /telemeter-${name}.yml }\n`,
      );
      put(
        `instance/data/telemeter-${name}.yml`,
        `$schema: /dependencies/prometheus-instance-1.yml\nlabels: {}\nname: telemeter-${name}\ndescription: x\nbaseUrl: ${telemetryUrl}\nqueryPath: /api/v1/query\nauth: { provider: oidc, accessTokenClientId: robot, accessTokenUrl: ${tokenUrl}, accessTokenClientSecret: { path: ocm/${name}, field: client_secret } }\n`,
      );
      put(`secrets/ocm/${name}/client_secret`, SIM_SECRET);
    }
    organization('one-a');
    organization('two-a', 'ausClusterHealthChecks: [{ provider: telemeter, enforced: true }]\n');
    organization('two-b', 'disable: { integrations: [advanced-upgrade-scheduler] }\n');
  });

  it('serves organizations that it registers and does not switch off', async () => {
    expect((await served(flags())).names).toEqual(['one ocm-one-a', 'two ocm-two-a']);
    const { code, organizations } = await planOf(flags());
    expect([code, organizations.map(({ name }) => name)]).toEqual([0, ['ocm-one-a', 'ocm-two-a']]);
  });

  it('is sharded by organization', async () => {
    expect((await served({ ...flags(), orgId: ['two-a'] })).names).toEqual(['two ocm-two-a']);
  });

  it('has alerts asked where an organization wants that', async () => {
    cli.sim.environments.get('two')?.world.setHealth('c-two-a', 'unhealthy');
    const { organizations } = await planOf(flags());
    expect(organizations.flatMap(({ clusters }) => clusters)).toMatchObject([
      { name: 'c-one-a', action: 'upgrade' },
      { name: 'c-two-a', action: 'wait', gate: 'health', reason: 'critical alerts are firing: 1' },
    ]);
  });

  it.each([
    { given: 'nothing', labels: '{}', asked: /ocm_subscription\{organization="two-a"\}/ },
    {
      given: 'the file of the Prometheus',
      labels: `{ healthQuery: 'down{organization="{organization}"}' }`,
      asked: /^down\{organization="two-a"\}$/,
    },
    {
      given: 'the flag, which wins',
      labels: `{ healthQuery: 'down{organization="{organization}"}' }`,
      flag: 'sick{account="{organization}"} > 1',
      asked: /^sick\{account="two-a"\} > 1$/,
    },
  ])('asks a Prometheus behind a bearer token, with the query of $given', async ({ labels, flag, asked }) => {
    const sample = { metric: { _id: 'c-two-a-uuid' }, value: [1, '2'] };
    const prometheus = await startLocalHttp(json(200, { data: { result: [sample] } }));
    try {
      put('secrets/telemeter/token', 'a-bearer-token');
      put(
        'instance/data/telemeter-two.yml',
        `$schema: /dependencies/prometheus-instance-1.yml\nlabels: ${labels}\nname: telemeter-two\ndescription: x\nbaseUrl: ${prometheus.url}/\nqueryPath: prom/query\nauth: { provider: bearer, token: { path: telemeter, field: token } }\n`,
      );
      const { organizations } = await planOf({ ...flags(), orgId: ['two-a'], ...defined({ healthQuery: flag }) });
      expect(organizations.flatMap(({ clusters }) => clusters)).toMatchObject([
        { name: 'c-two-a', gate: 'health', reason: 'critical alerts are firing: 2' },
      ]);
      expect(prometheus.seen).toMatchObject([
        {
          path: '/prom/query',
          query: { query: expect.stringMatching(asked) },
          headers: { authorization: 'Bearer a-bearer-token' },
        },
      ]);
    } finally {
      await prometheus.close();
    }
  });

  it('whose alerts cannot be asked for lets nobody of that organization be upgraded, and tells no user', async () => {
    cli.sim.addFault({ path: '/telemeter/*', probability: 1, effect: { kind: 'status', status: 404 } });
    const { code, stderr, organizations } = await planOf(flags());
    expect(code).toBe(1);
    expect(organizations.flatMap(({ clusters }) => clusters)).toMatchObject([
      { name: 'c-one-a', action: 'upgrade' },
      { name: 'c-two-a', gate: 'health', reason: 'the health check telemeter could not be queried' },
    ]);
    expect(stderr).toContain('error: two/ocm-two-a (two-a): the health check telemeter: http://127.0.0.1:');
  });

  it('whose secret for an organization is missing leaves that organization out, and no other', async () => {
    const { tokenUrl = '' } = cli.sim.environments.get('one') ?? {};
    organization(
      'one-b',
      `accessTokenClientId: own\naccessTokenUrl: ${tokenUrl}\naccessTokenClientSecret: { path: ocm/own, field: client_secret }\n`,
    );
    const { code, stderr, organizations } = await planOf(flags());
    expect(code).toBe(1);
    expect(stderr).toContain('error: one/ocm-one-b (one-b): the secret ocm/own, field client_secret, is not in');
    expect(organizations.map(({ name, clusters }) => [name, clusters.length])).toEqual([
      ['ocm-one-a', 1],
      ['ocm-one-b', 0],
      ['ocm-two-a', 1],
    ]);
  });

  it('that changes is read again', async () => {
    const { sources } = await served(flags());
    organization('one-b');
    const { sites } = await sources.load();
    expect(sites[0]?.serves('one-b')?.name).toBe('ocm-one-b');
  });
});

describe('where histories are kept', () => {
  it.each([
    { given: 'the flag', flag: 'here', env: { ECHELON_STATE: 'there' }, name: /\/here$/ },
    { given: 'the variable', flag: undefined, env: { ECHELON_STATE: 'there' }, name: /\/there$/ },
    { given: 'a bucket', flag: 's3://bucket/some/where', env: {}, name: /^s3:\/\/bucket\/some\/where/ },
    { given: 'a bucket alone', flag: 's3://bucket', env: {}, name: /^s3:\/\/bucket\/state/ },
    {
      given: 'the bucket of the existing tools',
      flag: undefined,
      env: { APP_INTERFACE_STATE_BUCKET: 'b', APP_INTERFACE_STATE_BUCKET_REGION: 'us-east-1' },
      name: /^s3:\/\/b\/state/,
    },
    { given: 'nothing', flag: undefined, env: {}, name: /\.local\/state\/echelon$/ },
  ])('is told by $given', ({ flag, env, name }) => {
    expect(openState({ ...cli.io, env: { HOME: cli.folder, ...env } }, flag).name).toMatch(name);
  });

  it('is refused where it is no place', () => {
    expect(() => openState(cli.io, 's3://')).toThrow(expect.objectContaining({ code: 'FLAG_INVALID' }));
  });
});
