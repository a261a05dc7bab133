import { parentPort } from 'node:worker_threads';
import type { DataPart } from './data-part.ts';
import { claim, type ReadingTask, readNext, type SentPart } from './read-together.ts';

/** A thread that waits for a task, reads parts as long as some are left, sends their bytes without copying them, and ends. */
parentPort?.once('message', (task: ReadingTask) => {
  const read: (DataPart | undefined)[] = [];
  while (claim(task)) read.push(readNext(task, task.parts[read.length]));
  const sent = read.flatMap((part) => (part === undefined ? [] : [partToSend(part)]));
  const buffers = sent.map(({ buffer }) => buffer);
  if (sent.length < read.length) parentPort?.postMessage(undefined);
  else parentPort?.postMessage(sent, buffers);
});

function partToSend({ sizes, bytes }: DataPart): SentPart {
  return { sizes, buffer: bytes.buffer as ArrayBuffer, length: bytes.length };
}
