import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EchelonError } from '../../base/index.ts';

export interface HelmOptions {
  /** The binary. */
  readonly helm: string;
  /** The folder of the chart. */
  readonly chart: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A thousand shards take a second; a chart that takes a minute does not end. */
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Renders one chart with `helm template`. Nothing of the user's helm settings is read or written. */
export function helmChart(options: HelmOptions): { identity: string; render(values: object): Promise<string> } {
  const { helm, chart } = options;
  requireChart(chart);
  return {
    identity: createHash('sha256')
      .update(`${helm} ${statSync(helm).mtimeMs} ${chartHash(chart)}`)
      .digest('hex'),
    render: async (values) => {
      const scratch = mkdtempSync(join(tmpdir(), 'echelon-helm-'));
      try {
        const file = join(scratch, 'values.json');
        writeFileSync(file, JSON.stringify(values), { mode: 0o600 });
        return await run(options, ['template', 'qontract-reconcile', chart, '--values', file], scratch);
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    },
  };
}

function requireChart(chart: string): void {
  if (existsSync(join(chart, 'Chart.yaml'))) return;
  throw new EchelonError({
    code: 'CHART_NOT_FOUND',
    message: `${chart} is not a chart: it has no Chart.yaml`,
    hint: 'name the folder of a Helm chart with --chart, or leave it out to use the one of Echelon',
  });
}

/** Of every file of the chart, so that an edited chart is another chart. */
function chartHash(chart: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(chart, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of files.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    hash
      .update(`${file.slice(chart.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

async function run(options: HelmOptions, args: readonly string[], scratch: string): Promise<string> {
  const { helm, timeoutMs = TIMEOUT_MS, signal } = options;
  const env = {
    PATH: process.env['PATH'],
    HOME: scratch,
    HELM_CACHE_HOME: join(scratch, 'cache'),
    HELM_CONFIG_HOME: join(scratch, 'config'),
    HELM_DATA_HOME: join(scratch, 'data'),
  };
  return new Promise((resolve, reject) => {
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL' as const, maxBuffer: MAX_OUTPUT_BYTES };
    execFile(helm, args, { ...limits, env, ...(signal === undefined ? {} : { signal }) }, (failure, stdout, stderr) => {
      if (failure === null) resolve(stdout);
      else reject(helmError(failure, stderr, scratch, timeoutMs));
    });
  });
}

type ExecFailure = Error & { killed?: boolean; code?: number | string | null };

function helmError(failure: ExecFailure, stderr: string, scratch: string, timeoutMs: number): Error {
  if (failure.name === 'AbortError') return failure;
  if (failure.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return new EchelonError({
      code: 'HELM_OUTPUT_TOO_LARGE',
      message: `helm wrote more than ${MAX_OUTPUT_BYTES} bytes`,
      hint: 'spread the integrations over several namespaces',
      cause: failure,
    });
  }
  if (failure.killed === true) {
    return new EchelonError({
      code: 'HELM_TIMEOUT',
      message: `helm did not end within ${timeoutMs / 1000} s and was stopped`,
      hint: 'look for an endless loop in the chart, or try another helm with --helm',
      cause: failure,
    });
  }
  if (typeof failure.code !== 'number') {
    return new EchelonError({
      code: 'HELM_NOT_FOUND',
      message: `helm could not be started: ${failure.message.split('\n')[0]}`,
      hint: 'name a helm that runs on this machine with --helm',
      cause: failure,
    });
  }
  return new EchelonError({
    code: 'HELM_FAILED',
    message: `helm failed: ${reason(stderr, scratch)}`,
    hint: 'the chart does not take these values: see them with echelon manager values',
    cause: failure,
  });
}

/** What helm says, on one line, without the temporary folder's name. */
function reason(stderr: string, scratch: string): string {
  const text = stderr.replaceAll(scratch, '').replace(/^Error: /, '');
  const said = text.replace(/\s*Use --debug flag.*$/s, '').trim();
  return said.replaceAll(/\s*\n\s*/g, ' ').slice(0, 500) || 'it did not say why';
}
