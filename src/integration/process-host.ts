import type { IntegrationHost } from '../runtime/index.ts';

/** What an integration uses of its process. */
export interface ProcessHost extends IntegrationHost {
  readonly stderr: { write(text: string): void };
  readonly cwd: string;
}

/** This process: ended by SIGINT and SIGTERM, and by a reader of its output that stops reading. */
export function processHost(): ProcessHost {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return {
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    cwd: process.cwd(),
    signal: stop.signal,
    exitNow: (code) => process.exit(code),
  };
}
