import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { holdFiles } from '../../src/instance/sources/held-files.ts';

/**
 * Run in mounts of its own: prints for an instance, and after each of the mounts below its `data/`, what is held of it with a memory
 * of its folders, and without one.
 *
 * Arguments: the instance, then pairs of what is mounted and where.
 */
const [root = '', ...mounts] = process.argv.slice(2);
const kept = new Map<string, Buffer>();
const store = {
  getBytes: (key: string) => kept.get(key),
  setBytes: (key: string, bytes: Buffer) => void kept.set(key, bytes),
};

const held: unknown[] = [];
async function hold(): Promise<void> {
  const memory = { store, code: 'code', now: Date.now() + 10_000 };
  for (const again of [memory, memory, undefined]) held.push(holdFiles(root, again)?.fingerprint ?? null);
}

await hold();
for (let index = 0; index < mounts.length; index += 2) {
  const place = join(root, 'data', mounts[index + 1] ?? '');
  execFileSync('mount', ['--bind', mounts[index] ?? '', place]);
  await hold();
  execFileSync('umount', [place]);
  await hold();
}
process.stdout.write(JSON.stringify(held));
