import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { processStat } from './process-identity.ts';
import { type ProcessOptions, runProcess } from './run-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-run-process-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (name: string): string => join(folder, name);

function node(script: string, options: ProcessOptions = {}) {
  return runProcess(process.execPath, ['-e', script], { cwd: folder, ...options });
}

/** Of a process that has written its id into a file. */
const pidIn = (name: string): number => Number(readFileSync(path(name), 'utf8'));

/** A process that has ended and whose parent does not care is not running. */
const isRunning = (pid: number): boolean => processStat(pid)?.isDead === false;

describe('a program', () => {
  it('has its output collected, and gets its input', async () => {
    const script = `process.stdin.pipe(process.stdout); console.error('err'); process.exitCode = 3`;
    const result = await node(script, { input: 'some\0bytes' });
    expect(result).toEqual({
      ...{ end: 'ended', code: 3 },
      ...{ stdout: Buffer.from('some\0bytes'), stderr: Buffer.from('err\n') },
    });
  });

  it('that does not read its input has not failed', async () => {
    expect(await node('', { input: Buffer.alloc(4 * 1024 * 1024) })).toMatchObject({ end: 'ended', code: 0 });
  });

  it('hands its output over as it comes', async () => {
    const seen: string[] = [];
    const result = await node(`console.log('out')`, { onStdout: (chunk) => void seen.push(chunk.toString()) });
    expect([seen.join(''), result]).toMatchObject(['out\n', { stdout: Buffer.alloc(0) }]);
  });

  it.each([
    {
      given: 'too much output',
      script: `console.log('x'.repeat(5000)); setInterval(() => {}, 1000)`,
      end: 'too-large',
    },
    { given: 'no end', script: `setInterval(() => {}, 1000)`, end: 'timed-out', timeoutMs: 300 },
  ])('is killed with $given', async ({ script, end, timeoutMs }) => {
    expect(await node(script, { maxBytes: 1000, timeoutMs })).toMatchObject({ end, code: null, endedBy: 'SIGKILL' });
  });

  it('is not started after an abort', async () => {
    const script = `require('node:fs').writeFileSync('started', '')`;
    expect(await node(script, { signal: AbortSignal.abort() })).toMatchObject({ end: 'interrupted', code: null });
    expect(existsSync(path('started'))).toBe(false);
  });

  it.each([
    { given: 'a file that is not there', file: 'missing', args: [], code: 'ENOENT' },
    {
      given: 'an argument that no process can have',
      file: process.execPath,
      args: ['a\0b'],
      code: 'ERR_INVALID_ARG_VALUE',
    },
  ])('is not started with $given', async ({ file, args, code }) => {
    expect(await runProcess(file, args, { cwd: folder })).toMatchObject({ end: 'not-started', cause: { code } });
  });

  it('is waited for, and not for a process that keeps its output open', async () => {
    const result = await node(`${detached('other', 'inherit')} process.stdout.write('all')`, { leftovers: 'stay' });
    expect(result).toMatchObject({ end: 'ended', code: 0, stdout: Buffer.from('all') });
    const pid = await started('other');
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});

/** JavaScript that starts a process in a session of its own, which writes its id into a file and stays. */
function detached(name: string, stdio: 'ignore' | 'inherit' = 'ignore', env = 'process.env', first = ''): string {
  const stay = `${first} process.on('SIGTERM', () => {}); require('node:fs').writeFileSync('${name}', String(process.pid)); setInterval(() => {}, 1000)`;
  return `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stay)}], { detached: true, stdio: '${stdio}', env: ${env} }).unref();`;
}

/** JavaScript that goes on when a file is there. */
const when = (name: string, act: string): string =>
  `setInterval(() => { if (require('node:fs').existsSync('${name}')) { ${act} } }, 5);`;

const started = (name: string): Promise<number> =>
  until(() => pidIn(name) || undefined, { what: `${name} has started` });

describe.runIf(process.platform === 'linux')('a process that left the session of a run', () => {
  it('ends with the program that started it', async () => {
    const result = await node(`${detached('child')} ${when('child', 'process.exit(0)')}`, { leftovers: 'all-end' });
    expect(result).toMatchObject({ end: 'ended', code: 0 });
    expect(isRunning(pidIn('child'))).toBe(false);
  });

  it('ends with it by the command setsid of a shell, too', async () => {
    const script = `setsid sh -c 'echo $$ > child; exec sleep 1000' </dev/null >/dev/null 2>&1 & while [ ! -s child ]; do :; done`;
    const result = await runProcess('/bin/sh', ['-c', script], { cwd: folder, leftovers: 'all-end' });
    expect(result).toMatchObject({ end: 'ended', code: 0 });
    expect(isRunning(pidIn('child'))).toBe(false);
  });

  it('ends with it when the process between them has ended', async () => {
    const between = `${detached('grandchild')} ${when('grandchild', 'process.exit(0)')}`;
    const result = await node(
      `${detached('between', 'ignore', 'process.env', between)} ${when('grandchild', 'process.exit(0)')}`,
      {
        leftovers: 'all-end',
      },
    );
    expect(result).toMatchObject({ end: 'ended', code: 0 });
    expect([isRunning(pidIn('between')), isRunning(pidIn('grandchild'))]).toEqual([false, false]);
  });

  it.each([
    { given: 'its environment', env: 'process.env' },
    { given: 'no environment, by its parent', env: '{}' },
  ])('ends with an interrupted run: found with $given', async ({ env }) => {
    const stop = new AbortController();
    const script = `process.on('SIGTERM', () => {}); ${detached('child', 'ignore', env)} setInterval(() => {}, 1000)`;
    const ran = node(script, { signal: stop.signal, graceMs: 50, leftovers: 'all-end' });
    const pid = await started('child');
    stop.abort();
    expect(await ran).toMatchObject({ end: 'interrupted', endedBy: 'SIGKILL' });
    expect(isRunning(pid)).toBe(false);
  });

  it('is asked to end before it is killed', async () => {
    const stop = new AbortController();
    const polite = `process.on('SIGTERM', () => { require('node:fs').writeFileSync('asked', ''); process.exit() });`;
    const script = `${detached('child', 'ignore', 'process.env', polite)} process.on('SIGTERM', () => {}); ${when('asked', 'process.exit(0)')}`;
    const ran = node(script, { signal: stop.signal, graceMs: 60_000, leftovers: 'all-end' });
    await started('child');
    stop.abort();
    expect(await ran).toMatchObject({ end: 'interrupted', code: 0 });
  });

  it('belongs to a run within the run as well', async () => {
    const inner = `import { runProcess } from ${JSON.stringify(join(import.meta.dirname, 'run-process.ts'))};
      await runProcess(process.execPath, ['-e', ${JSON.stringify(`${detached('child')} setInterval(() => {}, 1000)`)}], { leftovers: 'all-end' });`;
    const stop = new AbortController();
    const ran = runProcess(process.execPath, ['--input-type=module', '-e', inner], {
      ...{ cwd: folder, signal: stop.signal, graceMs: 0, leftovers: 'all-end' },
    });
    const pid = await started('child');
    stop.abort();
    expect(await ran).toMatchObject({ end: 'interrupted' });
    expect(isRunning(pid)).toBe(false);
  });
});
