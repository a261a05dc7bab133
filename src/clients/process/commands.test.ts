import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { defined, isImage } from '../../base/index.ts';
import { containerCommand, openLog, type RunOptions, runCommand } from './commands.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'echelon-runner-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (name: string): string => join(folder, name);
const log = (): string => readFileSync(path('logs/a.txt'), 'utf8');

/** Only ends what hangs. */
const PATIENCE_MS = 300_000;

function runScript(script: string, options: Partial<RunOptions> = {}, afterStop?: readonly string[]) {
  const command = {
    file: process.execPath,
    args: ['-e', script, '--'],
    env: { DIR: folder },
    cwd: folder,
    ...defined({ afterStop }),
  };
  return runCommand(command, { log: path('logs/a.txt'), redact: (text) => text, timeoutMs: PATIENCE_MS, ...options });
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a program', () => {
  it('has its output in the log and its exit code told', async () => {
    const result = await runScript(`console.log('out'); console.error('err'); process.exitCode = 3`);
    expect(result).toMatchObject({ end: 'ended', exitCode: 3 });
    expect(log().split('\n').sort()).toEqual(['', 'err', 'out']);
    expect(result.tail).toBe(log());
  });

  it('has its last line in the log without a line end too', async () => {
    await runScript(`console.log('out'); process.stdout.write('no end')`);
    expect(log()).toBe('out\nno end\n');
  });

  it('that is not there did not start', async () => {
    const command = { file: path('missing'), args: [], env: {}, cwd: folder };
    const result = await runCommand(command, {
      log: path('logs/a.txt'),
      redact: (text) => text,
      timeoutMs: PATIENCE_MS,
    });
    expect(result).toMatchObject({ end: 'not-started', reason: expect.stringContaining('ENOENT') });
  });

  it('with an argument that no process can have did not start', async () => {
    const command = { file: process.execPath, args: ['a\0b'], env: {}, cwd: folder };
    const result = await runCommand(command, {
      log: path('logs/a.txt'),
      redact: (text) => text,
      timeoutMs: PATIENCE_MS,
    });
    expect(result).toMatchObject({ end: 'not-started', reason: expect.stringContaining('null bytes') });
  });

  it('that a signal ends says so', async () => {
    expect(await runScript(`process.kill(process.pid, 'SIGKILL')`)).toMatchObject({ end: 'ended', exitCode: null });
  });

  it('takes what it started with it when it is interrupted, even what does not listen', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const { writeFileSync } = require('node:fs');
      const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')"]);
      child.stdout.once('data', () => writeFileSync(process.env.DIR + '/pid', String(child.pid)));
      process.on('SIGTERM', () => {});
      setInterval(() => {}, 1000);`;
    const stop = new AbortController();
    const ran = runScript(script, { signal: stop.signal, graceMs: 50 });
    const pid = await until(() => Number(readFileSync(path('pid'), 'utf8')), { what: 'it runs' });
    expect(alive(pid)).toBe(true);
    stop.abort();
    expect(await ran).toMatchObject({ end: 'interrupted', exitCode: null });
    await until(() => !alive(pid), { what: 'the child is gone' });
  });

  it('takes what it left behind with it when it ends', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      require('node:fs').writeFileSync(process.env.DIR + '/pid', String(child.pid));
      process.exit(0);`;
    expect(await runScript(script)).toMatchObject({ end: 'ended', exitCode: 0 });
    const pid = Number(readFileSync(path('pid'), 'utf8'));
    await until(() => !alive(pid), { what: 'the child is gone' });
  });

  it('that is stopped is followed by what undoes it', async () => {
    const undo = ['-e', `require('node:fs').writeFileSync(process.env.DIR + '/undone', '')`];
    expect(await runScript('setInterval(() => {}, 1000)', { timeoutMs: 300 }, undo)).toMatchObject({
      end: 'timed-out',
    });
    expect(existsSync(path('undone'))).toBe(true);
    rmSync(path('undone'));
    await runScript('', {}, undo);
    expect(existsSync(path('undone'))).toBe(false);
  });
});

