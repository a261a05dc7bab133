import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkBoundaries } from './boundaries.ts';

const folders: string[] = [];

function treeOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'echelon-boundaries-'));
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

const FACE = { 'instance/index.ts': 'export const a = 1;' };

describe('import boundaries', () => {
  it('hold for this project', () => {
    expect(checkBoundaries(join(import.meta.dirname, '../src'))).toEqual([]);
  });

  it.each([
    { given: 'a face of a lower folder', file: 'sharding/a.ts', text: "import { a } from '../instance/index.ts';" },
    { given: 'a file of the same folder', file: 'instance/b.ts', text: "import { a } from './index.ts';" },
    { given: 'a package', file: 'instance/b.ts', text: "import * as z from 'zod';" },
    {
      given: 'types of a client for ports',
      file: 'promotion/a.ts',
      text: "import type { G } from '../clients/git/index.ts';",
    },
    { given: 'a module of Node outside pure folders', file: 'instance/b.ts', text: "import fs from 'node:fs';" },
  ])('allow $given', ({ file, text }) => {
    expect(checkBoundaries(treeOf({ ...FACE, [file]: text }))).toEqual([]);
  });

  it.each([
    "import { G } from '../clients/git/index.ts';",
    "import type { G } from '../clients/git/index.ts'; export const g = () => import('../clients/git/index.ts');",
  ])('refuse a client that a deciding room loads: %s', (text) => {
    const found = checkBoundaries(treeOf({ 'clients/git/index.ts': 'export type G = 1;', 'promotion/a.ts': text }));
    expect(found.map(({ message }) => message)).toEqual([
      'imports src/clients/git/index.ts: promotion may not import clients',
    ]);
  });

  it('refuse a client that cuts a text to a limit by itself', () => {
    const text = 'export const why = (body: string) => body.slice(0, LONGEST_REASON);';
    const [cut, ...more] = checkBoundaries(treeOf({ 'clients/x/a.ts': text, 'instance/a.ts': text }));
    expect([cut?.file, cut?.message, more]).toEqual([
      'clients/x/a.ts',
      expect.stringContaining('use quote of Secrets'),
      [],
    ]);
  });

  it.each([
    {
      given: 'a higher folder',
      file: 'instance/b.ts',
      text: "import '../cli/main.ts';",
      says: 'instance may not import cli',
    },
    {
      given: 'a type of one',
      file: 'instance/b.ts',
      text: "import type { X } from '../cli/main.ts';",
      says: 'may not import',
    },
    {
      given: 'one by re-export',
      file: 'instance/b.ts',
      text: "export { x } from '../cli/main.ts';",
      says: 'may not import',
    },
    {
      given: 'one when it runs',
      file: 'instance/b.ts',
      text: "await import('../cli/main.ts');",
      says: 'may not import',
    },
    {
      given: 'a client',
      file: 'instance/b.ts',
      text: "import '../clients/git/index.ts';",
      says: 'may not import clients',
    },
    {
      given: 'past a face',
      file: 'sharding/a.ts',
      text: "import '../instance/snapshot.ts';",
      says: 'past the index.ts',
    },
    { given: 'outside src', file: 'cli/a.ts', text: "import '../../test/x.ts';", says: 'outside src/' },
    {
      given: 'from an unknown folder',
      file: 'misc/a.ts',
      text: "import '../instance/index.ts';",
      says: 'does not have',
    },
    { given: 'I/O into a decision', file: 'sharding/a.ts', text: "import fs from 'node:fs';", says: 'only decides' },
  ])('refuse an import of $given', ({ file, text, says }) => {
    const found = checkBoundaries(treeOf({ ...FACE, [file]: text }));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ file });
    expect(found[0]?.message).toContain(says);
  });

  it.each(['Date.now()', 'Math.random()', 'process.env.HOME', 'new Date()'])('refuse %s in a decision', (call) => {
    const [found] = checkBoundaries(treeOf({ 'sharding/a.ts': `export const a = () => ${call};` }));
    expect(found?.message).toContain('only decides');
  });

  it.each(['let a: number;', 'export let a = 1;', 'var a = 1;'])('refuse memory of a module: %s', (text) => {
    const [found] = checkBoundaries(treeOf({ 'instance/a.ts': text }));
    expect(found?.message).toContain('module-level let');
  });

  it('allow variables of functions, constants, and variables of tests', () => {
    const inside = 'const b = 1; declare let c: number; export const a = () => { let d = b; d += c; return d; };';
    expect(checkBoundaries(treeOf({ 'instance/a.ts': inside, 'instance/a.test.ts': 'let a = 1;' }))).toEqual([]);
  });

  it('allow what is imported when it is used to name types of its importer', () => {
    const lazy = {
      'instance/a.ts': "export const a = () => import('./b.ts');",
      'instance/b.ts': "import type { A } from './a.ts';",
    };
    expect(checkBoundaries(treeOf(lazy))).toEqual([]);
  });

  it('refuse a cycle', () => {
    const tree = treeOf({ 'instance/a.ts': "import './b.ts';", 'instance/b.ts': "import './a.ts';" });
    expect(checkBoundaries(tree).map(({ message }) => message)).toEqual([
      'is in a cycle of imports: instance/a.ts → instance/b.ts → instance/a.ts',
    ]);
  });

  describe('of the simulators', () => {
    const tree = (file: string, text: string): string[] =>
      checkBoundaries(
        treeOf({
          'sim/index.ts': 'export const a = 1; export type A = 1;',
          'cli/commands/sim/kube.ts': "export { a, type A } from '../../../sim/index.ts';",
          'cli/commands/sim/simulate.ts': "export { a } from '../../../sim/index.ts';",
          [file]: text,
        }),
      ).map(({ file: at, message }) => `${at}: ${message}`);

    it.each([
      { given: 'a test', file: 'cli/a.test.ts', text: "import { a } from '../sim/index.ts';" },
      {
        given: 'a command that loads them when it runs',
        file: 'cli/a.ts',
        text: "await import('./commands/sim/kube.ts');",
      },
      { given: 'a type of such a command', file: 'cli/a.ts', text: "import type { A } from './commands/sim/kube.ts';" },
    ])('allow $given', ({ file, text }) => {
      expect(tree(file, text)).toEqual([]);
    });

    it.each([
      { given: 'their face', text: "import { a } from '../sim/index.ts';", target: 'sim/index.ts' },
      { given: 'their face, for others', text: "export { a } from '../sim/index.ts';", target: 'sim/index.ts' },
      { given: 'a type among values', text: "import { type A } from '../sim/index.ts';", target: 'sim/index.ts' },
      {
        given: 'a command that loads them',
        text: "import { a } from './commands/sim/simulate.ts';",
        target: 'cli/commands/sim/simulate.ts',
      },
      {
        given: 'such a command for its effect',
        text: "import './commands/sim/kube.ts';",
        target: 'cli/commands/sim/kube.ts',
      },
    ])('forbid other commands to load $given', ({ text, target }) => {
      expect(tree('cli/a.ts', text)).toEqual([
        `cli/a.ts: loads the simulators: import ${target} when a command needs it`,
      ]);
    });
  });

  it.each([
    {
      given: 'two folders that import each other',
      files: {
        'instance/a/x.ts': "import '../b/y.ts';",
        'instance/b/y.ts': '',
        'instance/b/z.ts': "import '../a/w.ts';",
        'instance/a/w.ts': '',
      },
      says: 'has a cycle between its folders: a → b → a, because of instance/a/x.ts → instance/b/y.ts and instance/b/z.ts → instance/a/w.ts',
    },
    {
      given: 'a ring of three, one of them through a folder inside it',
      files: {
        'instance/a/x.ts': "import '../b/y.ts';",
        'instance/b/y.ts': '',
        'instance/b/z.ts': "import '../c/deep/y.ts';",
        'instance/c/deep/y.ts': '',
        'instance/c/z.ts': "import '../a/w.ts';",
        'instance/a/w.ts': '',
      },
      says: 'has a cycle between its folders: a → b → c → a',
    },
  ])('refuse $given', ({ files, says }) => {
    const found = checkBoundaries(treeOf(files));
    expect(found.map(({ file }) => file)).toEqual(['instance']);
    expect(found[0]?.message).toContain(says);
  });

  it('allow files of the folder above to put folders together and to be shared by them', () => {
    const tree = treeOf({
      'instance/all.ts': "import './a/x.ts';",
      'instance/a/x.ts': "import '../shared.ts'; import '../b/y.ts';",
      'instance/b/y.ts': "import '../shared.ts';",
      'instance/b/y.test.ts': "import '../a/x.ts';",
      'instance/shared.ts': '',
    });
    expect(checkBoundaries(tree)).toEqual([]);
  });

  it.each([
    {
      given: 'a name on two faces',
      files: {
        'instance/index.ts': 'export const a = 1;',
        'sharding/index.ts': "export { a } from '../instance/index.ts';",
      },
      says: 'exports a, and so does src/instance/index.ts: one name, one thing',
    },
    {
      given: 'a name of two clients',
      files: { 'clients/git/index.ts': 'export const a = 1;', 'clients/helm/index.ts': 'export const a = 1;' },
      says: 'exports a, and so does src/clients/git/index.ts',
    },
    {
      given: 'a face that does not name what it exports',
      files: { 'instance/x.ts': 'export const a = 1;', 'instance/index.ts': "export * from './x.ts';" },
      says: 'name what leaves the room',
    },
  ])('refuse $given', ({ files, says }) => {
    const found = checkBoundaries(treeOf(files));
    expect(found.map(({ message }) => message)).toEqual([expect.stringContaining(says)]);
  });
});
