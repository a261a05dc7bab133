import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunOptions, runCli } from '../support/run-cli.ts';
import { REPO } from '../support/shared.ts';
import { until } from '../support/until.ts';

const LOCAL = ['--metrics-port', '0', '--metrics-host', '127.0.0.1'];
const PATH = process.env['PATH'] ?? '';

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-run-command-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string): string => join(folder, name);

function run(script: string, flags: readonly string[] = [], { env = {}, ...options }: RunOptions = {}) {
  const args = ['run', ...LOCAL, ...flags, '--', 'sh', '-c', script, 'labels'];
  return runCli(args, { env: { PATH, DIR: folder, ...env }, cwd: folder, ...options });
}

/** Messages with their levels, without those of the loop itself. */
const OWN = /^(?:integration started|integration stopped|pass )/;
const lines = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .filter(({ msg }) => !OWN.test(msg))
    .map(({ level, msg }) => `${level} ${msg}`);

describe('one run of a command', () => {
  it.each([
    { given: 'succeeds', script: 'exit 0', code: 0 },
    { given: 'fails', script: 'exit 7', code: 7 },
    { given: 'is ended by a signal', script: 'kill -9 $$', code: 137 },
  ])('that $given exits with $code', async ({ script, code }) => {
    expect(await run(script, ['--run-once'])).toMatchObject({ code, stderr: '' });
  });

  it.each([
    { given: 'is not there', file: './nope', code: 127 },
    { given: 'cannot be executed', file: './notes.txt', code: 126 },
  ])('that $given exits with $code and says what to check', async ({ file, code }) => {
    writeFileSync(path('notes.txt'), 'x', { mode: 0o600 });
    const args = ['run', ...LOCAL, '--run-once', '--', file];
    const ran = await runCli(args, { env: { PATH }, cwd: folder });
    expect(ran.code).toBe(code);
    expect(ran.stdout).toContain(`"command":"${file}"`);
    expect(ran.stdout).toContain('"hint":"check that the program is in the image');
  });

  it('gets its own arguments as they are and then those of the pod', async () => {
    const env = { INTEGRATION_EXTRA_ARGS: `--cluster-name 'a b'`, RUN_ONCE: 'true' };
    const args = ['run', ...LOCAL, '--', 'printf', '%s\\n', '--', '$HOME', '--run-once', ''];
    const { stdout, code } = await runCli(args, { env: { PATH, ...env } });
    expect([code, lines(stdout)]).toEqual([
      0,
      ['info --', 'info $HOME', 'info --run-once', 'info --cluster-name', 'info a b'],
    ]);
  });

  it('that is named like an integration of Echelon is still a program', async () => {
    const ran = await runCli(['run', ...LOCAL, '--run-once', '--', 'integrations-manager'], { env: { PATH } });
    expect(ran.code).toBe(127);
  });

  it.each([
    { given: 'the variable', flags: [], env: { DRY_RUN: '--dry-run' }, is: '--dry-run' },
    { given: 'the flag', flags: ['--dry-run'], env: {}, is: '--dry-run' },
    {
      given: 'a flag against the variable',
      flags: ['--no-dry-run'],
      env: { DRY_RUN: '--dry-run' },
      is: '--no-dry-run',
    },
    { given: 'neither', flags: [], env: {}, is: '--no-dry-run' },
  ])('gets its shard and the dry run by $given', async ({ flags, env, is }) => {
    const shard = { SHARDS: '3', SHARD_ID: '1' };
    const { stdout } = await run(
      'echo $INTEGRATION_NAME $SHARD_ID/$SHARDS $SHARD_MEMBERSHIP $DRY_RUN',
      [...flags, '--run-once'],
      {
        env: { ...shard, ...env },
      },
    );
    expect(lines(stdout)).toEqual([`info sh 1/3 md5 ${is}`]);
  });

  it.each([
    ['SHARD_ID', '3'],
    ['DRY_RUN', 'yes'],
    ['RUN_TIMEOUT_SECS', '5m'],
  ])('does not start with an invalid %s', async (variable, value) => {
    const env = { SHARDS: '3', [variable]: value };
    const { code, stderr } = await run('touch $DIR/ran', ['--run-once'], { env });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(variable) });
    expect(existsSync(path('ran'))).toBe(false);
  });

  it('is stopped when its time is over, with what it started, and has failed even if it then exits 0', async () => {
    const script = `trap 'exit 0' TERM; sleep 1000 & echo $! > $DIR/pid; wait`;
    const { code, stdout } = await run(script, ['--run-once'], { env: { RUN_TIMEOUT_SECS: '0.5' } });
    expect(code).toBe(124);
    expect(stdout).toContain('"timeoutSeconds":0.5');
    const pid = Number(readFileSync(path('pid'), 'utf8'));
    await until(
      () => !existsSync(`/proc/${pid}/exe`) || !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('1000'),
      {
        what: 'what it started is gone',
      },
    );
  });

  it('without a command is a usage error', async () => {
    expect(await runCli(['run', '--'])).toMatchObject({ code: 64, stderr: expect.stringContaining('command') });
    expect(await runCli(['run', '--frobnicate', '--', 'true'])).toMatchObject({ code: 64 });
  });
});

