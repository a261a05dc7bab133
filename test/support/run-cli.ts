import { defined } from '../../src/base/index.ts';
import type { Output } from '../../src/cli/io.ts';
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
  /** The same for standard error. */
  readonly onStderr?: (text: string) => void;
  /** Between two observations of a command that watches. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** The size of the terminal, which can change. */
  readonly size?: { columns: number; rows: number; onResize?: () => void };
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
  const output = (name: keyof typeof written): Output => ({
    isTTY,
    get columns() {
      return options.size?.columns ?? options.columns;
    },
    get rows() {
      return options.size?.rows;
    },
    on: (_, listener) => {
      if (options.size !== undefined) options.size.onResize = listener;
    },
    off: () => delete options.size?.onResize,
    write: (text: string) => {
      written[name] = text.includes(ERASE_LINE) ? visible(written[name] + text) : written[name] + text;
      (name === 'stdout' ? options.onStdout : options.onStderr)?.(text);
    },
  });
  const code = await main(args, {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: options.env ?? {},
    cwd: options.cwd ?? REPO,
    signal: options.signal ?? new AbortController().signal,
    ...defined({ now: options.now, sleep: options.sleep }),
  });
  return { code, ...written };
}

const ERASE_LINE = '\u001b[G\u001b[2K';

/** Without what a terminal no longer shows: how often progress is drawn depends on the machine. */
function visible(text: string): string {
  const [first = '', ...redrawn] = text.split(ERASE_LINE);
  return redrawn.reduce((shown, next) => shown.slice(0, shown.lastIndexOf('\n') + 1) + next, first);
}
