import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rendezvousShardOf, shardOf } from '../../src/sharding/index.ts';
import { type SimKube, startSimKube } from '../../src/sim/index.ts';
import { AUTHORS_GUIDE } from '../support/contract-tables.ts';
import { EXAMPLE_COMMANDS, hasProgram, mountedAccount, shardEnvironments } from '../support/example-integrations.ts';
import { freePorts } from '../support/real-kube-ports.ts';
import { LOOP } from '../support/render-chart.ts';
import { until } from '../support/until.ts';

const TOKEN = 'sim-token-that-nobody-may-see';
/** What a reader of the guide has typed. */
const PROGRAM = [...AUTHORS_GUIDE.matchAll(/^```python\n(.*?)^```$/gms)].map(([, block]) => block).join('\n\n');

let folder: string;
let sim: SimKube;
let child: ChildProcess | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-guide-python-'));
  writeFileSync(join(folder, 'written.py'), PROGRAM);
  sim = await startSimKube({ token: TOKEN, controllers: false, namespaces: ['team-a', 'team-b', 'team-c', 'team-d'] });
});
afterEach(async () => {
  child?.kill('SIGKILL');
  child = undefined;
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

const PATH = process.env['PATH'] ?? '';

describe.skipIf(!hasProgram('python3'))('a Python integration written from the blocks of the guide', () => {
  it('is the example', () => {
    expect(PROGRAM).toBe(readFileSync(EXAMPLE_COMMANDS.python[1] ?? '', 'utf8'));
  });

  it('runs in a loop under the contract: labels, health, metrics, logs and SIGTERM', async () => {
    const account = mountedAccount({ token: TOKEN, ca: '' });
    const [port = 0] = await freePorts(1);
    const declared = ['a', 'b', 'c', 'd'].map((team) => `team-${team} owner=${team}\n`).join('');
    const [, env] = await shardEnvironments(account, declared, false, LOOP);
    const own = { PROMETHEUS_PORT: String(port), METRICS_HOST: '127.0.0.1', LOG_FILE: join(folder, 'log') };
    child = spawn('python3', ['-B', join(folder, 'written.py')], {
      env: { PATH, ...env, ...own, KUBE_SERVER: sim.url, PREFIX_LOG_LEVEL: 'true' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += String(chunk);
    });
    const exited = once(child, 'exit');
    const page = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return `${response.status}\n${await response.text()}`;
    };
    const status = 'qontract_reconcile_last_run_status{integration="namespace-labels",shards="3",shard_id="1-3"} 0\n';
    const ended = /^qontract_reconcile_last_run_seconds\{[^}]*\} (?!0\.0$)/m;
    const metrics = await until(
      async () => {
        const text = await page('/metrics');
        return ended.test(text) && text;
      },
      { what: 'it has run' },
    );
    expect(metrics).toContain(status);
    expect(metrics).toMatch(/^qontract_reconcile_execution_counter_total\{[^}]*\} 1$/m);
    expect(await page('/healthz')).toMatch(/^200\n/);
    const mine = ['a', 'b', 'c', 'd'].map((team) => `team-${team}`).filter((name) => shardOf(name, 3) === 1);
    expect(mine).not.toEqual([]);
    const written = sim.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path.split('/').at(-1));
    expect(written).toEqual(mine);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    const log = readFileSync(own.LOG_FILE, 'utf8');
    expect(mine.filter((name) => !log.includes(`on ${name}\n`))).toEqual([]);
    expect(log).toMatch(/^\[INFO\] set /);
    expect(output + log).not.toContain(TOKEN);
    account.dispose();
  });

  it('owns the same keys as everything else, by either membership', () => {
    const keys = ['team-a', 'ü-cluster', '', 'app-sre-prod-01/my-namespace', 'saas-qontract-reconcile'];
    const owners = { md5: shardOf, rendezvous: rendezvousShardOf };
    const program = `
import json, sys, written
def mine(membership, key, shards, shard):
    written.MEMBERSHIP, written.SHARDS, written.SHARD_ID = membership, shards, shard
    return written.is_mine(key)
memberships, keys = map(json.loads, sys.argv[1:])
print(json.dumps([[m, k, n, [s for s in range(n) if mine(m, k, n, s)]] for m in memberships for k in keys for n in range(1, 8)]))`;
    const args = ['-B', '-c', program, JSON.stringify(Object.keys(owners)), JSON.stringify(keys)];
    const printed = execFileSync('python3', args, { cwd: folder, encoding: 'utf8', env: { PATH } });
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    expect(JSON.parse(printed)).toEqual(
      Object.entries(owners).flatMap(([membership, owner]) =>
        keys.flatMap((key) => numbers.map((shards) => [membership, key, shards, [owner(key, shards)]])),
      ),
    );
  });
});
