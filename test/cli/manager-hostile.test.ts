import { writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { writeHostile } from '../bench/hostile-files.ts';
import { integrationText, simFleet } from '../support/sim-fleet.ts';
import { until } from '../support/until.ts';

type LogLine = Readonly<Record<string, unknown>>;

/** The integrations manager as a pod runs it, in this process: while it blocks, neither the API nor a probe is answered. */
async function startManager() {
  const fleet = await simFleet();
  onTestFinished(() => fleet.dispose());
  const log: LogLine[] = [];
  const listeners: ((line: LogLine) => void)[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const onStdout = (text: string): void => {
    for (const line of text.trim().split('\n')) {
      log.push(JSON.parse(line));
      for (const listener of listeners) listener(log.at(-1) as LogLine);
    }
  };
  const flags = ['--poll', '1s', '--resync', '1s', '--lease', 'lab/fleet/manager', '--cluster', 'lab'];
  const address = ['--metrics-port', '0', '--metrics-host', '127.0.0.1'];
  return {
    fleet,
    log,
    onLog: (listener: (line: LogLine) => void) => listeners.push(listener),
    run: () => fleet.cli(['run', 'integrations-manager', ...flags, ...address], { signal: stop.signal, onStdout }),
    stop: () => stop.abort(),
    probe: async (path: string) => {
      const port = log.find(({ msg }) => msg === 'integration started')?.['metricsPort'];
      return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    },
  };
}

it('a loop with a file of thousands of bad entries keeps its lease, answers probes and logs every error when it appears', async () => {
  const { fleet, log, onLog, run, stop, probe } = await startManager();
  const hostile = () => writeHostile('entries with wrong types', fleet.manager.path('instance'));
  const errors = () => log.filter(({ msg, file }) => msg === 'invalid instance' && file === 'data/a.yml');
  const until100 = (times: number) =>
    until(() => errors().length === times, { what: `${times} errors are logged`, timeoutSeconds: 60 });
  const order: string[] = [];
  onLog(({ msg }) => {
    if (msg === 'lease acquired') void probe('/healthz').then((status) => order.push(`healthz ${status}`));
    if (msg === 'invalid instance' && errors().length === 1) order.push('first error');
  });

  hostile();
  const running = run();
  await until100(101);
  expect(order).toEqual(['healthz 200', 'first error']);
  expect(fleet.sim.store.list('apps/v1', 'Deployment', 'fleet')).toHaveLength(3);
  expect(errors().at(-1)).toMatchObject({ rule: 'more-problems' });

  writeFileSync(fleet.manager.path('instance/data/a.yml'), integrationText('terraform-users', ['lab']));
  await until(async () => (await probe('/readyz')) === 200, { what: 'a pass succeeds', timeoutSeconds: 60 });
  expect(errors()).toHaveLength(101);
  hostile();
  await until100(202);
  expect(await probe('/healthz')).toBe(200);

  stop();
  expect((await running).code).toBe(0);
  const messages = log.map(({ msg }) => msg);
  expect(messages.filter((msg) => msg === 'lease acquired')).toHaveLength(1);
  expect(messages).not.toContain('lease lost, going to standby');
  expect(messages).not.toContain('cannot read or write lease');
});
