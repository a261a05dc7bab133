import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dump } from 'js-yaml';
import { rolldown } from 'rolldown';
import { joining } from '../../scripts/release/joining.ts';
import { mapLimited } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/manager/desired/desired-namespace.ts';
import { memoryCache } from '../../src/manager/index.ts';
import { KINDS } from '../../src/manager/plan/plan-item.ts';
import { imageStart } from '../support/image-start.ts';
import { startRealKube } from '../support/real-kube.ts';
import { testHelm } from '../support/render-chart.ts';
import { benchPass, CONCURRENCY, clientOf, NAMESPACE, renderInto } from './cluster-parts.ts';
import { completedPass } from './completed-rollout.ts';
import { generateShards } from './generate-shards.ts';
import { median } from './measure.ts';

/**
 * A fleet of so many shards on a real API server: first install and converged passes, each beside the bare requests that it
 * cannot do without, and the same work done by kubectl and by helm. Prints one line of JSON.
 */
const SHARDS = Number(process.argv[2] ?? 1_000);
const ROUNDS = 7;
/** The difference is a few percent of a pass, and passes vary by more. */
const ROLLOUT_ROUNDS = 36;
const INSTALLS = 3;
const PASSES = Number(process.argv[3] ?? 1_000);
const REPO = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'echelon-converge-'));
const instance = join(folder, 'instance');
const cache = memoryCache();
const run = promisify(execFile);

generateShards(instance, SHARDS);
// Rendering is measured elsewhere: it is done while the servers start.
const preparing = Promise.all([joinedLoop(), renderInto(cache, instance)]);
const kube = await startRealKube({ controllerManager: false, audit: false });

async function timed(act: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

/** The objects that are there now, as they were applied, for another namespace. */
async function objectsFor(namespace: string): Promise<KubeObject[]> {
  const client = clientOf(server);
  const lists = await Promise.all(KINDS.map((kind) => client.list(kind, { namespace: NAMESPACE })));
  client.close();
  return lists.flat().map(({ apiVersion, kind, metadata, spec }) => {
    const { clusterIP: _a, clusterIPs: _b, ...rest } = spec as Record<string, unknown>;
    const { labels, annotations } = metadata as { labels?: object; annotations?: object };
    return { apiVersion, kind, metadata: { name: metadata.name, namespace, labels, annotations }, spec: rest };
  });
}

/** Removes what was installed in a namespace, so that it can be installed again. */
async function emptied(namespace: string): Promise<void> {
  for (const kind of KINDS) {
    const group = kind === 'Service' ? '/api/v1' : kind === 'CronJob' ? '/apis/batch/v1' : '/apis/apps/v1';
    const path = `${group}/namespaces/${namespace}/${kind.toLowerCase()}s`;
    const { status } = await kube.admin('DELETE', path);
    if (status !== 200) throw new Error(`${path}: ${status}`);
  }
  const client = clientOf(server);
  const left = await Promise.all(KINDS.map((kind) => client.list(kind, { namespace })));
  client.close();
  if (left.flat().length > 0) throw new Error(`${left.flat().length} objects are left in ${namespace}`);
}

/** The program of the loop, as the image and the package have it: joined. */
async function joinedLoop(): Promise<string> {
  const dist = join(REPO, '.cache/bench/dist');
  await run(join(REPO, 'node_modules/.bin/tsc'), ['-p', join(REPO, 'tsconfig.bench.json'), '--outDir', dist]);
  cpSync(join(REPO, 'charts'), join(dist, 'charts'), { recursive: true });
  cpSync(join(REPO, 'package.json'), join(dist, 'package.json'));
  const program = join(dist, 'program');
  const bundle = await rolldown(joining({ input: join(dist, 'test/bench/loop-memory.js'), built: dist, program }));
  await bundle.write({ dir: program, format: 'esm', chunkFileNames: '[name].js' });
  return join(program, 'loop-memory.js');
}

/** The memory of the loop, started as deploy/Containerfile does. */
async function measureLoop(program: string): Promise<Record<string, number>> {
  const args = [instance, kube.server, Buffer.from(kube.ca).toString('base64'), kube.adminToken];
  const { flags, env } = imageStart(REPO);
  const { stdout } = await run(process.execPath, [...flags, program, ...args, String(PASSES)], {
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout) as Record<string, number>;
}

/** The objects as the templates of a chart. */
async function writeChart(chart: string): Promise<void> {
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), dump({ apiVersion: 'v2', name: 'bench', version: '0.1.0' }));
  // Helm takes no file of a chart beyond 5 MiB.
  for (const [index, object] of (await objectsFor('helm')).entries()) {
    writeFileSync(join(chart, `templates/${index}.yaml`), dump(object).replaceAll('{{', '{{ "{{" }}'));
  }
}

