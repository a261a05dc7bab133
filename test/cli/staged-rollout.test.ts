import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimKube, startSimKube } from '../../src/sim/index.ts';
import { type TemporaryHistory, temporaryHistory } from '../support/example-history.ts';
import { testHelm } from '../support/render-chart.ts';
import { runCli } from '../support/run-cli.ts';
import { writesOf } from '../support/sim-fleet.ts';

const PRODUCTION = 'app-interface-production';
const SAAS = 'data/services/app-interface/cicd/saas-qontract-manager.yaml';
const INTEGRATION = 'terraform-resources';
const CANARY = 'payments-ci';
const DIGEST = `sha256:${'ab'.repeat(32)}`;
const AUTHOR = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.com' };
const COMMITTER = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.com' };

let history: TemporaryHistory;
let scratch: string;
let env: Record<string, string>;
const sims = new Map<string, SimKube>();

beforeAll(async () => {
  history = await temporaryHistory();
  scratch = mkdtempSync(join(tmpdir(), 'echelon-rollout-'));
  for (const name of ['app-sre-prod-01', 'app-sre-prod-02']) sims.set(name, await startSimKube({ anyNamespace: true }));
  const names = [...sims.keys()];
  const kubeconfig = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': names[0] },
    clusters: [...sims].map(([name, { url }]) => ({ name, cluster: { server: url } })),
    users: [{ name: 'admin', user: { token: 'any' } }],
    contexts: names.map((name) => ({ name, context: { cluster: name, user: 'admin' } })),
  };
  writeFileSync(join(scratch, 'kubeconfig'), JSON.stringify(kubeconfig));
  env = {
    ...{ KUBECONFIG: join(scratch, 'kubeconfig'), XDG_CACHE_HOME: join(scratch, 'cache'), HELM_BIN: await testHelm() },
    ...{ PATH: process.env['PATH'] ?? '', HOME: scratch },
  };
});

afterAll(async () => {
  for (const sim of sims.values()) await sim.close();
  history.dispose();
  rmSync(scratch, { recursive: true, force: true });
});

const run = (...args: readonly string[]) => runCli(args, { env, cwd: history.instance });

async function done(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

function merge(message: string): void {
  const options = { cwd: history.instance, env: { ...env, ...AUTHOR, ...COMMITTER } };
  execFileSync('git', ['add', '--all'], options);
  execFileSync('git', ['commit', '--quiet', '--message', message], options);
}

/** What the deployment of the manager would tell it: the image that its saas file says now. */
function deployed(): string[] {
  const text = readFileSync(join(history.instance, SAAS), 'utf8');
  const place = /name: app-interface-production\n[\s\S]*?IMAGE_TAG: '(\w+)'\s+IMAGE_DIGEST: (\S+)/;
  const [, tag = '', digest = ''] = place.exec(text) ?? [];
  return ['--environment-name', PRODUCTION, '-p', `IMAGE_TAG=${tag}`, '-p', `IMAGE_DIGEST=${digest}`];
}

/** A pass of the manager; the objects that it wrote, by name. */
async function pass(): Promise<string[]> {
  const before = new Map([...sims].map(([name, sim]) => [name, writesOf(sim).length]));
  await done('manager', 'apply', '--yes', ...deployed());
  return [...sims].flatMap(([name, sim]) =>
    writesOf(sim)
      .slice(before.get(name))
      .map((write) => write.split('/').at(-1)?.split('?')[0] ?? ''),
  );
}

const ofIntegration = (objects: readonly string[]): string[] =>
  objects.filter((name) => name.includes(`-${INTEGRATION}-`)).map((name) => name.split(`-${INTEGRATION}-`)[1] ?? '');

async function images(): Promise<Record<string, string>> {
  const text = await done('manager', 'status', '--integration', INTEGRATION, ...deployed(), '-o', 'json');
  const items = JSON.parse(text).items as { shard: string; live: string; state: string }[];
  return Object.fromEntries(
    items.map(({ shard, live, state }) => [shard, `${live.split(':')[1]?.split('@')[0]} ${state}`]),
  );
}

describe('a staged rollout', { timeout: 300_000 }, () => {
  it('moves the canary alone, then the others in two steps, until the fleet has converged', async () => {
    const short = (sha: string): string => sha.slice(0, 7);
    const [old, newest] = [short(history.promoted.production), short(history.upstreamCommits.at(-1) ?? '')];
    const held = short(history.pinned);
    await pass();
    expect(await images()).toEqual({
      'app-sre': `${held} pinned`,
      'app-sre-stage': `${old} converged`,
      payments: `${held} pinned`,
      [CANARY]: `${old} converged`,
      'payments-stage': `${old} converged`,
    });

    await done('pin', INTEGRATION, '-e', PRODUCTION, '--except', CANARY);
    merge('Hold the others where they are');
    expect(await pass()).toEqual([]);

    await done('promote', 'init');
    merge('Targets of promotions');
    const flags = ['--upstream-clone', history.upstream, '--digest', DIGEST, '--only', PRODUCTION];
    await done('promote', 'apply', '--yes', ...flags);
    merge('Promote');
    expect(ofIntegration(await pass())).toEqual([CANARY]);
    expect(await images()).toEqual({
      'app-sre': `${held} pinned`,
      'app-sre-stage': `${old} pinned`,
      payments: `${held} pinned`,
      [CANARY]: `${newest} converged`,
      'payments-stage': `${old} pinned`,
    });

    await done('unpin', INTEGRATION, '-e', PRODUCTION, '--shard', 'app-sre-stage', 'payments-stage');
    merge('Let stage follow');
    expect(ofIntegration(await pass()).sort()).toEqual(['app-sre-stage', 'payments-stage']);

    await done('unpin', INTEGRATION, '-e', PRODUCTION, '--all');
    merge('Let all follow');
    expect(ofIntegration(await pass()).sort()).toEqual(['app-sre', 'payments']);

    expect(new Set(Object.values(await images()))).toEqual(new Set([`${newest} converged`]));
    expect(await pass()).toEqual([]);
  });
});
