import { spawn } from 'node:child_process';
import { endOf, killGroup } from '../process/index.ts';

interface ProcessOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
}

type Stopped = 'timeout' | 'too-large' | 'aborted';

export type Outcome =
  | { readonly end: Stopped }
  | { readonly end: 'not-started'; readonly cause: Error }
  | {
      readonly end: 'ended';
      /** Null when a signal ended it. */
      readonly code: number | null;
      readonly stdout: string;
      readonly stderr: string;
    };

/** Runs a program to its end, or stops it together with everything that it has started: it has a process group of its own. */
export async function runProcess(file: string, args: readonly string[], options: ProcessOptions): Promise<Outcome> {
  const { env, timeoutMs, maxOutputBytes, signal } = options;
  if (signal?.aborted === true) return { end: 'aborted' };
  const child = spawn(file, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let stopped: Stopped | undefined;
  const stop = (why: Stopped): void => {
    stopped ??= why;
    killGroup(child);
  };
  const onAbort = (): void => stop('aborted');
  const timer = setTimeout(() => stop('timeout'), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let bytes = 0;
  const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxOutputBytes) stop('too-large');
    else chunks.push(chunk);
  };
  child.stdout.on('data', keep(stdout));
  child.stderr.on('data', keep(stderr));
  try {
    const code = await endOf(child);
    if (stopped !== undefined) return { end: stopped };
    return { end: 'ended', code, stdout: text(stdout), stderr: text(stderr) };
  } catch (cause) {
    return { end: 'not-started', cause: cause as Error };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
