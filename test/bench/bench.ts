import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateInstance } from './generate-instance.ts';
import { generateShards } from './generate-shards.ts';
import { HOSTILE_NAMES, writeHostile } from './hostile-files.ts';
import { dependencyBytes } from './installed-size.ts';
import { median, ratioInTurns, runScript, type Sample, timeCommand } from './measure.ts';

/** Measures Echelon against stated limits, each as a ratio to a baseline of the same run. Exits 1 over a limit. */
interface Result {
  readonly what: string;
  readonly measured: string;
  readonly limit?: string;
  readonly ok: boolean;
}

const REPO = join(import.meta.dirname, '../..');
const SCHEMAS = join(REPO, '../shared/contracts/qontract/schemas');
const FILES = 5_000;
const SHARDS = 1_000;
const ROUNDS = 5;
const STARTS = 15;
const PASSES = 60;
const LONG_PASSES = 1_000;

const here = (script: string): string => join(import.meta.dirname, script);
const MIB = 1024 * 1024;

function ratio(what: string, measured: number, limit: number): Result {
  return { what, measured: measured.toPrecision(3), limit: `≤ ${limit}`, ok: measured <= limit };
}

function benchInstance(folder: string): Result[] {
  const files = generateInstance(join(REPO, 'examples/instance'), folder, FILES);
  const results: Result[] = [];
  let last: Sample | undefined;
  const measure = (name: string, limit: number, ...args: string[]): void => {
    const found = ratioInTurns(
      ROUNDS,
      () => {
        last = runScript(here('load-and-validate.ts'), [folder, ...args]);
        if (last['problems'] !== 0) throw new Error(`the generated instance has ${last['problems']} problems`);
        return last.milliseconds;
      },
      () => runScript(here('bare-parse.ts'), [folder]).milliseconds,
    );
    results.push(ratio(`${name}, ${files} files: time / bare parsing`, found, limit));
    results.push({
      what: `${name}, ${files} files: time and peak memory`,
      measured: `${Math.round(last?.milliseconds ?? 0)} ms, ${Math.round((last?.maxRss ?? 0) / MIB)} MiB`,
      ok: true,
    });
  };
  measure('load and validate', 1.5);
  const kept = ratioInTurns(
    ROUNDS,
    () => runScript(here('load-and-validate.ts'), [folder]).milliseconds,
    () => runScript(here('bare-parse.ts'), [folder, 'keep']).milliseconds,
  );
  results.push({
    what: `load and validate, ${files} files: time / bare parsing that keeps its values`,
    measured: kept.toPrecision(3),
    ok: true,
  });
  if (existsSync(SCHEMAS)) measure('load and validate against JSON schemas', 3, SCHEMAS);
  const bare = runScript(here('bare-parse.ts'), [folder]);
  results.push({
    what: `bare parsing, ${files} files: time and peak memory`,
    measured: `${Math.round(bare.milliseconds)} ms, ${Math.round(bare.maxRss / MIB)} MiB`,
    ok: true,
  });
  return results;
}

/** The longest that reading a hostile file keeps a manager from renewing its lease and answering probes. */
function benchHostile(folder: string): Result[] {
  const LIMIT_MS = 200;
  return HOSTILE_NAMES.map((name, index) => {
    const place = join(folder, 'hostile', String(index));
    writeHostile(name, place);
    const { longest = Number.NaN } = runScript(here('hostile-pass.ts'), [place]);
    return ratio(`hostile files, ${name}: longest step / ${LIMIT_MS} ms`, longest / LIMIT_MS, 1);
  });
}

/** What four times as much of the nastiest data of others costs: quadratic work would cost 16 times as much. */
function benchScaling(): Result[] {
  const { milliseconds: _, maxRss: __, ...found } = runScript(here('scaling.ts'), []);
  return Object.entries(found).map(([name, times]) => ratio(`four times as much, ${name}: time / time`, times, 8));
}

function benchRender(folder: string): Result[] {
  generateShards(join(folder, 'shards'), SHARDS);
  const samples = Array.from({ length: ROUNDS }, () =>
    runScript(here('render-shards.ts'), [join(folder, 'shards'), folder]),
  );
  const of = (measure: (sample: Sample) => number): number => median(samples.map(measure));
  return [
    ratio(
      `${SHARDS} shards from snapshot to objects: time / bare helm template`,
      of(({ milliseconds, bare = Number.NaN }) => milliseconds / bare),
      2,
    ),
    ratio(
      `${SHARDS} shards rendered again, unchanged: time / first render`,
      of(({ milliseconds, second = Number.NaN }) => second / milliseconds),
      0.05,
    ),
    {
      what: `${SHARDS} shards: time, bare helm template and peak memory`,
      measured: `${Math.round(of(({ milliseconds }) => milliseconds))} ms, ${Math.round(of(({ bare = 0 }) => bare))} ms, ${Math.round(of(({ maxRss }) => maxRss) / MIB)} MiB`,
      ok: true,
    },
  ];
}

function benchStart(folder: string): Result[] {
  const installed = join(folder, 'installed');
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: REPO, stdio: 'inherit' });
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: REPO });
  execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', installed, join(folder, 'echelon-0.1.0.tgz')]);
  const node = (): number => timeCommand(process.execPath, ['-e', '0']);
  const start = (bin: string) => ratioInTurns(STARTS, () => timeCommand(bin, ['--help']), node);
  return [
    ratio('echelon --help from the checkout: time / node -e 0', start(join(REPO, 'bin/echelon')), 2.5),
    ratio('echelon --help installed: time / node -e 0', start(join(installed, 'node_modules/.bin/echelon')), 2.5),
  ];
}

