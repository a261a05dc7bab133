import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const REPO = join(import.meta.dirname, '..');
const CONFIGURED = [
  'package.json',
  'biome.json',
  'tsconfig.json',
  '.gitignore',
  'scripts/boundaries.ts',
  'scripts/face-names.ts',
  'scripts/folder-cycles.ts',
];

/** `make lint` on a project with this project's settings and one source file. */
describe('lint', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'echelon-lint-'));
    for (const name of CONFIGURED) cpSync(join(REPO, name), join(folder, name));
    symlinkSync(join(REPO, 'node_modules'), join(folder, 'node_modules'));
    spawnSync('git', ['init', '--quiet'], { cwd: folder });
    for (const name of ['instance', 'cli']) mkdirSync(join(folder, 'src', name), { recursive: true });
    writeFileSync(join(folder, 'src/cli/main.ts'), 'export const main = 1;\n');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const lint = (text: string) => {
    writeFileSync(join(folder, 'src/instance/one.ts'), text);
    return spawnSync('npm', ['run', '--silent', 'lint'], { cwd: folder, encoding: 'utf8' });
  };

  it('passes clean code', () => {
    expect(lint('export const one = 1;\n')).toMatchObject({ status: 0 });
  });

  it.each([
    { given: 'unformatted code', text: 'export const one   = 1\n', says: 'format' },
    { given: 'a type error', text: "export const one: number = 'one';\n", says: 'TS2322' },
    {
      given: 'a forbidden import',
      text: "import { main } from '../cli/main.ts';\n\nexport const one = main;\n",
      says: 'instance may not import cli',
    },
    { given: 'a default export', text: 'const one = 1;\nexport default one;\n', says: 'noDefaultExport' },
    { given: 'any', text: 'export const one: any = 1;\n', says: 'noExplicitAny' },
  ])('fails on $given', ({ text, says }) => {
    const { status, stdout, stderr } = lint(text);
    expect(status).not.toBe(0);
    expect(stdout + stderr).toContain(says);
  });
});
