import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { DataPart, PartTask } from './data-part.ts';

type Sent = Omit<DataPart, 'bytes'> & { readonly bytes: ArrayBuffer; readonly length: number };

/** Reads a part in a thread, while this one reads another. Undefined when it cannot: whoever asks reads it itself. */
export function readBeside(task: PartTask): Promise<DataPart | undefined> {
  const thread = new URL(import.meta.url.endsWith('.ts') ? 'reading-thread.ts' : 'reading-thread.js', import.meta.url);
  return new Promise((resolve) => {
    try {
      const worker = new Worker(thread, { workerData: task, env: SHARE_ENV });
      worker.once('message', (sent: Sent | undefined) =>
        resolve(sent === undefined ? undefined : { ...sent, bytes: Buffer.from(sent.bytes, 0, sent.length) }),
      );
      worker.once('error', () => resolve(undefined));
      worker.once('exit', () => resolve(undefined));
    } catch {
      resolve(undefined);
    }
  });
}
