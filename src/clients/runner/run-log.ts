import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { humanBytes } from '../../base/index.ts';
import { outputLines } from './output-lines.ts';

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

const TAIL_CHARS = 4_000;

/** A log on disk that holds whole lines without secrets, and no more bytes than allowed. */
export function openLog(path: string, { redact, maxBytes }: LogOptions): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  // Never through a link left there by another process.
  rmSync(path, { force: true });
  const file = openSync(path, 'wx', 0o600);
  let tail = '';
  let room = maxBytes;
  let open = true;
  const lines = outputLines(redact, (line) => {
    const all = `${tail}${line}\n`;
    tail = all.length <= TAIL_CHARS ? all : `…${all.slice(1 - TAIL_CHARS)}`;
    if (room <= 0) return;
    const bytes = Buffer.from(`${line}\n`);
    writeSync(file, bytes.subarray(0, room));
    room -= bytes.length;
    if (room <= 0) writeSync(file, `…\n… log truncated at ${humanBytes(maxBytes)}\n`);
  });
  return {
    write: lines.write,
    tail: () => tail,
    close: () => {
      if (!open) return;
      open = false;
      lines.end();
      closeSync(file);
    },
  };
}