/** On a real API server, beside the requests that cannot be done without, and beside the tools in use today. */
function benchClusters(passes: number): Result[] {
  const sample = runScript(here('converge.ts'), [String(SHARDS), String(passes)]);
  const of = (name: string): number => sample[name] ?? Number.NaN;
  const seconds = (name: string): string => `${(of(name) / 1_000).toFixed(1)} s`;
  const share = of('share');
  const writes = of('convergedWrites') + of('loopWrites');
  return [
    {
      what: `${SHARDS} shards installed on a real API server: share of the throughput of bare server-side apply`,
      measured: share.toPrecision(3),
      limit: '≥ 0.9',
      ok: share >= 0.9,
    },
    ratio(`${SHARDS} shards, a converged pass: time / the bare lists it needs`, of('ratio'), 1.5),
    ratio(`${SHARDS} shards, a converged pass with completed rollouts: time / one without`, of('rolloutRatio'), 1.1),
    { what: 'writes of converged passes', measured: String(writes), limit: '0', ok: writes === 0 },
    ratio('resident memory of the loop in MB, at the end', of('loopLate') / 1_000_000, 150),
    ratio(`resident memory of the loop, at the end of ${passes} passes / early`, of('loopLate') / of('loopEarly'), 1.1),
    {
      what: `the same ${of('objects')} objects: Echelon, bare requests, kubectl apply --server-side, helm upgrade --install`,
      measured: ['install', 'bareInstall', 'kubectlInstall', 'helmInstall'].map(seconds).join(', '),
      ok: true,
    },
    {
      what: 'the same once more, unchanged: Echelon, bare lists, kubectl apply --server-side',
      measured: ['converged', 'lists', 'kubectlAgain'].map(seconds).join(', '),
      ok: true,
    },
  ];
}

/** Upgrades: calls against the formula that the design states, and what bad configuration costs the others. */
function benchUpgrades(): Result[] {
  const sample = runScript(here('upgrades.ts'), []);
  const of = (name: string): number => sample[name] ?? Number.NaN;
  return [
    ratio(
      `a pass over ${of('clusters')} clusters without changes: list calls / labels, subscriptions and clusters by 100, plus 3`,
      of('calls') / of('allowed'),
      1,
    ),
    {
      what: 'the same: list calls, calls per cluster, time of the first and second pass, peak memory with the simulated OCM',
      measured: `${of('calls')}, ${of('perCluster')}, ${(of('first') / 1_000).toFixed(1)} s, ${(of('second') / 1_000).toFixed(1)} s, ${Math.round(of('maxRss') / MIB)} MiB`,
      ok: true,
    },
    { what: 'engine, 1,000 clusters × 20 versions', measured: `${Math.round(of('engine'))} ms`, ok: true },
    ratio('an organization with patterns that explode elsewhere: time / one without', of('evil') / of('engine'), 2),
    ratio('an organization with 10,000 labels that mean nothing: time / one without', of('crowded') / of('engine'), 2),
  ];
}

/** Deciding about every shard of a large fleet, and twice as many. */
function benchRollouts(): Result[] {
  const sample = runScript(here('rollouts.ts'), []);
  const of = (name: string): number => sample[name] ?? Number.NaN;
  return [
    ratio('rollouts, 5,000 shards in 200 tracks decided: time / 250 ms', of('milliseconds') / 250, 1),
    ratio(
      'rollouts, 10,000 shards in 200 tracks: time per shard / that of 5,000',
      of('doubled') / of('milliseconds') / 2,
      1.5,
    ),
    {
      what: 'the same: one pass, and the size of the record',
      measured: `${Math.round(of('milliseconds'))} ms, ${Math.round(of('bytes') / 1_024)} KiB`,
      ok: true,
    },
  ];
}

const folder = mkdtempSync(join(tmpdir(), 'echelon-bench-'));

/** The parts of a run, by the name that `ONLY` takes. `memory` is a part of its own: it takes as long as all others. */
const PARTS: Readonly<Record<string, () => Result[]>> = {
  instance: () => benchInstance(join(folder, 'instance')),
  hostile: () => benchHostile(folder),
  scaling: benchScaling,
  render: () => benchRender(folder),
  start: () => benchStart(folder),
  upgrades: benchUpgrades,
  rollouts: benchRollouts,
  clusters: () => benchClusters(PASSES),
  size: () => [ratio('packages that an installation brings: MiB', dependencyBytes(REPO) / MIB, 40)],
};
const MEMORY = 'memory';

function chosen(only: string): (() => Result[])[] {
  const names = only.split(',').filter((name) => name !== '');
  const all: Readonly<Record<string, () => Result[]>> = { ...PARTS, [MEMORY]: () => benchClusters(LONG_PASSES) };
  const unknown = names.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) throw new Error(`ONLY=${unknown}: use ${Object.keys(all).join(', ')}`);
  return names.length === 0 ? Object.values(PARTS) : names.flatMap((name) => all[name] ?? []);
}

try {
  const results = chosen(process.env['ECHELON_BENCH'] ?? '').flatMap((part) => part());
  for (const { what, measured, limit, ok } of results) {
    console.log(`${ok ? 'ok  ' : 'OVER'}  ${what}: ${measured}${limit === undefined ? '' : ` (limit ${limit})`}`);
  }
  process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
