import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A run of all tests needs about a fiftieth of it. */
const ENOUGH_BYTES = 2 * 1024 ** 3;
const MEMORY = '/dev/shm';

let folder: string | undefined;

/**
 * Tests make thousands of small files and repositories. They go to a folder in memory where the machine has one that is large
 * enough and may run programs, else to the folder for temporary files; either way nothing of them is left.
 */
export function setup(): void {
  const inMemory = process.env['TMPDIR'] === undefined ? folderIn(MEMORY) : undefined;
  folder = inMemory ?? mkdtempSync(join(tmpdir(), 'echelon-test-'));
  process.env['TMPDIR'] = folder;
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

function folderIn(place: string): string | undefined {
  let made: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < ENOUGH_BYTES) return undefined;
    made = mkdtempSync(join(place, 'echelon-test-'));
    const program = join(made, 'program');
    writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    if (spawnSync(program).status === 0) return made;
  } catch {
    // Not this machine.
  }
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
  return undefined;
}
