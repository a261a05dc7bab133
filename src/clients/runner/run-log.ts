import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { humanBytes } from '../../base/index.ts';

interface LogOptions {
  readonly redact: (text: string) => string;
  readonly maxBytes: number;
}

export interface LogFile {
  readonly write: (chunk: Buffer) => void;
  /** The last lines, as they are in the file; also of what came after the file was full. */
  readonly tail: () => string;
  readonly close: () => void;
}

const MAX_LINE = 64 * 1024;
/** Cut from the end of a line that is cut: it may hold the beginning of a secret. */
const SECRET_ROOM = 8 * 1024;
const TAIL_CHARS = 4_000;

/** A log on disk that holds whole lines without secrets, and no more bytes than allowed. */
export function openLog(path: string, { redact, maxBytes }: LogOptions): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  // Never through a link left there by another process.
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let cutting = false;
  let tail = '';
  let room = maxBytes;
  let open = true;

  const put = (text: string): void => {
    const safe = redact(text);
    tail = (tail + safe).slice(-TAIL_CHARS);
    if (room <= 0) return;
    const bytes = Buffer.from(safe);
    writeSync(file, bytes.subarray(0, room));
    room -= bytes.length;
    if (room <= 0) writeSync(file, `\n… log truncated at ${humanBytes(maxBytes)}\n`);
  };
  /** A line that does not end is shortened: its end, where a secret may have begun, is not shown. */
  const cut = (): void => {
    if (pending.length <= MAX_LINE) return;
    if (!cutting) put(`${redact(pending).slice(0, MAX_LINE - SECRET_ROOM)}… line truncated\n`);
    cutting = true;
    pending = '';
  };
  const take = (text: string): void => {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      if (cutting) cutting = false;
      else put(`${line}\n`);
    }
    cut();
  };
  return {
    write: (chunk) => take(decoder.write(chunk)),
    tail: () => tail,
    close: () => {
      if (!open) return;
      open = false;
      take(decoder.end());
      if (pending !== '' && !cutting) put(`${pending}\n`);
      pending = '';
      closeSync(file);
    },
  };
}
