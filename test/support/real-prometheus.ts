import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './real-kube-ports.ts';
import { guardedServers, type ServerProcess } from './real-kube-process.ts';
import { builtPrometheus, promtool, runPromtool } from './real-promtool.ts';
import { until } from './until.ts';

/** A real Prometheus on the loopback interface, with a folder of its own. */
export interface RealPrometheus {
  readonly url: string;
  /** Ends the server and removes its folder. It also ends when this process does, however that ends. */
  stop(): Promise<void>;
}

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const READY_TIMEOUT_SECONDS = 120;
/** Samples count as current for this long, so that a slow machine does not outlive them. */
const LOOKBACK = '1h';

/** Starts a Prometheus that has one current sample of each series. */
export async function startRealPrometheus(series: readonly Series[]): Promise<RealPrometheus> {
  const [binary, tool] = [await builtPrometheus(), await promtool()];
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), 'echelon-prometheus-'));
  const servers = guardedServers(folder);
  try {
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'prometheus.yml'), 'scrape_configs: []\n');
    writeFileSync(join(folder, 'series.txt'), openMetrics(series, Date.now() / 1000 - 60));
    const blocks = ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'series.txt'), join(folder, 'data')];
    const { code, output } = await runPromtool(tool, blocks);
    if (code !== 0) throw new Error(`promtool created no blocks:\n${output}`);
    const server = servers.start('prometheus', binary, [
      ...['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--query.lookback-delta=${LOOKBACK}`],
      ...[`--web.listen-address=127.0.0.1:${port}`, '--no-auto-gomemlimit'],
    ]);
    await untilReady(server, url);
  } catch (error) {
    await servers.close();
    throw error;
  }
  return { url, stop: () => servers.close() };
}

function openMetrics(series: readonly Series[], at: number): string {
  const families = Map.groupBy(series, ({ name }) => name);
  const lines = [...families].flatMap(([name, members]) => [
    `# TYPE ${name} gauge`,
    ...members.map(({ labels, value }) => `${name}{${labelsText(labels)}} ${value} ${at.toFixed(3)}`),
  ]);
  return [...lines, '# EOF', ''].join('\n');
}

function labelsText(labels: Series['labels']): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',');
}

async function untilReady(server: ServerProcess, url: string): Promise<void> {
  const ready = async (): Promise<boolean> => server.hasExited() || (await fetch(`${url}/-/ready`)).ok;
  await until(ready, { timeoutSeconds: READY_TIMEOUT_SECONDS, what: 'the Prometheus is ready' });
  if (server.hasExited()) throw new Error(`the Prometheus has ended:\n${server.tail()}`);
}
