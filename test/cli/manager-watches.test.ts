import { execFileSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type SimFleet, simFleet } from '../support/sim-fleet.ts';
import { until } from '../support/until.ts';

const LOOP = ['run', 'integrations-manager', '--no-lease', '--resync', '1h', '--metrics-port', '0'];
const OFTEN = { SLEEP_DURATION_SECS: '0.2' };
const NAME = 'qontract-reconcile-terraform-resources-alpha';

/** A loop over an instance in a git checkout, whose revision is known without reading it. */
async function startLoop(prepare: (fleet: SimFleet) => void = () => undefined, ...more: string[]) {
  const fleet = await simFleet();
  onTestFinished(() => fleet.dispose());
  prepare(fleet);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
      cwd: fleet.manager.path('instance'),
      stdio: 'ignore',
    });
  git('init');
  git('add', '.');
  git('commit', '-m', 'all');
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const log: Record<string, unknown>[] = [];
  const onStdout = (text: string): void => {
    for (const line of text.trim().split('\n')) log.push(JSON.parse(line));
  };
  const args = [...LOOP, '--metrics-host', '127.0.0.1', ...more];
  const running = fleet.cli(args, { signal: stop.signal, onStdout, env: OFTEN });
  const metric = async (name: string): Promise<number> => {
    const port = log.find(({ msg }) => msg === 'integration started')?.['metricsPort'];
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1),
    );
  };
  const requests = (isWatch: boolean) =>
    fleet.sim.requests.filter(({ method, query }) => method === 'GET' && query.includes('watch=1') === isWatch);
  const deployments = () => fleet.sim.store.list('apps/v1', 'Deployment', 'fleet').length;
  const passes = (count: number) =>
    until(async () => (await metric('echelon_passes_total{result="ok"}')) >= count, { what: `${count} passes` });
  const end = async (): Promise<number> => {
    stop.abort();
    return (await running).code;
  };
  return { fleet, log, running, metric, requests, deployments, passes, end };
}

describe('a loop that watches', () => {
  it('repairs what others delete by the next poll, though the instance has not changed, and then rests', async () => {
    const loop = await startLoop();
    // The second pass reads what the first wrote.
    await loop.passes(2);
    const lists = loop.requests(false).length;
    loop.fleet.sim.store.delete('apps/v1', 'Deployment', 'fleet', NAME);
    await until(() => loop.deployments() === 3, { what: 'it is there again' });
    await loop.passes(4);
    await until(async () => (await loop.metric('echelon_passes_total{result="skipped"}')) > 0, { what: 'a rest' });
    const paths = loop.requests(false).slice(lists);
    expect(new Set(paths.map(({ path }) => path.split('/').at(-1)))).toEqual(new Set(['deployments']));
    expect(await loop.metric('echelon_lists_total{result="reused"}')).toBeGreaterThanOrEqual(12);
    expect(await loop.end()).toBe(0);
  });

  it('says once that it may not watch, and goes on as without watches', async () => {
    const refuse = ({ sim }: SimFleet): void =>
      sim.addFault({ path: /./, watch: true, status: 403, times: Number.POSITIVE_INFINITY });
    const loop = await startLoop(refuse);
    await loop.passes(1);
    await until(async () => (await loop.metric('echelon_passes_total{result="skipped"}')) > 0, { what: 'a rest' });
    const said = loop.log.filter(({ msg }) => msg === 'cluster cannot be watched');
    expect(said).toMatchObject([{ cluster: 'lab', error: expect.stringContaining('403') }]);
    expect(await loop.end()).toBe(0);
  });

  it('watches nothing in a single pass', async () => {
    const loop = await startLoop(undefined, '--run-once');
    expect((await loop.running).code).toBe(0);
    expect(loop.requests(false)).not.toEqual([]);
    expect(loop.requests(true)).toEqual([]);
  });
});
