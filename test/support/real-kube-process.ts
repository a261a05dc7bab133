import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TAIL_LINES = 25;
const TAIL_COLUMNS = 400;

/** A server that writes to `<name>.log` of the folder. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  hasExited(): boolean;
  /** Ends it at once and returns when it is gone. */
  kill(): Promise<void>;
  /** The last lines that it logged. */
  tail(): string;
}

export interface Servers {
  start(name: string, binary: string, args: readonly string[]): ServerProcess;
  /** The pids of all that run, the guard's included. */
  pids(): number[];
  /** Ends all of them, removes the folder, and returns when they are gone. */
  close(): Promise<void>;
}

/**
 * Waits for the end of its standard input, which comes when the process that holds the other end closes it or dies,
 * however it dies. Then it kills whatever has a pid file and removes the folder.
 */
const GUARD = `
trap '' INT TERM HUP
read -r _
for file in "$1"/*.pid; do
  if [ -f "$file" ]; then kill -9 "$(cat "$file")"; fi
done
for attempt in 1 2 3 4 5; do
  if rm -rf "$1"; then break; fi
  sleep 1
done
`;

/** Starts servers that do not outlive this process. The folder is theirs, and goes with them. */
export function guardedServers(folder: string): Servers {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', folder], { stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
  const running = new Map<ServerProcess, ChildProcess>();
  const killAll = (): void => {
    for (const child of running.values()) child.kill('SIGKILL');
  };
  process.on('exit', killAll);

  function start(name: string, binary: string, args: readonly string[]): ServerProcess {
    const child = spawnLogged(folder, name, binary, args);
    const pidFile = join(folder, `${name}.pid`);
    const { pid } = child;
    if (pid === undefined) throw new Error(`${binary} cannot be started`);
    writeFileSync(pidFile, String(pid));
    const server: ServerProcess = {
      ...{ name, pid, tail: () => tailOf(join(folder, `${name}.log`)) },
      hasExited: () => !running.has(server),
      kill: async () => {
        if (!running.has(server)) return;
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      },
    };
    running.set(server, child);
    child.once('exit', () => {
      running.delete(server);
      rmSync(pidFile, { force: true });
    });
    return server;
  }

  async function close(): Promise<void> {
    await Promise.all([...running.keys()].map((server) => server.kill()));
    process.off('exit', killAll);
    if (guard.exitCode !== null) return;
    const exited = once(guard, 'exit');
    guard.stdin.end();
    await exited;
  }

  const pids = (): number[] => [guard.pid!, ...[...running.keys()].map(({ pid }) => pid)];
  return { start, pids, close };
}

/** An empty environment: what the person at the machine has set is none of the server's business. */
function spawnLogged(folder: string, name: string, binary: string, args: readonly string[]): ChildProcess {
  const log = openSync(join(folder, `${name}.log`), 'a');
  try {
    const child = spawn(binary, args, { cwd: folder, env: {}, stdio: ['ignore', log, log] });
    // A spawn that fails has no pid, which the caller sees.
    child.on('error', () => {});
    return child;
  } finally {
    closeSync(log);
  }
}

function tailOf(log: string): string {
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES);
  return lines.map((line) => line.slice(0, TAIL_COLUMNS)).join('\n');
}
