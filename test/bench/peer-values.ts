import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openInstance, readInstance } from '../../src/instance/index.ts';
import { selectWorkloads } from '../../src/manager/desired/select.ts';
import { valuesOf } from '../../src/manager/desired/values.ts';
import { buildBundle, bundleText } from '../support/build-bundle.ts';
import { incumbentLines, incumbentPython } from '../support/incumbent.ts';
import { confsOfRelease } from '../support/incumbent-types.ts';
import { startQontractServer } from '../support/qontract-server.ts';
import { GRAPHQL_SCHEMA } from '../support/shared.ts';
import { type ValuesByNamespace, valuesDifferences } from '../support/values-differences.ts';
import { generateShards } from './generate-shards.ts';
import { median } from './measure.ts';

/**
 * The Helm values of so many shards, beside the functions of the published manager on the same data: in both from parsed data
 * in memory (datafiles here, the server's answers there) to the values document, in the process, after imports and a warm-up.
 * Both documents must be the same, but for what docs/differences.md names. Prints JSON.
 */
const SHARDS = Number(process.argv[2] ?? 1_000);
const RUNS = 15;
const folder = mkdtempSync(join(tmpdir(), 'echelon-values-'));

async function echelon(): Promise<{ readonly values: ValuesByNamespace; readonly milliseconds: number }> {
  const nothing = {
    workingTree: { describe: async () => undefined },
    server: () => {
      throw new Error('not a server');
    },
  };
  const snapshot = await openInstance(folder, nothing).load();
  const times: number[] = [];
  let values: ValuesByNamespace = {};
  for (let run = 0; run < RUNS; run += 1) {
    const started = performance.now();
    const { groups } = selectWorkloads(readInstance(snapshot), {});
    values = Object.fromEntries(
      groups.map((group) => [
        group.namespace.file,
        { ...valuesOf(group, { environment: group.namespace.environment.parameters, process: {}, flags: new Map() }) },
      ]),
    );
    times.push(performance.now() - started);
  }
  return {
    values: JSON.parse(JSON.stringify(values)) as ValuesByNamespace,
    milliseconds: median(times.slice(RUNS / 3)),
  };
}

async function incumbent(): Promise<{ readonly values: ValuesByNamespace; readonly milliseconds: number }> {
  const bundle = bundleText(buildBundle(folder, { graphqlFile: GRAPHQL_SCHEMA }));
  const server = await startQontractServer({ bundle, graphqlConfs: confsOfRelease() });
  try {
    const url = `${server.url}/graphqlsha/${server.sha256}`;
    const [answer] = await incumbentLines(await incumbentPython(), ['values.py', `--times=${RUNS}`], [url]);
    const { error } = answer as { error?: string };
    if (error !== undefined) throw new Error(error);
    return answer as Awaited<ReturnType<typeof incumbent>>;
  } finally {
    await server.close();
  }
}

try {
  generateShards(folder, SHARDS);
  const [ours, theirs] = [await echelon(), await incumbent()];
  const unnamed = valuesDifferences(ours.values, theirs.values, []).filter(({ row }) => row === undefined);
  if (unnamed.length > 0) throw new Error(`other values: ${JSON.stringify(unnamed[0]).slice(0, 500)}`);
  const shards = JSON.stringify(theirs.values).split('"shard_name_suffix"').length - 1;
  console.log(JSON.stringify({ echelon: ours.milliseconds, incumbent: theirs.milliseconds, shards }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