describe('a log', () => {
  it('is no longer than allowed, while the end is still told', async () => {
    const { tail } = await runScript(`for (let n = 0; n < 3000; n += 1) console.log('line ' + n)`, {
      maxLogBytes: 1000,
    });
    expect(log().length).toBeLessThan(1100);
    expect(log()).toContain('… log truncated at 1000 bytes');
    expect(tail).toContain('line 2999\n');
    expect(tail.length).toBeLessThanOrEqual(4000);
  });

  it('has no secret in it, also one that comes in pieces', () => {
    const file = openLog(path('logs/a.txt'), {
      redact: (text) => text.replaceAll('gehäuse', '***'),
      maxBytes: 1000,
    });
    for (const byte of Buffer.from('a gehäuse b\nand gehäuse')) file.write(Buffer.from([byte]));
    file.close();
    expect([file.tail(), log()]).toEqual(['a *** b\nand ***\n', 'a *** b\nand ***\n']);
  });

  it('has a line without an end cut, and the next one whole', async () => {
    await runScript(`process.stdout.write('x'.repeat(300000) + '\\nnext\\n')`);
    expect(log()).toMatch(/^x{57344}… line truncated\nnext\n$/);
  });

  it('replaces an older one, and is not written through a link', async () => {
    writeFileSync(path('elsewhere'), 'kept');
    await runScript(`console.log('one')`);
    rmSync(path('logs/a.txt'));
    symlinkSync(path('elsewhere'), path('logs/a.txt'));
    await runScript(`console.log('two')`);
    expect([log(), readFileSync(path('elsewhere'), 'utf8')]).toEqual(['two\n', 'kept']);
  });
});

describe('a container', () => {
  it('is named, removed at its end and when it is stopped, and gets variables by name', () => {
    const command = containerCommand({
      engine: 'podman',
      image: 'quay.io/x/y:1',
      name: 'echelon-1-../../a b',
      variables: { A: '$(x)', B: 'secret' },
      passed: {},
      engineArgs: ['--network=none'],
      args: ['run', '-x'],
      env: { PATH: '/bin' },
      cwd: '/',
    });
    const [, , , name = ''] = command.args;
    expect(name).toMatch(/^echelon-1-a-b-[0-9a-f]{8}$/);
    expect(command).toEqual({
      file: 'podman',
      args: ['run', '--rm', '--name', name, '--network=none', '--env', 'A', '--env', 'B', 'quay.io/x/y:1', 'run', '-x'],
      env: { PATH: '/bin', A: '$(x)', B: 'secret' },
      cwd: '/',
      afterStop: ['rm', '--force', name],
    });
  });

  it('gets passed variables, by name where the environment has the value; the engine keeps its own', () => {
    const { args, env } = containerCommand({
      engine: 'podman',
      image: 'x',
      name: 'x',
      variables: { DRY_RUN: '--dry-run' },
      passed: { TOKEN: 'secret', PATH: '/inside', DRY_RUN: '' },
      engineArgs: [],
      args: [],
      env: { PATH: '/bin', TOKEN: 'secret', HOME: '/me' },
      cwd: '/',
    });
    expect(args.slice(4)).toEqual(['--env', 'TOKEN', '--env', 'PATH=/inside', '--env', 'DRY_RUN', 'x']);
    expect(env).toEqual({ PATH: '/bin', TOKEN: 'secret', HOME: '/me', DRY_RUN: '--dry-run' });
  });

  it.each([
    ['quay.io/app-sre/qontract-reconcile:f929a38', true],
    ['localhost:5000/x', true],
    [`x@sha256:${'a'.repeat(64)}`, true],
    ['--privileged', false],
    ['x:-v', false],
    ['a b', false],
    ['x:$(id)', false],
    ['../x', false],
    ['', false],
    ['x;y', false],
  ])('of %j: %j', (text, expected) => {
    expect(isImage(text)).toBe(expected);
  });
});
