import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EchelonError, Secrets } from '../../base/index.ts';
import { scratchFolder } from '../files/index.ts';
import { type ProcessResult, runProcess } from '../process/index.ts';

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
const LONGEST_REASON = 500;

/** Renders one chart with `helm template`. Nothing of the user's helm settings is read or written. */
export function helmChart(options: HelmOptions): { identity: string; render(values: object): Promise<string> } {
  const { helm, chart } = options;
  requireChart(chart);
  return {
    identity: createHash('sha256')
      .update(`${helm} ${statSync(helm).mtimeMs} ${chartHash(chart)}`)
      .digest('hex'),
    render: async (values) => {
      const scratch = scratchFolder('helm');
      try {
        const file = join(scratch, 'values.json');
        writeFileSync(file, valuesFile(values), { mode: 0o600 });
        return await run(options, ['template', 'qontract-reconcile', chart, '--values', file], scratch);
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    },
  };
}

const PAGE_BYTES = 4096;

/** Values as helm reads them: helm 4.1.4 takes a file without a final newline that fills its last page for an empty one. */
function valuesFile(values: object): string {
  const text = `${yamlSafeJson(values)}\n`;
  return Buffer.byteLength(text) % PAGE_BYTES === 0 ? `${text}\n` : text;
}

/** Helm reads values as YAML, which folds or refuses some characters that JSON allows unescaped. */
function yamlSafeJson(values: object): string {
  return JSON.stringify(values).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (one) => {
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function requireChart(chart: string): void {
  if (existsSync(join(chart, 'Chart.yaml'))) return;
  throw new EchelonError({
    code: 'CHART_NOT_FOUND',
    message: `${chart} is not a chart: it has no Chart.yaml`,
    hint: 'pass the directory of a Helm chart with --chart, or omit it to use the built-in one',
  });
}

/** Hash of all files of the chart: an edited chart is another chart. Files of a mounted ConfigMap are links. */
function chartHash(chart: string): string {
  const hash = createHash('sha256');
  const paths = readdirSync(chart, { recursive: true, encoding: 'utf8' }).map((path) => join(chart, path));
  for (const file of paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile()).sort()) {
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
  const outcome = await runProcess(helm, args, { env, timeoutMs, maxBytes: MAX_OUTPUT_BYTES, signal });
  if (outcome.end === 'ended' && outcome.code === 0) return outcome.stdout.toString('utf8');
  signal?.throwIfAborted();
  throw helmError(outcome, scratch, timeoutMs);
}

function helmError(outcome: ProcessResult, scratch: string, timeoutMs: number): EchelonError {
  if (outcome.end === 'too-large') {
    return new EchelonError({
      code: 'HELM_OUTPUT_TOO_LARGE',
      message: `helm wrote more than ${MAX_OUTPUT_BYTES} bytes`,
      hint: 'spread the integrations over several namespaces',
    });
  }
  if (outcome.end === 'not-started') {
    return new EchelonError({
      code: 'HELM_NOT_FOUND',
      message: `helm could not be started: ${outcome.cause.message}`,
      hint: 'pass a helm that runs on this machine with --helm',
      cause: outcome.cause,
    });
  }
  if (outcome.end !== 'ended') {
    return new EchelonError({
      code: 'HELM_TIMEOUT',
      message: `helm timed out after ${timeoutMs / 1000} s`,
      hint: 'check the chart for an endless loop, or use another helm with --helm',
    });
  }
  return new EchelonError({
    code: 'HELM_FAILED',
    message: `helm failed: ${reason(outcome.stderr.toString('utf8'), scratch)}`,
    hint: 'the chart rejects these values: show them with: echelon manager values',
  });
}

/** Helm's error without the name of the temporary folder. Helm gets no secret: neither environment nor settings. */
function reason(stderr: string, scratch: string): string {
  const tidy = (text: string): string =>
    text
      .replaceAll(scratch, '')
      .replace(/^Error: /, '')
      .replace(/Use --debug flag.*$/s, '');
  return new Secrets().quote(stderr, { longest: LONGEST_REASON, tidy }) || 'no reason given';
}
