import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const REPO = join(import.meta.dirname, '../..');

/** npm passes its own settings on to what it runs; a new user's shell has none of them. */
function newUser(home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^INIT_CWD$|^VITEST|^CI$/.test(name));
  const path = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(inherited), HOME: home, PATH: path.join(':') };
}

describe('a fresh clone with an empty home', () => {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-clone-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('runs the demo with nothing else installed, and stays clean', () => {
    const home = join(folder, 'home');
    const clone = join(folder, 'echelon');
    mkdirSync(home);
    execFileSync('git', ['clone', '--quiet', REPO, clone]);
    const { status, stdout, stderr } = spawnSync('make', ['demo'], {
      cwd: clone,
      env: newUser(home),
      encoding: 'utf8',
    });
    expect(stderr).not.toContain('rror');
    expect(status).toBe(0);
    expect(stdout).toContain('no problems in');
    expect(stdout).toContain('3 errors');
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: clone, encoding: 'utf8' })).toBe('');
  });
});
