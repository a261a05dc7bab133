import { createInterface } from 'node:readline/promises';

export interface Terminal {
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
