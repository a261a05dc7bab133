import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { readAhead } from '../../src/cli/ahead.ts';
import { treeKey } from '../../src/instance/index.ts';
import { readingThread } from '../../src/instance/sources/waiting-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'echelon-ahead-'));
const large = join(folder, 'large');
const small = join(folder, 'small');
const cache = join(folder, 'cache');
for (const place of [join(large, 'data'), join(small, 'data'), join(cache, 'answers')])
  mkdirSync(place, { recursive: true });
writeFileSync(join(cache, 'answers', `${treeKey(join(large, 'data'))}.bin`), Buffer.alloc(200_001));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a thread that reads is started ahead', () => {
  it.each([
    { args: ['validate', '--data', large], env: {}, threads: 1 },
    { args: ['validate', `--data=${large}`], env: {}, threads: 1 },
    { args: ['validate'], env: { ECHELON_DATA: large }, threads: 1 },
    { args: ['validate', `--data=${small}`], env: { ECHELON_DATA: large }, threads: 0 },
    { args: ['validate', '--data', join(folder, 'none')], env: {}, threads: 0 },
    { args: ['validate', '--data'], env: {}, threads: 0 },
  ])('for $args and $env: $threads', async ({ args, env, threads }) => {
    const started: Worker[] = [];
    const note = (thread: Worker) => started.push(thread);
    process.on('worker', note);
    readAhead(args, { ECHELON_CACHE: cache, ...env });
    await setImmediate();
    process.off('worker', note);
    expect(started).toHaveLength(threads);
    if (threads > 0) await readingThread().terminate();
  });
});
