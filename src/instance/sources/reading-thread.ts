import { parentPort, workerData } from 'node:worker_threads';
import { type PartTask, readPart } from './data-part.ts';

/** A thread that reads one part of an instance, sends it without copying its bytes, and ends. */
const part = readPart(workerData as PartTask);
if (part === undefined) parentPort?.postMessage(undefined);
else {
  const bytes = part.bytes.buffer as ArrayBuffer;
  parentPort?.postMessage({ ...part, bytes, length: part.bytes.length }, [bytes]);
}
