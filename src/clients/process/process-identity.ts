import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Identifies a process uniquely: pids are reused, and each container has its own. */
export interface ProcessIdentity {
  /** The machine since its last start and the namespace of its pids. */
  readonly place: string;
  readonly pid: number;
  /** Start time in an opaque unit; `0` if unknown. */
  readonly start: string;
}

export function ownIdentity(): ProcessIdentity {
  return { place: machineId(), pid: process.pid, start: processStat(process.pid)?.start ?? '0' };
}

/** An identity as part of a file name. */
export function identityText({ place, pid, start }: ProcessIdentity): string {
  return `${place}-${pid}-${start}`;
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, place, pid, start] = /^([0-9a-f]+)-(\d+)-(\d+)$/.exec(text) ?? [];
  if (place === undefined || pid === undefined || start === undefined) return undefined;
  return { place, pid: Number(pid), start };
}

/** Whether the process runs; undefined when that cannot be seen from here. */
export function isRunning({ place, pid, start }: ProcessIdentity): boolean | undefined {
  const { place: here } = ownIdentity();
  if (place !== here) return undefined;
  if (start === '0') return answersSignals(pid);
  const found = processStat(pid);
  return found !== undefined && found.start === start && !found.isDead;
}

function machineId(): string {
  const parts = [hostname(), text('/proc/sys/kernel/random/boot_id'), namespaceOfPids()];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

function namespaceOfPids(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

export interface ProcessStat {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly start: string;
  /** It has ended, and its parent has not asked how. */
  readonly isDead: boolean;
}

/** Fields of proc(5) from the third on; the second is a name in parentheses that may hold anything. Undefined where there is none. */
export function processStat(pid: number): ProcessStat | undefined {
  const stat = text(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  const start = fields[19];
  if (start === undefined) return undefined;
  const numbers = { parent: Number(parent), group: Number(group), session: Number(session) };
  return { ...numbers, start, isDead: /^[ZXx]$/.test(state) };
}

function text(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A port of the loopback interface that nothing listens on now. */
export function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/**
 * From now on garbage is collected when the heap of this process has grown by half, not when it is up to four times as large: for a job
 * that keeps little of what it makes.
 */
export function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
