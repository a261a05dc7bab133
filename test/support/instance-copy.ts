import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { EXAMPLE_INSTANCE } from './shared.ts';

/** A place in a file of the instance, one-based. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A copy of the example instance that a test may break. Files are named from the root of the instance. */
export interface InstanceCopy {
  readonly root: string;
  path(file: string): string;
  text(file: string): string;
  /**
   * Replaces a text that stands exactly once in the file.
   * Returns where `marker`, a part of the new text, now stands; without one, where the new text begins.
   */
  replace(file: string, found: string, by: string, marker?: string): Place;
  /** Writes a file; returns where `marker` stands in it. */
  write(file: string, content: string | Uint8Array, marker?: string): Place;
  append(file: string, text: string, marker?: string): Place;
  remove(file: string): void;
  /** Where a text stands that is in the file exactly once. */
  find(file: string, found: string): Place;
  dispose(): void;
}

export function copyInstance(): InstanceCopy {
  const root = mkdtempSync(join(tmpdir(), 'echelon-instance-'));
  cpSync(EXAMPLE_INSTANCE, root, { recursive: true });
  const path = (file: string): string => join(root, file);
  const text = (file: string): string => readFileSync(path(file), 'utf8');
  const save = (file: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), content);
  };
  return {
    root,
    path,
    text,
    replace: (file, found, by, marker = '') => {
      const before = text(file);
      const start = onlyPlaceOf(before, found, file);
      save(file, before.slice(0, start) + by + before.slice(start + found.length));
      return placeAt(file, text(file), start + onlyPlaceOf(by, marker, file));
    },
    write: (file, content, marker = '') => {
      save(file, content);
      return placeAt(file, text(file), onlyPlaceOf(text(file), marker, file));
    },
    append: (file, more, marker = '') => {
      const before = text(file);
      save(file, before + more);
      return placeAt(file, before + more, before.length + onlyPlaceOf(more, marker, file));
    },
    remove: (file) => rmSync(path(file)),
    find: (file, found) => placeAt(file, text(file), onlyPlaceOf(text(file), found, file)),
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The offset of a text that must stand exactly once; nothing stands at the beginning. */
function onlyPlaceOf(text: string, found: string, file: string): number {
  if (found === '') return 0;
  expect(text.split(found).length - 1, `places of ${JSON.stringify(found)} in ${file}`).toBe(1);
  return text.indexOf(found);
}

function placeAt(file: string, text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n');
  return { file, line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}
