import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defined } from '../../src/base/index.ts';
import { readConfig } from '../../src/cli/instance.ts';
import type { Io } from '../../src/cli/io.ts';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { type QontractServer, startQontractServer } from '../support/qontract-server.ts';
import { type RunOptions, runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

/** Enough of the types of a qontract-server to list integrations. */
const CONFS = [
  {
    name: 'Integration_v1',
    datafile: '/app-sre/integration-1.yml',
    fields: [
      { name: 'path', type: 'string', isRequired: true },
      { name: 'schema', type: 'string', isRequired: true },
      { name: 'name', type: 'string', isRequired: true },
      { name: 'description', type: 'string', isRequired: true },
      { name: 'schemas', type: 'string', isList: true, isRequired: true },
    ],
  },
  {
    name: 'Query',
    fields: [
      {
        name: 'integrations_v1',
        type: 'Integration_v1',
        isList: true,
        datafileSchema: '/app-sre/integration-1.yml',
      },
    ],
  },
];

let folder: string;
const servers: QontractServer[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-config-'));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  rmSync(folder, { recursive: true });
});

async function serve(token?: string): Promise<QontractServer> {
  const bundle = bundleText(buildBundle(EXAMPLE_INSTANCE));
  const server = await startQontractServer({ bundle, graphqlConfs: CONFS, ...defined({ token }) });
  servers.push(server);
  return server;
}

/** An instance with one cluster, named as its folder. */
function instance(name: string): string {
  mkdirSync(join(folder, name, 'data'), { recursive: true });
  const cluster = `$schema: /openshift/cluster-1.yml\nname: ${name}\nserverUrl: https://api.example.com\n`;
  writeFileSync(join(folder, name, 'data/cluster.yml'), cluster);
  return join(folder, name);
}

