import { normalize } from 'node:path';
import { type DataPart, FILES_IN_PART, readPart } from './data-part.ts';
import { MAX_HELD_BYTES } from './file-bytes.ts';
import { readingThread } from './waiting-thread.ts';

/** A second thread takes as long to start as this one needs for about as many files. */
const FILES_FOR_TWO = 1_500;

/** What a thread needs to read parts from the first one on; the other one begins with the last. */
export interface ReadingTask {
  readonly folder: string;
  /** Datafiles, joined. */
  readonly parts: readonly string[];
  readonly isLocal: boolean;
  /** What all threads see: how many parts nobody has begun to read, and how many bytes were read. */
  readonly counts: Int32Array<SharedArrayBuffer>;
}

const [LEFT, READ] = [0, 1];

export interface Reading {
  /** All parts in their order; undefined for what cannot be held. */
  finish(): Promise<DataPart[] | undefined>;
  /** For what turns out not to be needed. */
  stop(): void;
}

/** Reads datafiles, many of them in two threads: the second one begins at once, this one when it has nothing better to do. */
export function readTogether(location: string, parts: readonly string[], isLocal: boolean): Reading {
  const folder = normalize(location);
  const counts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  counts[LEFT] = parts.length;
  const task: ReadingTask = { folder, parts, isLocal, counts };
  const beside = parts.length * FILES_IN_PART < FILES_FOR_TWO ? undefined : readBeside(task);
  return {
    stop: () => Atomics.store(counts, LEFT, 0),
    finish: async () => {
      const last: (DataPart | undefined)[] = [];
      while (claim(task)) last.unshift(readNext(task, parts.at(-1 - last.length)));
      if (last.includes(undefined)) return undefined;
      const first = parts.slice(0, parts.length - last.length);
      const sent = first.length === 0 ? [] : await beside;
      const all = [...(sent ?? first.map((part) => readNext(task, part))), ...last];
      return whole(all);
    },
  };
}

/** Whether one more part is the caller's. */
export function claim({ counts }: ReadingTask): boolean {
  return Atomics.sub(counts, LEFT, 1) > 0;
}

/** Undefined for what cannot be held, also with all that was read before; then nobody reads on. */
export function readNext({ folder, isLocal, counts }: ReadingTask, paths = ''): DataPart | undefined {
  const part = Atomics.load(counts, READ) > MAX_HELD_BYTES ? undefined : readPart(folder, paths, isLocal);
  const { length } = part?.bytes ?? [];
  if (part !== undefined && Atomics.add(counts, READ, length) + length <= MAX_HELD_BYTES) return part;
  Atomics.store(counts, LEFT, 0);
  return undefined;
}

function whole(parts: readonly (DataPart | undefined)[]): DataPart[] | undefined {
  const read = parts.filter((part) => part !== undefined);
  return read.length === parts.length ? read : undefined;
}

/** The parts that the thread has read; undefined when it cannot: whoever asks reads them itself. */
function readBeside(task: ReadingTask): Promise<DataPart[] | undefined> {
  return new Promise((resolve) => {
    try {
      const thread = readingThread();
      thread.once('message', (sent: readonly SentPart[] | undefined) => resolve(sent && received(sent, task.parts)));
      thread.once('error', () => resolve(undefined));
      thread.once('exit', () => resolve(undefined));
      thread.postMessage(task);
    } catch {
      resolve(undefined);
    }
  });
}

export interface SentPart {
  readonly sizes: readonly number[];
  readonly buffer: ArrayBuffer;
  readonly length: number;
}

function received(sent: readonly SentPart[], parts: readonly string[]): DataPart[] {
  return sent.map(({ sizes, buffer, length }, index) => ({
    ...{ paths: parts[index] ?? '', sizes },
    bytes: Buffer.from(buffer, 0, length),
  }));
}
