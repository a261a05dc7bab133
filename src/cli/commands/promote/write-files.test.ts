import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFiles } from './write-files.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-write-'));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), 'old');
});
afterEach(() => rmSync(root, { recursive: true }));

const edit = (file: string, after = 'new') => ({ file, before: Buffer.from('old'), after: Buffer.from(after) });
const contents = (): Record<string, string> =>
  Object.fromEntries(readdirSync(root).map((name) => [name, readFileSync(join(root, name), 'utf8')]));

describe('files that are written together', () => {
  it('are all written, with their modes, and nothing is left behind', () => {
    chmodSync(join(root, 'b'), 0o640);
    writeFiles(root, [edit('a'), edit('b')]);
    expect(contents()).toEqual({ a: 'new', b: 'new', c: 'old' });
    expect(statSync(join(root, 'b')).mode & 0o777).toBe(0o640);
  });

  it('stay as they were when one cannot be put in its place', () => {
    let renames = 0;
    const failing = (from: string, to: string): void => {
      renames += 1;
      if (renames === 2) throw new Error('the disk is gone');
      renameSync(from, to);
    };
    expect(() => writeFiles(root, [edit('a'), edit('b'), edit('c')], failing)).toThrow(
      /b cannot be written: the disk is gone/,
    );
    expect(contents()).toEqual({ a: 'old', b: 'old', c: 'old' });
  });

  it('stay as they are when one was changed since it was read', () => {
    writeFileSync(join(root, 'b'), 'by somebody else');
    expect(() => writeFiles(root, [edit('a'), edit('b')])).toThrow(/b was changed by somebody else/);
    expect(contents()).toEqual({ a: 'old', b: 'by somebody else', c: 'old' });
  });

  it('stay as they are while another promotion is under way, whose files stay too', () => {
    writeFileSync(join(root, '.b.echelon-promote'), 'theirs');
    expect(() => writeFiles(root, [edit('a'), edit('b')])).toThrow(/another promotion is under way/);
    expect(contents()).toEqual({ a: 'old', b: 'old', c: 'old', '.b.echelon-promote': 'theirs' });
  });

  it('are written through links', () => {
    symlinkSync('c', join(root, 'link'));
    writeFiles(root, [edit('link')]);
    expect(contents()).toMatchObject({ c: 'new', link: 'new' });
  });
});
