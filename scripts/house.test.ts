import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { houseTable, measureHouse } from './house.ts';

const folders: string[] = [];

function treeOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'echelon-house-'));
  folders.push(root);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const TEXT = `/** A type. */
export interface Shard {
  readonly id: number; // of the shard
}

type Private = Shard;

export const FIRST = 'the first shard', SECOND = 2;
export function shardOf(shard: Private): number {
  return shard.id;
}
`;

describe('the size of the house', () => {
  it('counts each room without its tests, and the sum of all', () => {
    const root = treeOf({
      'a/index.ts': "export { shardOf } from './deep/shard.ts';\n",
      'a/deep/shard.ts': TEXT,
      'a/deep/shard.test.ts': 'export const ignored = 1;\n',
      'b/only.ts': `export const LONG = '${'x'.repeat(100)}';\n`,
    });
    expect(measureHouse(root)).toEqual([
      { room: 'a', files: 2, lines: 12, code: 9, exports: 4, types: 2, longest: 51 },
      { room: 'b', files: 1, lines: 1, code: 1, exports: 1, types: 0, longest: 123 },
      { room: 'sum', files: 3, lines: 13, code: 10, exports: 5, types: 2, longest: 123 },
    ]);
  });

  it('is shown as a table with aligned numbers', () => {
    const rooms = measureHouse(treeOf({ 'base/a.ts': TEXT }));
    expect(houseTable(rooms)).toBe(
      'ROOM   FILES   LINES   CODE   LINES/FILE   EXPORTS   TYPES   LONGEST LINE\n' +
        'base       1      11      8           11         4       2             51\n' +
        'sum        1      11      8           11         4       2             51\n',
    );
  });

  it('is measured for this project', () => {
    const rooms = measureHouse(join(import.meta.dirname, '../src'));
    expect(rooms.map(({ room }) => room)).toEqual(expect.arrayContaining(['base', 'cli', 'instance', 'sum']));
    expect(rooms.filter(({ files, lines }) => files < 1 || lines < 1)).toEqual([]);
  });
});
