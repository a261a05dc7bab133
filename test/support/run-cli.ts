import { defined } from '../../src/base/index.ts';
import { main } from '../../src/cli/main.ts';
import { REPO } from './shared.ts';

export interface RunOptions {
  /** The whole environment of the command; nothing of this process leaks in. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly tty?: boolean;
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** The time of rollouts. */
  readonly now?: () => Date;
  /** Called with what a command that keeps running prints. */
  readonly onStdout?: (text: string) => void;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command line in this process and returns what a user would see of it. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const isTTY = options.tty ?? false;
  const size = options.columns === undefined ? {} : { columns: options.columns };
  const output = (name: keyof typeof written) => ({
    isTTY,
    ...size,
    write: (text: string) => {
      written[name] = visible(written[name] + text);
      if (name === 'stdout') options.onStdout?.(text);
    },
  });
  const code = await main(args, {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: options.env ?? {},
    cwd: options.cwd ?? REPO,
    signal: options.signal ?? new AbortController().signal,
    ...defined({ now: options.now }),
  });
  return { code, ...written };
}

const ERASE_LINE = '\u001b[G\u001b[2K';

/** Without what a terminal no longer shows: how often progress is drawn depends on the machine. */
function visible(text: string): string {
  const [first = '', ...redrawn] = text.split(ERASE_LINE);
  return redrawn.reduce((shown, next) => shown.slice(0, shown.lastIndexOf('\n') + 1) + next, first);
}
