import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DIGEST, type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';
import { REPO } from '../support/shared.ts';

const PRELOAD = join(REPO, 'test/support/kill-at-rename.ts');

let world: PromotionWorld;
beforeEach(async () => {
  world = await promotionWorld();
});
afterEach(() => world.dispose());

/** `promote apply` as a process of its own, killed once so many files were replaced. */
function killedAfter(files: number): NodeJS.Signals | null {
  const args = ['promote', 'apply', '--yes', '--upstream-clone', world.upstream, '--digest', DIGEST];
  const env = { ...process.env, NODE_OPTIONS: `--import ${PRELOAD}`, KILL_AFTER: String(files) };
  return spawnSync(join(REPO, 'bin/echelon'), args, { cwd: world.instance, env }).signal;
}

const status = (): string[] => world.git('status', '--porcelain').split('\n').filter(Boolean);
const leftovers = (): string[] =>
  readdirSync(world.instance, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('echelon-edit'));

describe('promote apply that was killed with SIGKILL halfway', { timeout: 120_000 }, () => {
  it('is undone by the next plan, which says so, and then applies to all files', async () => {
    expect(killedAfter(2)).toBe('SIGKILL');
    expect(status().filter((line) => line.startsWith('M') || line.startsWith(' M'))).toHaveLength(2);
    const { code, stderr } = await world.promote('plan');
    expect({ code, status: status(), leftovers: leftovers() }).toEqual({ code: 0, status: [], leftovers: [] });
    expect(stderr).toMatch(/an interrupted change was undone: \S+, \S+ restored/);
    expect((await world.promote('apply', '--yes')).code).toBe(0);
    expect(status()).toHaveLength(6);
  });

  it('leaves files alone that were changed since', async () => {
    expect(killedAfter(1)).toBe('SIGKILL');
    const [file = ''] = world.git('diff', '--name-only').split('\n');
    world.write(file, 'edited: by hand\n');
    const { stderr } = await world.promote('plan');
    expect(world.text(file)).toBe('edited: by hand\n');
    expect(leftovers()).toEqual([]);
    expect(stderr).toContain(`${file} was changed since and stays as it is`);
  });
});
