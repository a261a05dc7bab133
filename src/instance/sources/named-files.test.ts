import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Of } from '../../base/index.ts';
import { fingerprintOf } from './named-files.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-named-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the fingerprint of a file or folder', () => {
  it('differs with its bytes and paths, and is none for what is not there', () => {
    const prints = [fingerprintOf(root)];
    for (const [file, text] of [
      ['a', '1'],
      ['b', ''],
      ['a', ''],
    ] as const) {
      writeFileSync(join(root, file), text);
      prints.push(fingerprintOf(root), fingerprintOf(join(root, 'a')));
    }
    expect(new Set(prints).size).toBe(6);
    expect(fingerprintOf(join(root, 'missing'))).toBeUndefined();
  });

  it('of a folder is not that of a file with what is hashed of the folder', () => {
    mkdirSync(join(root, 'folder'));
    writeFileSync(join(root, 'file'), JSON.stringify([[], ['', [], sha256Of('')]]));
    expect(fingerprintOf(join(root, 'file'))).not.toBe(fingerprintOf(join(root, 'folder')));
  });

  it('is none for a pipe, which keeps what was written to it, nor for a file that is too large', () => {
    const place = join(root, 'pipe');
    execFileSync('mkfifo', [place]);
    const pipe = openSync(place, constants.O_RDWR | constants.O_NONBLOCK);
    writeSync(pipe, 'text');
    expect(fingerprintOf(place)).toBeUndefined();
    const read = Buffer.alloc(9);
    expect(read.toString('utf8', 0, readSync(pipe, read))).toBe('text');
    closeSync(pipe);
    writeFileSync(join(root, 'large'), Buffer.alloc(64 * 1024 * 1024 + 1));
    expect(fingerprintOf(join(root, 'large'))).toBeUndefined();
  });
});