function config(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

async function clusterOf(args: readonly string[], options: RunOptions): Promise<string> {
  const { stdout, stderr } = await runCli(['get', 'clusters', '-o', 'name', ...args], options);
  return (stdout || stderr).trim();
}

describe('which instance is read', () => {
  it.each([
    { given: 'everything', flag: true, env: true, server: true, wins: 'cluster/flag' },
    { given: 'the environment and a configuration', flag: false, env: true, server: true, wins: 'cluster/env' },
    { given: 'only the current folder', flag: false, env: false, server: false, wins: 'cluster/cwd' },
  ])('with $given: $wins', async ({ flag, env, server, wins }) => {
    const file = config('config.toml', '[graphql]\nserver = "http://127.0.0.1:1/graphql"\n');
    const options = {
      cwd: instance('cwd'),
      env: { ...(env ? { ECHELON_DATA: instance('env') } : {}), ...(server ? { ECHELON_CONFIG: file } : {}) },
    };
    expect(await clusterOf(flag ? ['--data', instance('flag')] : [], options)).toBe(wins);
  });

  it('the server of the configuration comes before the current folder', async () => {
    const { url, sha256 } = await serve();
    const file = config('config.toml', `[graphql]\nserver = "${url}/graphql"\n`);
    const options = { cwd: instance('cwd'), env: { ECHELON_CONFIG: file } };
    const { stdout } = await runCli(['get', 'integrations', 'ldap-users', '-o', 'json'], options);
    expect(JSON.parse(stdout)).toMatchObject({ revision: sha256.slice(0, 12), items: [{ name: 'ldap-users' }] });
  });

  it('an empty ECHELON_DATA is none', async () => {
    expect(await clusterOf([], { cwd: instance('cwd'), env: { ECHELON_DATA: '' } })).toBe('cluster/cwd');
  });

  it('paths are taken from the current folder', async () => {
    instance('near');
    expect(await clusterOf(['--data', 'near'], { cwd: folder })).toBe('cluster/near');
  });
});

describe('which configuration is read', () => {
  it.each([
    { given: '--config', flag: 'a', env: { ECHELON_CONFIG: 'b', QONTRACT_CONFIG: 'c' }, wins: 'a' },
    { given: 'ECHELON_CONFIG', env: { ECHELON_CONFIG: 'b', QONTRACT_CONFIG: 'c' }, wins: 'b' },
    { given: 'QONTRACT_CONFIG', env: { QONTRACT_CONFIG: 'c' }, wins: 'c' },
    {
      given: 'an empty ECHELON_CONFIG and QONTRACT_CONFIG',
      env: { ECHELON_CONFIG: '', QONTRACT_CONFIG: 'c' },
      wins: 'c',
    },
  ])('with $given', async ({ flag, env, wins }) => {
    for (const name of ['a', 'b', 'c']) config(`${name}.toml`, `graphql.server = { ${name} = 1 }\n`);
    const named = Object.entries(env).map(([key, name]) => [key, name && join(folder, `${name}.toml`)]);
    const args = flag === undefined ? [] : ['--config', join(folder, `${flag}.toml`)];
    const { stderr } = await runCli(['validate', ...args], { env: Object.fromEntries(named) });
    expect(stderr).toContain(`error: ${join(folder, `${wins}.toml`)}: graphql.server must be text\n`);
  });
});

describe('a configuration that cannot be used', () => {
  const HINT = 'pass a config.toml with [graphql] server and token with --config, ECHELON_CONFIG or QONTRACT_CONFIG';
  it.each([
    {
      given: 'broken TOML',
      text: '[graphql\nserver = "x"\n',
      says: 'broken.toml is not valid TOML: Invalid TOML document',
    },
    { given: 'a token that is a number', text: 'graphql.token = 5\n', says: 'broken.toml: graphql.token must be text' },
    {
      given: 'a server that is a list',
      text: 'graphql.server = []\n',
      says: 'broken.toml: graphql.server must be text',
    },
    { given: 'no file', text: undefined, says: 'cannot read configuration file broken.toml: ENOENT' },
  ])('$given is one error', async ({ text, says }) => {
    if (text !== undefined) config('broken.toml', text);
    const { code, stdout, stderr } = await runCli(['validate', '--config', 'broken.toml'], { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      expect.stringContaining(`error: ${says}`),
      ' code: CONFIG_INVALID',
      ` hint: ${HINT}`,
      '',
    ]);
  });

  it('does not show its token', async () => {
    config('broken.toml', '[graphql]\ntoken = "Basic s3cr3t\nserver = "x"\n');
    const { stdout, stderr } = await runCli(['validate', '--config', 'broken.toml', '--debug'], { cwd: folder });
    expect(stderr).toContain('CONFIG_INVALID');
    expect(stdout + stderr).not.toContain('s3cr3t');
  });

  it('does not have its lines in the cause of the error, which a pod logs', async () => {
    config('broken.toml', '[vault]\nsecret_id = "s3cr3t\nserver = "x"\n');
    const io = { env: {}, cwd: folder } as unknown as Io;
    const thrown = await readConfig(io, 'broken.toml').catch((reason: unknown) => reason);
    expect(thrown).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(inspect(thrown)).not.toContain('s3cr3t');
  });
});

describe('the token', () => {
  const TOKEN = 'Basic czNjcjN0OnMzY3IzdA==';
  const sent = ({ requests }: QontractServer) => [...new Set(requests.map(({ authorization }) => authorization))];

  it.each([
    { given: 'the server of the configuration', env: {}, receives: TOKEN },
    { given: 'ECHELON_GRAPHQL_TOKEN', env: { ECHELON_GRAPHQL_TOKEN: 'Bearer 0ther' }, receives: 'Bearer 0ther' },
    { given: 'an empty ECHELON_GRAPHQL_TOKEN', env: { ECHELON_GRAPHQL_TOKEN: '' }, receives: TOKEN },
  ])('with $given the server receives $receives', async ({ env, receives }) => {
    const server = await serve(receives);
    const file = config('config.toml', `[graphql]\nserver = "${server.url}/graphql"\ntoken = "${TOKEN}"\n`);
    const { code, stdout, stderr } = await runCli(['get', 'integrations', '--config', file, '-o', 'json'], { env });
    expect({ code, sent: sent(server) }).toEqual({ code: 0, sent: [receives] });
    expect(stdout + stderr).not.toContain(receives);
  });

  it.each([{ flag: true }, { flag: false }])('goes to no other server (named by --data: $flag)', async ({ flag }) => {
    const [own, other] = [await serve(TOKEN), await serve()];
    const file = config('config.toml', `[graphql]\nserver = "${own.url}/graphql"\ntoken = "${TOKEN}"\n`);
    const args = ['get', 'integrations', '-o', 'name', ...(flag ? ['--data', other.url] : [])];
    const env = { ECHELON_CONFIG: file, ...(flag ? {} : { ECHELON_DATA: other.url }) };
    const { code } = await runCli(args, { env });
    expect({ code, own: own.requests.length, other: sent(other) }).toEqual({ code: 0, own: 0, other: [undefined] });
  });

  it.each([
    { given: 'a token that is refused', token: TOKEN, login: '' },
    { given: 'a login in the address that is refused', token: undefined, login: 'me:s3cr3t@' },
  ])('$given is not shown, with a stack or without', async ({ token, login }) => {
    const server = await serve('something else');
    const data = server.url.replace('http://', `http://${login}`);
    const env = token === undefined ? {} : { ECHELON_GRAPHQL_TOKEN: token };
    const { code, stdout, stderr } = await runCli(['validate', '--debug', '--data', data], { env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`error: ${server.url} returned 401: credentials rejected\n code: SERVER_`);
    expect(stderr).not.toMatch(/s3cr3t|czNjcjN0/);
  });
});
