import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shardOf } from '../../src/sharding/index.ts';
import { podEnvironments } from './pod-environment.ts';
import { CRON, ONLY_SHARD, valuesWith } from './render-chart.ts';
import { REPO } from './shared.ts';

const EXAMPLES = join(REPO, 'examples/integrations');

/** How the image of each example starts it. */
export const EXAMPLE_COMMANDS: Readonly<Record<'shell' | 'python' | 'typescript', readonly string[]>> = {
  shell: [join(REPO, 'bin/echelon'), 'run', '--', join(EXAMPLES, 'shell/namespace-labels.sh')],
  python: ['python3', join(EXAMPLES, 'python/namespace_labels.py')],
  typescript: [
    ...[process.execPath, '--disable-warning=ExperimentalWarning', '--conditions=echelon-source'],
    join(EXAMPLES, 'typescript/namespace-labels.ts'),
  ],
};

/** Whether this machine has a program that an example needs. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
}

const NEEDS: Readonly<Record<string, string>> = { shell: 'curl', python: 'python3', typescript: process.execPath };

/** A cluster whose namespaces the examples label. */
export interface LabelledCluster {
  readonly token: string;
  /** PEM. */
  readonly ca: string;
  /** How a pod finds the API server. */
  readonly env: Readonly<Record<string, string>>;
  create(namespace: string, labels: Readonly<Record<string, string>>): Promise<void>;
  labels(namespace: string): Promise<Readonly<Record<string, string>>>;
  setLabel(namespace: string, key: string, value: string): Promise<void>;
  /** `PATCH /api/…` of the examples since the last call. */
  writes(): readonly string[];
}

export interface Account {
  readonly folder: string;
  dispose(): void;
}

/** The token and the authority as they are mounted. */
export function mountedAccount({ token, ca }: Pick<LabelledCluster, 'token' | 'ca'>): Account {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-account-'));
  writeFileSync(join(folder, 'token'), token);
  writeFileSync(join(folder, 'ca.crt'), ca);
  return { folder, dispose: () => rmSync(folder, { recursive: true, force: true }) };
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program to its end with nothing but this environment. */
export async function runExample(
  [file = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const base = { PATH: process.env['PATH'] ?? '', METRICS_HOST: '127.0.0.1', PROMETHEUS_PORT: '0' };
  const cache = { NODE_COMPILE_CACHE: join(REPO, '.cache/node') };
  const child = spawn(file, args, { env: { ...base, ...cache, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += String(chunk);
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

const SHARDS = 3;

/** The variables of three pods of one run each, as the chart sets them for a schedule. */
export function shardEnvironments(
  account: Account,
  declared: string,
  dryRun: boolean,
  entry: object = CRON,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const shards = Array.from({ length: SHARDS }, (_, id) => ({
    ...ONLY_SHARD,
    ...{ shards: String(SHARDS), shard_id: String(id), shard_name_suffix: `-${id}` },
  }));
  const extraEnv = [{ name: 'NAMESPACE_LABELS', value: declared }];
  const values = valuesWith({ ...entry, name: 'namespace-labels', extraEnv, shard_specs: shards });
  return podEnvironments(values, {
    DRY_RUN: dryRun ? '--dry-run' : '--no-dry-run',
    KUBE_SA_TOKEN_MOUNT_PATH: account.folder,
  });
}

const NAMESPACES = Array.from({ length: 8 }, (_, at) => `team-${at}`);

/** Every example under the contract of the manager: three shards, every key handled exactly once, and no more than declared. */
export function exampleContract(open: () => Promise<LabelledCluster>): void {
  let cluster: LabelledCluster;
  let account: Account;
  beforeAll(async () => {
    cluster = await open();
    account = mountedAccount(cluster);
  }, 2_400_000);
  afterAll(() => account?.dispose());

  const isMissing = (language: string): boolean => !hasProgram(NEEDS[language] ?? '');
  for (const [language, command] of Object.entries(EXAMPLE_COMMANDS)) {
    describe.skipIf(isMissing(language))(`the example in ${language}, in three shards`, () => {
      const names = NAMESPACES.map((name) => `${language}-${name}`);
      const declaredOf = (all: readonly string[]): string =>
        all.map((name) => `${name} owner=${name}-owner\n`).join('');

      async function run(declared: string, dryRun: boolean): Promise<readonly Ended[]> {
        const environments = await shardEnvironments(account, declared, dryRun);
        expect(environments).toHaveLength(SHARDS);
        cluster.writes();
        return Promise.all(environments.map((env) => runExample(command, { ...env, ...cluster.env })));
      }
      const patched = (all: readonly string[]): string[] =>
        all.map((name) => `PATCH /api/v1/namespaces/${name}`).sort();

      beforeAll(async () => {
        for (const name of names) await cluster.create(name, { kept: 'yes' });
      });

      it('writes nothing in a dry run', async () => {
        const ended = await run(declaredOf(names), true);
        expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
        expect(cluster.writes()).toEqual([]);
        expect(ended.map(({ output }) => output).join('')).not.toContain(cluster.token);
      });

      it('handles every key exactly once, and keeps other labels', async () => {
        expect(new Set(names.map((name) => shardOf(name, SHARDS))).size).toBe(SHARDS);
        const ended = await run(declaredOf(names), false);
        expect(ended.map(({ code, output }) => (code === 0 ? 0 : output))).toEqual([0, 0, 0]);
        expect([...cluster.writes()].sort()).toEqual(patched(names));
        for (const name of names)
          expect(await cluster.labels(name)).toMatchObject({ owner: `${name}-owner`, kept: 'yes' });
        for (const [id, { output }] of ended.entries()) {
          const own = names.filter((name) => shardOf(name, SHARDS) === id);
          expect(names.filter((name) => new RegExp(`${name}\\b`).test(output.replaceAll(`${name}-owner`, '')))).toEqual(
            own,
          );
        }
      });

      it('writes nothing when all is as declared', async () => {
        expect((await run(declaredOf(names), false)).map(({ code }) => code)).toEqual([0, 0, 0]);
        expect(cluster.writes()).toEqual([]);
      });

      it('puts right what drifted, and fails only where a namespace does not exist', async () => {
        const [drifted = '', missing] = [names[3], `${language}-nowhere`];
        await cluster.setLabel(drifted, 'owner', 'somebody-else');
        const ended = await run(declaredOf([...names, missing]), false);
        expect(ended.map(({ code }) => code)).toEqual([0, 1, 2].map((id) => (id === shardOf(missing, SHARDS) ? 1 : 0)));
        expect(cluster.writes().filter((write) => !write.endsWith(missing))).toEqual(patched([drifted]));
        expect(await cluster.labels(drifted)).toMatchObject({ owner: `${drifted}-owner` });
      });
    });
  }
}
