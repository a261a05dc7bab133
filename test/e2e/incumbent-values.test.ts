import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, buildBundle, bundleText } from '../support/build-bundle.ts';
import { incumbentLines, incumbentMissing, incumbentPython } from '../support/incumbent.ts';
import { confsOfRelease } from '../support/incumbent-types.ts';
import { type QontractServer, startQontractServer } from '../support/qontract-server.ts';
import { randomInstances } from '../support/random-instance.ts';
import { runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE, GRAPHQL_SCHEMA, hasShared, REPO } from '../support/shared.ts';
import {
  type EntryProblem,
  NAMED_ROWS,
  stoppedBy,
  type ValuesByNamespace,
  type ValuesDifference,
  valuesDifferences,
} from '../support/values-differences.ts';

const INSTANCES = 100;
const SEED = 15;

/** The rows of docs/differences.md, by their first column. */
const ROWS = new Set(
  [...readFileSync(join(REPO, 'docs/differences.md'), 'utf8').matchAll(/^\| (.+?) \|/gm)].map(([, subject]) => subject),
);

const EXAMPLE = 'the example instance';

interface Answer {
  readonly values?: ValuesByNamespace;
  readonly error?: string;
}

interface IntegrationFile {
  readonly managed?: readonly { readonly namespace: { readonly $ref: string } }[];
}

/** `data/integrations/x.yml: error: … [rule]`, and below it `at managed[1]. …`. */
function problemsIn(printed: string, data: Readonly<Record<string, IntegrationFile>>): EntryProblem[] {
  const problems = printed.matchAll(/^data(\/integrations\/([\w-]+)\.ya?ml).*\[([\w-]+)\]\n +at managed\[(\d+)\]/gm);
  return [...problems].map(([, file = '', integration = '', rule = '', entry]) => ({
    ...{ integration, rule },
    namespace: data[file]?.managed?.[Number(entry)]?.namespace.$ref ?? '',
  }));
}

const missing = incumbentMissing() ?? (hasShared ? undefined : 'the GraphQL types are required');

describe.skipIf(missing !== undefined)(`the published manager${missing === undefined ? '' : `: ${missing}`}`, () => {
  let server: QontractServer;
  const folder = mkdtempSync(join(tmpdir(), 'echelon-values-'));
  const bundles = new Map<string, Bundle>();
  const differences = new Map<string, ValuesDifference[]>();
  const seen = { namespaces: 0, shards: 0 };

  beforeAll(async () => {
    bundles.set(EXAMPLE, buildBundle(EXAMPLE_INSTANCE, { graphqlFile: GRAPHQL_SCHEMA }));
    for (const [number, data] of randomInstances(INSTANCES, SEED).entries()) {
      bundles.set(`random instance ${number}`, {
        ...{ data: data as Bundle['data'], resources: {}, schemas: {}, graphql: [], git_commit: 'c' },
        git_commit_timestamp: '0',
      });
    }
    const texts = [...bundles.values()].map((bundle) => bundleText(bundle));
    server = await startQontractServer({ bundle: texts[0] ?? '', graphqlConfs: confsOfRelease() });
    const urls = texts.map((text) => `${server.url}/graphqlsha/${server.reload(text)}`);
    const answers = (await incumbentLines(await incumbentPython(), ['values.py'], urls)) as Answer[];
    for (const [at, name] of [...bundles.keys()].entries()) {
      differences.set(name, await compared(texts[at] ?? '', answers[at] ?? {}));
    }
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function compared(bundle: string, { values, error = '' }: Answer): Promise<ValuesDifference[]> {
    const file = join(folder, 'bundle.json');
    writeFileSync(file, bundle);
    const { data } = JSON.parse(bundle) as { data: Record<string, IntegrationFile> };
    const { stdout, stderr } = await runCli(['manager', 'values', '--data', file, '-o', 'json']);
    if (values === undefined) return [stoppedBy(error)];
    const { items = [] } = (stdout === '' ? {} : JSON.parse(stdout)) as { items?: { file: string; values: object }[] };
    seen.namespaces += items.length;
    seen.shards += JSON.stringify(items).split('"shard_name_suffix"').length - 1;
    const ours = Object.fromEntries(items.map((item) => [item.file, item.values])) as ValuesByNamespace;
    return valuesDifferences(ours, values, problemsIn(stderr, data));
  }

  it(`has the values of Echelon for ${EXAMPLE} and ${INSTANCES} random ones, but for what docs/differences.md names`, () => {
    const unnamed = [...differences].flatMap(([instance, all]) =>
      all.filter(({ row }) => row === undefined || !ROWS.has(row)).map((one) => ({ instance, ...one })),
    );
    expect(unnamed.slice(0, 3)).toEqual([]);
  });

  it('is compared on instances that show each of the named differences, and much that is the same', () => {
    const used = new Set([...differences.values()].flat().map(({ row }) => row));
    expect([...used].sort()).toEqual([...NAMED_ROWS].sort());
    expect(seen.namespaces).toBeGreaterThan(INSTANCES);
    expect(seen.shards).toBeGreaterThan(3 * INSTANCES);
    expect(
      [...differences.values()].filter((all) => all.some(({ place }) => place === 'the whole instance')).length,
    ).toBeLessThan(INSTANCES / 5);
  });
});
