import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { inParts } from './data-part.ts';
import { readTogether } from './read-together.ts';
import { startReadingThread } from './waiting-thread.ts';

const FILES = 1_600;

/** The thread that is started meanwhile. */
async function threadOf(start: () => void): Promise<Worker> {
  const { promise, resolve } = Promise.withResolvers<Worker>();
  process.once('worker', resolve);
  start();
  return promise;
}

it.each([
  { given: 'ended', end: (thread: Worker) => thread.terminate() },
  { given: 'failed', end: async (thread: Worker) => thread.emit('error', new Error('out of memory')) },
])('a thread that $given before there was something to read is replaced', async ({ end }) => {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-thread-'));
  const paths = Array.from({ length: FILES }, (_, index) => `/${index}.yml`);
  for (const path of paths) writeFileSync(folder + path, `name: ${path}\n`);
  const thread = await threadOf(startReadingThread);
  await end(thread);
  const read = await readTogether(folder, inParts(paths), true).finish();
  await thread.terminate();
  expect(read?.flatMap(({ sizes }) => sizes)).toEqual(paths.map((path) => `name: ${path}\n`.length));
  rmSync(folder, { recursive: true });
});
