import { describe, expect, it } from 'vitest';
import { type KeptTree, keptTree, type ListedTree, printOf, treeBytes } from './kept-tree.ts';

const TREE: ListedTree = {
  ...{ facts: 'facts', at: 1_700_000_000_000, links: ['/a/link.yml'], others: ['/ü/README.md'] },
  folders: ['/a', '/ü', '/ü/😀'],
  marks: [1, 2, 3, 4].map((inode) => [inode * 2 ** 40, inode + 0.25]),
  parts: ['/a/1.yml//ü/2.yml', '/ü/😀/3.yml', '/ü/4.json'],
};

function factsOf({ facts, at, parts, print, links, others, everyFolder }: KeptTree) {
  const folders: unknown[] = [];
  everyFolder((...seen) => folders.push(seen) > 0);
  return { facts, at, parts, print, links, others, folders };
}

const FACTS = {
  ...{ facts: TREE.facts, at: TREE.at, parts: TREE.parts, print: printOf(TREE.parts) },
  ...{ links: TREE.links, others: TREE.others },
  folders: ['', ...TREE.folders].map((path, index) => [path, ...(TREE.marks[index] ?? [])]),
};

describe('a kept tree', () => {
  it('is what was listed, also with names in many bytes', () => {
    expect(factsOf(keptTree(treeBytes(TREE)))).toEqual(FACTS);
  });

  it.each([1, 4, 7, 8])('is read from bytes that begin at byte %d of others', (start) => {
    const bytes = Buffer.concat([Buffer.alloc(start), treeBytes(TREE)]).subarray(start);
    expect(factsOf(keptTree(bytes))).toEqual(FACTS);
  });

  it('of nothing is nothing', () => {
    const empty = { ...TREE, folders: [], marks: TREE.marks.slice(0, 1), parts: [], links: [], others: [] };
    const { parts, links, folders } = factsOf(keptTree(treeBytes(empty)));
    expect({ parts, links, folders }).toEqual({ parts: [], links: [], folders: [['', 2 ** 40, 1.25]] });
  });

  it.each([
    { given: 'in another order', parts: ['/b', '/a'] },
    { given: 'one below the other', parts: ['/a/b'] },
    { given: 'in one part', parts: ['/a/', '/b'] },
    { given: 'one of them only', parts: ['/a'] },
  ])('has another print with its paths $given', ({ parts }) => {
    expect(printOf(parts)).not.toBe(printOf(['/a', '/b']));
  });
});
