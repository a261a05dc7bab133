import { onTestFinished } from 'vitest';
import type { Ran, RunOptions } from './run-cli.ts';
import { type TerminalScreen, terminalScreen } from './terminal-screen.ts';

export interface WatchedRun extends Ran {
  /** What was on the screen after each observation. */
  readonly frames: readonly string[];
  /** What stays at the end. */
  readonly left: string;
  readonly terminal: TerminalScreen;
  /** Everything that was written to standard output, as it was written. */
  readonly raw: string;
}

interface WatchedOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What happens between two observations; the user interrupts after the last. */
  readonly acts?: readonly ((scene: Scene) => unknown)[];
}

interface Scene {
  /** Gives the terminal another size, and returns what is on it then. */
  resize(columns: number, rows: number): string;
}

/** Runs a command that watches on a terminal of its own. */
export async function watchedRun(
  run: (options: RunOptions) => Promise<Ran>,
  { columns = 100, rows = 24, env = {}, acts = [] }: WatchedOptions = {},
): Promise<WatchedRun> {
  const terminal = terminalScreen(columns, rows);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const frames: string[] = [];
  const size: NonNullable<RunOptions['size']> = { columns, rows };
  const scene: Scene = {
    resize: (newColumns, newRows) => {
      terminal.resize(newColumns, newRows);
      Object.assign(size, { columns: newColumns, rows: newRows });
      size.onResize?.();
      return terminal.shown().join('\n');
    },
  };
  const left = [...acts];
  let raw = '';
  const ran = await run({
    ...{ tty: true, size, signal: stop.signal, env: { NO_COLOR: '1', ...env }, onStderr: terminal.write },
    onStdout: (text) => {
      raw += text;
      terminal.write(text);
    },
    sleep: async () => {
      frames.push(terminal.shown().join('\n'));
      const act = left.shift();
      if (act === undefined) stop.abort();
      await act?.(scene);
    },
  });
  return { ...ran, frames, left: terminal.shown().join('\n'), terminal, raw };
}
