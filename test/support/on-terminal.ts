import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { shellText } from '../../src/base/index.ts';
import { REPO } from './shared.ts';
import { type TerminalScreen, terminalScreen } from './terminal-screen.ts';

/** A process of `echelon` on a real terminal of its own. */
export interface OnTerminal extends Pick<TerminalScreen, 'modes'> {
  /** What is on the screen; throws when something was written that no terminal of this size shows. */
  screen(): string;
  /** As if a user typed it; `\u0003` is Ctrl-C. */
  type(text: string): void;
  /** Makes the terminal larger. */
  grow(columns: number, rows: number): Promise<void>;
  readonly ended: Promise<number | null>;
  dispose(): void;
}

export function onTerminal(
  args: readonly string[],
  { columns = 100, rows = 20, env }: { columns?: number; rows?: number; env: Readonly<Record<string, string>> },
): OnTerminal {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-terminal-'));
  const device = join(folder, 'tty');
  const command = shellText([join(REPO, 'bin/echelon'), ...args]);
  const child = spawn(
    'script',
    ['-qfec', `tty > ${device}; stty cols ${columns} rows ${rows}; exec ${command}`, '/dev/null'],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...env } },
  );
  const terminal = terminalScreen(columns, rows);
  let broken: unknown;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    try {
      terminal.write(text);
    } catch (error) {
      broken ??= error;
    }
  });
  return {
    screen: () => {
      if (broken !== undefined) throw broken;
      return terminal.shown().join('\n');
    },
    modes: terminal.modes,
    type: (text) => child.stdin.write(text),
    grow: async (newColumns, newRows) => {
      terminal.resize(newColumns, newRows);
      const tty = readFileSync(device, 'utf8').trim();
      await promisify(execFile)('stty', ['-F', tty, 'cols', String(newColumns), 'rows', String(newRows)]);
    },
    ended: once(child, 'close').then(([code]) => code as number | null),
    dispose: () => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
