import { StringDecoder } from 'node:string_decoder';

interface OutputLines {
  readonly write: (chunk: Buffer) => void;
  /** Hands over what is left without a line end. */
  readonly end: () => void;
}

const MAX_LINE = 64 * 1024;
/** Cut from the end of a line that is cut: it may hold the beginning of a token that only its form gives away. */
const SECRET_ROOM = 8 * 1024;

/** Whole lines of a program's output, without their ends and redacted; a line of any length needs bounded memory. */
export function outputLines(redact: (text: string) => string, put: (line: string) => void): OutputLines {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let cutting = false;
  /** A line that does not end is shortened. Marked as cut before it is redacted: its end may be the beginning of a secret. */
  const cut = (): void => {
    if (pending.length <= MAX_LINE) return;
    const shown = cutting ? '' : redact(`${pending}…`).replace(/…$/, '');
    if (!cutting) put(`${shown.slice(0, MAX_LINE - SECRET_ROOM)}… line truncated`);
    cutting = true;
    pending = '';
  };
  const take = (text: string): void => {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      if (cutting) cutting = false;
      else put(redact(line));
    }
    cut();
  };
  return {
    write: (chunk) => take(decoder.write(chunk)),
    end: () => {
      take(decoder.end());
      if (pending !== '' && !cutting) put(redact(pending));
      pending = '';
    },
  };
}
