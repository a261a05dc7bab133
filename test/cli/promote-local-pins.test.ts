import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';
import { type Ran, runCli } from '../support/run-cli.ts';

const PRODUCTION = 'app-interface-production';

let world: PromotionWorld;

beforeEach(async () => {
  world = await promotionWorld();
});
afterEach(() => world.dispose());

const cli = (...args: readonly string[]): Promise<Ran> => runCli(args, { cwd: world.instance });
const pin = (): Promise<Ran> => cli('pin', 'terraform-resources', '-e', PRODUCTION, '--except', 'payments-ci');

interface Moves {
  readonly shards: { readonly moving: readonly { integration: string; environment: string; shard: string }[] };
}

async function moving(...args: readonly string[]): Promise<string[]> {
  const { stdout } = await world.promote('mr', '--dry-run', '--only', PRODUCTION, '-o', 'json', ...args);
  const { shards } = JSON.parse(stdout) as Moves;
  return shards.moving.filter(({ integration }) => integration === 'terraform-resources').map(({ shard }) => shard);
}

describe('promote mr and pins that the target branch does not have', () => {
  it('refuses until they are merged, or taken along with --from-head: then only the canary moves', async () => {
    await pin();
    const uncommitted = await world.promote('mr', '--from-head');
    expect(uncommitted.code).toBe(1);
    expect(uncommitted.stderr).toContain('PROMOTION_PINS_UNMERGED');
    world.sandbox.commit('instance', 'hold the others');
    const committed = await world.promote('mr');
    expect(committed.code).toBe(1);
    expect(committed.stderr).toMatch(/terraform-resources app-sre-stage.* not on main/);
    expect(committed.stderr).toContain('[pin-not-merged]');
    expect(world.sandbox.git('origin.git', 'branch', '--list', 'promote-*')).toBe('');
    expect(await moving('--from-head')).toEqual(['payments-ci']);
    world.git('push', '--quiet', 'origin', 'main');
    expect(await moving()).toEqual(['payments-ci']);
  });

  it('promotes where the target branch removed the pins of an older clone', async () => {
    await pin();
    world.sandbox.commit('instance', 'hold the others');
    const pinned = world.git('rev-parse', 'HEAD');
    world.git('revert', '--no-edit', 'HEAD');
    world.git('push', '--quiet', 'origin', 'main');
    world.git('reset', '--quiet', '--hard', pinned);
    world.write('data/unfinished.txt', 'dirty\n');
    expect((await world.promote('mr', '--no-push')).code).toBe(0);
  });
});
