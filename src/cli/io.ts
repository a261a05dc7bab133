import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { EchelonError } from '../base/index.ts';

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
  /** Standard input; called only to read it, since opening it takes time. */
  readonly stdin?: () => AsyncIterable<Buffer | string>;
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

/** package.json is beside `src/` in a checkout and beside `dist/` when installed. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

export interface ConsentQuestion {
  /** `Apply 3 changes`. */
  readonly question: string;
  /** The value of `--yes`. */
  readonly yes: boolean | undefined;
  /** Without a terminal: the error to throw, or to proceed. */
  readonly unattended: 'proceed' | { readonly message: string; readonly hint: string };
}

/** Whether a change may be made: `--yes` confirms, else the user on the terminal. The variable CI is not consent: many shells export it. */
export async function consent(io: Io, { question, yes, unattended }: ConsentQuestion): Promise<boolean> {
  if (yes === true) return true;
  const ask = asker(io);
  if (ask === undefined) {
    if (unattended === 'proceed') return true;
    throw new EchelonError({ code: 'CONSENT_MISSING', ...unattended });
  }
  const answer = await ask(`${question}? Only "yes" is accepted: `);
  if (answer?.trim().toLowerCase() === 'yes') return true;
  io.stderr.write('nothing was changed\n');
  return false;
}

interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Prompts the user on the terminal. Ctrl-C, Ctrl-D or a signal instead of an answer gives undefined. */
export async function askUser(question: string, { input, output, signal }: Terminal): Promise<string | undefined> {
  const terminal = createInterface({ input, output });
  try {
    return await terminal.question(question, { signal });
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.name !== 'AbortError') throw thrown;
    output.write('\n');
    return undefined;
  } finally {
    terminal.close();
  }
}

/** Resolves when the command is interrupted. */
export function interruption(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