describe('the log', () => {
  it('has every line with its level, in the log file too, and no secret of the environment', async () => {
    const script = `echo created; echo '[ERROR] no access' ; echo "token $API_TOKEN" >&2; echo; echo 'DEBUG: x'; printf 'no end'`;
    const env = { LOG_FILE: path('log'), PREFIX_LOG_LEVEL: 'true', API_TOKEN: 'hunter2-hunter2' };
    const { stdout } = await run(script, ['--run-once'], { env });
    const logged = lines(stdout);
    expect(logged.filter((line) => !line.startsWith('warn'))).toEqual([
      'info created',
      'error no access',
      'info no end',
    ]);
    expect(logged).toContain('warn token ***');
    const file = readFileSync(path('log'), 'utf8');
    expect(file).toContain('[INFO] created\n');
    expect(file).toContain('[ERROR] no access\n');
    expect(file + stdout).not.toContain('hunter2');
  });

  it('of a command does not have what it writes to LOG_FILE itself twice', async () => {
    const { stdout } = await run('echo "file=$LOG_FILE port=$PROMETHEUS_PORT once=$RUN_ONCE"', ['--run-once'], {
      env: { LOG_FILE: path('log'), PROMETHEUS_PORT: '0' },
    });
    expect(lines(stdout)).toEqual(['info file= port=0 once=true']);
  });
});

/** The address of the endpoints, from the log. */
const portOf = (log: string): string | undefined => /"metricsPort":(\d+)/.exec(log)?.[1];

async function page(log: string, name: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${portOf(log)}${name}`);
  return `${response.status} ${await response.text()}`;
}

describe('a loop', () => {
  it('runs again after success and failure, and shows the results in metrics, health and readiness', async () => {
    const stop = new AbortController();
    let log = '';
    const ended = run('echo run; until [ -e "$DIR/go" ]; do :; done; exit $(cat "$DIR/go")', [], {
      env: { SLEEP_DURATION_SECS: '0.1', INTEGRATION_NAME: 'labels', SHARDS: '2', SHARD_ID: '1' },
      signal: stop.signal,
      onStdout: (text) => {
        log += text;
      },
    });
    const metric = (name: string, value: string) =>
      until(
        async () =>
          (await page(log, '/metrics')).includes(`${name}{integration="labels",shards="2",shard_id="1-2"} ${value}\n`),
        {
          what: `${name} is ${value}`,
        },
      );
    await until(() => log.includes('"run"'), { what: 'it runs' });
    expect(await page(log, '/readyz')).toMatch(/^503 no pass has succeeded yet/);
    expect(await page(log, '/healthz')).toMatch(/^200 /);
    writeFileSync(path('go'), '3');
    await metric('qontract_reconcile_last_run_status', '3');
    expect(await page(log, '/readyz')).toMatch(/^503 /);
    writeFileSync(path('go'), '0');
    await metric('qontract_reconcile_last_run_status', '0');
    expect(await page(log, '/readyz')).toMatch(/^200 ready/);
    expect(await page(log, '/metrics')).toMatch(/^qontract_reconcile_last_run_seconds\{/m);
    stop.abort();
    expect((await ended).code).toBe(0);
  });
});

/** A process of its own, with SIGTERM as a pod gets it. */
function start(script: string, flags: readonly string[]): { log: () => string; exited: Promise<unknown[]> } {
  let log = '';
  child = spawn(join(REPO, 'bin/echelon'), ['run', ...LOCAL, ...flags, '--', 'sh', '-c', script], {
    env: { PATH, DIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    log += String(chunk);
  });
  return { log: () => log, exited: once(child, 'exit') };
}

describe('SIGTERM', () => {
  it('is forwarded, and what the command then does is waited for', async () => {
    const script = `trap 'echo finishing; echo done > "$DIR/finished"; exit 0' TERM; echo up; while :; do sleep 0.05; done`;
    const { log, exited } = start(script, []);
    await until(() => log().includes('"up"'), { what: 'it runs' });
    child?.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(readFileSync(path('finished'), 'utf8')).toBe('done\n');
    expect(lines(log())).toContain('info finishing');
  });

  it('and then another signal end everything at once, the command too', async () => {
    const script = `trap '' TERM; echo $$ > "$DIR/pid"; echo up; while :; do sleep 0.05; done`;
    const { log } = start(script, ['--grace', '1h']);
    await until(() => log().includes('"up"'), { what: 'it runs' });
    const pid = Number(readFileSync(path('pid'), 'utf8'));
    child?.kill('SIGTERM');
    child?.kill('SIGINT');
    await until(() => child?.exitCode !== null, { what: 'it has ended', timeoutSeconds: 20 });
    await until(() => !existsSync(`/proc/${pid}`), { what: 'the command is gone', timeoutSeconds: 20 });
  });

  it('ends a command that ignores it after the grace, and the loop is not a failure', async () => {
    const { log, exited } = start(`trap '' TERM; echo up; while :; do sleep 0.05; done`, ['--grace', '0s']);
    await until(() => log().includes('"up"'), { what: 'it runs' });
    child?.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(lines(log())).toContain('warn command killed: it did not end in time');
    expect(log()).not.toContain('pass failed');
  });
});