const server = { server: kube.server, ca: kube.ca, token: kube.adminToken };
try {
  const [program] = await preparing;
  for (const namespace of [NAMESPACE, 'bare', 'kubectl', 'helm', 'warm']) await kube.createNamespace(namespace);
  const client = clientOf(server);
  const warm = await benchPass(instance, client, { cache });
  const { code: first } = await warm.pass();
  if (first !== 0) throw new Error('the first pass failed');
  const bareObjects = await objectsFor('bare');
  const bare = clientOf(server);
  const shares: number[] = [];
  const installs: number[] = [];
  const bareInstalls: number[] = [];
  // In turns: one run of a few seconds, against a server that grows, varies by more than the limit leaves.
  for (let round = 0; round < INSTALLS; round += 1) {
    await emptied('bare');
    const bareInstall = await timed(() =>
      mapLimited(bareObjects, CONCURRENCY, (object) => bare.apply(object, { force: false })),
    );
    await emptied(NAMESPACE);
    const install = await timed(async () => {
      const { code } = await warm.pass();
      if (code !== 0) throw new Error('the install failed');
    });
    shares.push(bareInstall / install);
    installs.push(install);
    bareInstalls.push(bareInstall);
  }
  const writesBefore = warm.writes();
  const lists: { readonly list: number; readonly pass: number }[] = [];
  const rolledOut = await completedPass(instance, client, kube, cache);
  const rolloutWrites = rolledOut.writes();
  const rolloutTimes: { readonly withRollouts: number; readonly without: number }[] = [];
  for (let round = 0; round < ROLLOUT_ROUNDS; round += 1) {
    // Who comes second pays for what the first left behind: they take turns.
    const [first, second] = round % 2 === 0 ? [warm, rolledOut] : [rolledOut, warm];
    const list =
      first === warm && lists.length < ROUNDS
        ? await timed(() => Promise.all(KINDS.map((kind) => bare.list(kind, { namespace: NAMESPACE }))))
        : undefined;
    const times = new Map([
      [first, await timed(() => first.pass())],
      [second, await timed(() => second.pass())],
    ]);
    const [withRollouts = 0, without = 0] = [times.get(rolledOut), times.get(warm)];
    rolloutTimes.push({ withRollouts, without });
    if (list !== undefined) lists.push({ list, pass: without });
  }
  const chart = join(folder, 'chart');
  const [loop] = await Promise.all([measureLoop(program), writeChart(chart)]);
  const kubeconfig = kube.kubeconfig();
  const { kubectl } = kube.binaries;
  const manifests = join(folder, 'all.json');
  writeFileSync(manifests, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: await objectsFor('kubectl') }));
  const apply = ['--kubeconfig', kubeconfig, 'apply', '--server-side', '-f', manifests];
  const kubectlInstall =
    kubectl === undefined ? undefined : await timed(() => execFileSync(kubectl, apply, { stdio: 'ignore' }));
  const kubectlAgain =
    kubectl === undefined ? undefined : await timed(() => execFileSync(kubectl, apply, { stdio: 'ignore' }));
  const upgrade = ['upgrade', '--install', 'bench', chart, '-n', 'helm', '--kubeconfig', kubeconfig];
  const helm = await testHelm();
  const env = { ...process.env, HOME: folder };
  const helmInstall = await timed(() => execFileSync(helm, upgrade, { stdio: ['ignore', 'ignore', 'inherit'], env }));
  console.log(
    JSON.stringify({
      objects: bareObjects.length,
      convergedWrites: warm.writes() - writesBefore + rolledOut.writes() - rolloutWrites,
      rolloutRatio: median(rolloutTimes.map(({ withRollouts, without }) => withRollouts / without)),
      rolledOut: median(rolloutTimes.map(({ withRollouts }) => withRollouts)),
      withoutRollouts: median(rolloutTimes.map(({ without }) => without)),
      share: median(shares),
      install: median(installs),
      bareInstall: median(bareInstalls),
      converged: median(lists.map(({ pass }) => pass)),
      lists: median(lists.map(({ list }) => list)),
      ratio: median(lists.map(({ pass, list }) => pass / list)),
      kubectlInstall,
      kubectlAgain,
      helmInstall,
      loopEarly: loop['early'],
      loopLate: loop['late'],
      loopPeak: loop['peak'],
      loopWrites: loop['writes'],
    }),
  );
  client.close();
  bare.close();
} finally {
  await kube.close();
  rmSync(folder, { recursive: true, force: true });
}
