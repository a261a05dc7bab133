import { createInterface } from 'node:readline/promises';

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Asks a person. Whoever ends it instead of answering, by Ctrl-C, Ctrl-D or a signal, has said nothing. */
export async function askPerson(question: string, { input, output, signal }: Terminal): Promise<string> {
  const terminal = createInterface({ input, output });
  try {
    return await terminal.question(question, { signal });
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.name !== 'AbortError') throw thrown;
    output.write('\n');
    return '';
  } finally {
    terminal.close();
  }
}
