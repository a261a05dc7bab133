import { readFileSync } from 'node:fs';

/** Everything a command uses of its process, so that tests can run commands in their own process. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The time that a command decides and dates by; the clock of the machine by default. */
  readonly now?: () => Date;
  /** How a command that watches waits for its next observation; by default until then, or until it is interrupted. */
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** `--progress`: report progress also where standard error is not a terminal. */
  readonly progress?: boolean;
  /** Prompts the user; absent without a terminal. Gives undefined when the user leaves instead of answering. */
  readonly ask?: (question: string) => Promise<string | undefined>;
  /** False when there is no terminal to prompt on; called only to prompt, since opening standard input takes time. */
  readonly hasTerminal?: () => boolean;
  /** Ends the process when something does not stop in time. */
  readonly exitNow?: (code: number) => void;
  /** Every secret is added here, so that no output ever contains it. */
  readonly onSecret?: (secret: string) => void;
}

/** How to prompt the user, if there is one. */
export function asker(io: Io): Io['ask'] {
  return io.hasTerminal?.() === false ? undefined : io.ask;
}

export interface Output {
  write(text: string): void;
  readonly isTTY: boolean;
  /** The size of the terminal, now. */
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

/** Exit codes, after sysexits where one fits; listed by `--help`. */
export const EXIT = { ok: 0, failed: 1, changes: 2, notCompared: 2, usage: 64, interrupted: 130 } as const;

/** Codes with their meaning, as `--help` lists them; `own` are those of one command. */
export function exitHelp(own: Readonly<Record<number, string>> = {}): string {
  const usual = { 0: 'success', 1: 'problems found, or the command failed', 64: 'invalid command line' };
  const lines = Object.entries({ ...usual, ...own }).map(([code, meaning]) => `  ${code.padEnd(4)}${meaning}\n`);
  return `\nExit codes:\n${lines.join('')}`.trimEnd();
}

/** package.json is beside `src/` in a checkout and beside `dist/` when installed. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
