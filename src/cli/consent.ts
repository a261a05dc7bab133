import { createInterface } from 'node:readline/promises';
import { EchelonError } from '../base/index.ts';
import { asker, type Io } from './io.ts';

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
