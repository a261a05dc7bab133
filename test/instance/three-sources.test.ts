import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, validate } from 'graphql';
import { load } from 'js-yaml';
import { afterEach, describe, expect, it } from 'vitest';
import { describeWorkingTree } from '../../src/clients/git/index.ts';
import { qontractClient } from '../../src/clients/qontract-server/index.ts';
import { type Instance, openInstance, readInstance } from '../../src/instance/index.ts';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { copyInstance } from '../support/instance-copy.ts';
import { readConfs } from '../support/qontract-confs.ts';
import { buildQontractSchema } from '../support/qontract-schema.ts';
import { type QontractServer, startQontractServer } from '../support/qontract-server.ts';
import { EXAMPLE_INSTANCE as EXAMPLE, GRAPHQL_SCHEMA as GRAPHQL, hasShared, SCHEMAS } from '../support/shared.ts';

const TOKEN = 'Basic c2VjcmV0OnNlY3JldA==';

/** The domain alone: what was read, not where from. */
async function read(name: string, waits: number[] = []): Promise<Omit<Instance, 'snapshot'>> {
  const { snapshot, ...domain } = readInstance(await sourceOf(name, waits).load());
  expect(snapshot.problems).toEqual([]);
  return domain;
}

function sourceOf(name: string, waits: number[] = []) {
  return openInstance(name, {
    workingTree: { describe: describeWorkingTree },
    server: (url) =>
      qontractClient({
        url,
        token: TOKEN,
        clock: {
          now: () => new Date(),
          sleep: async (milliseconds) => {
            waits.push(milliseconds);
          },
        },
      }),
  });
}

describe.skipIf(!hasShared)('an instance is the same whichever way it is read', () => {
  let server: QontractServer | undefined;
  const folders: string[] = [];

  afterEach(async () => {
    await server?.close();
    server = undefined;
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  const bundle = (): string => bundleText(buildBundle(EXAMPLE, { schemasDir: SCHEMAS, graphqlFile: GRAPHQL }));

  const bundleFile = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'echelon-bundle-'));
    folders.push(folder);
    writeFileSync(join(folder, 'data.json'), bundle());
    return join(folder, 'data.json');
  };

  it('as a directory and as a bundle', async () => {
    expect(await read(bundleFile())).toEqual(await read(EXAMPLE));
  });

  it('as a directory and through a server', async () => {
    server = await startQontractServer({ bundle: bundle(), token: TOKEN });
    const domain = await read(`${server.url}/graphql`);
    expect(domain).toEqual(await read(EXAMPLE));
    expect(domain.integrations.length).toBeGreaterThanOrEqual(12);
  });

  it.each([
    { given: 'with a file of rollouts', text: 'tracks: [] # ü\n' },
    { given: 'without one', text: undefined },
  ])('$given, in a directory, a bundle and a server', async ({ text }) => {
    const copy = copyInstance();
    folders.push(copy.root);
    if (text !== undefined) copy.write('resources/echelon/rollouts.yml', text);
    const content = bundleText(buildBundle(copy.root, { schemasDir: SCHEMAS, graphqlFile: GRAPHQL }));
    copy.write('bundle.json', content);
    server = await startQontractServer({ bundle: content, token: TOKEN });
    const manager = ['/echelon/manager.yml', copy.text('resources/echelon/manager.yml')];
    const expected = text === undefined ? [manager] : [manager, ['/echelon/rollouts.yml', text]];
    for (const name of [copy.root, copy.path('bundle.json'), `${server.url}/graphql`]) {
      const { echelonFiles } = await sourceOf(name).load();
      expect([...echelonFiles].sort()).toEqual(expected);
    }
  });

  it('with every query of a run sent to one bundle, with the token as it is', async () => {
    server = await startQontractServer({ bundle: bundle(), token: TOKEN });
    await read(server.url);
    const queries = server.requests.filter(({ method }) => method === 'POST');
    expect(new Set(queries.map(({ path }) => path))).toEqual(new Set([`/graphqlsha/${server.sha256}`]));
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set([TOKEN]));
  });

  it('with queries that are valid for the published types', async () => {
    server = await startQontractServer({ bundle: bundle(), token: TOKEN });
    await read(server.url);
    const schema = buildQontractSchema(readConfs(load(readFileSync(GRAPHQL, 'utf8'))));
    const queries = server.requests
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => (JSON.parse(body) as { query: string }).query);
    expect(queries.length).toBeGreaterThan(10);
    for (const query of queries) expect(validate(schema, parse(query))).toEqual([]);
  });

  it('when a replica does not know the newest bundle yet, by reading the sha again', async () => {
    let unknown = 3;
    server = await startQontractServer({
      bundle: bundle(),
      token: TOKEN,
      intercept: ({ path }) => {
        if (!path.startsWith('/graphqlsha/') || unknown === 0) return undefined;
        unknown -= 1;
        return { status: 404, body: '<html>Cannot POST</html>' };
      },
    });
    const waits: number[] = [];
    expect(await read(server.url, waits)).toEqual(await read(EXAMPLE));
    expect(waits).toHaveLength(3);
  });

  it('when the bundle changes in the middle of a run, from the new one only', async () => {
    let swapped = false;
    const first = bundle();
    const second = first.replaceAll('terraform-users', 'terraform-people');
    const started = await startQontractServer({
      bundle: first,
      token: TOKEN,
      intercept: ({ body }) => {
        if (swapped || !body.includes('clusters_v1')) return undefined;
        swapped = true;
        const old = started.sha256;
        started.reload(second);
        started.forget(old);
        return undefined;
      },
    });
    server = started;
    const { integrations } = await read(server.url);
    expect(integrations.map(({ name }) => name)).toContain('terraform-people');
    expect(integrations.map(({ name }) => name)).not.toContain('terraform-users');
  });

  it('never, with a clear error, when the replicas do not agree', async () => {
    server = await startQontractServer({ bundle: bundle(), token: TOKEN });
    server.forget(server.sha256);
    await expect(read(server.url)).rejects.toMatchObject({ code: 'SERVER_BUNDLE_UNKNOWN' });
  });

  it('from a server that lacks fields and roots which others have', async () => {
    const older = bundle().replaceAll('"name":"govSlack","type":"boolean"', '"name":"notYetKnown","type":"boolean"');
    server = await startQontractServer({ bundle: older, token: TOKEN });
    const { integrations } = await read(server.url);
    expect(integrations.some(({ managed }) => managed.some(({ spec }) => spec.logs?.govSlack !== undefined))).toBe(
      false,
    );
    expect(integrations).toHaveLength((await read(EXAMPLE)).integrations.length);
  });
});
