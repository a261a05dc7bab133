import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesBelow } from '../support/manager-run.ts';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';

let fleet: RolloutFleet;
beforeEach(async () => {
  fleet = await rolloutFleet();
  expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
  fleet.declare(TWO_WAVES);
  expect((await fleet.pass()).code).toBe(0);
  fleet.promote('0473914');
});
afterEach(() => fleet.dispose());

const status = (...args: string[]) => fleet.run(['status', '--rollout-record', fleet.record(), ...args]);

/** States by shard, with the reason. */
async function states(): Promise<Record<string, string>> {
  const { stdout } = await status('-o', 'json');
  const { items } = JSON.parse(stdout) as { items: { shard: string; state: string; reason?: string }[] };
  return Object.fromEntries(items.map(({ shard, state, reason }) => [shard, `${state}: ${reason ?? ''}`]));
}

describe('the status of a fleet with a rollout under way', () => {
  it('is lagging where the next pass moves it, and held where its wave is closed', async () => {
    expect(await states()).toMatchObject({
      alpha: 'lagging: it is set to another image',
      beta: expect.stringMatching(/^held: wave rest: wave canary: 0 of 1 shard soaked 1h, .*; opens \d{4}-\S+Z/),
    });
    expect((await status()).code).toBe(1);
  });

  it('is settled once all that is left is held, also for --watch', async () => {
    await fleet.pass();
    const shown = await status('--watch', '--timeout', '0s');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^held .* beta .* f929a38 → 0473914 +1\/1 +wave rest: /m);
    expect(shown.stdout).toMatch(/1 converged, 2 held\.$/m);
  });

  it('is held everywhere, with an error, when the file cannot be used', async () => {
    fleet.declare('tracks: [');
    const { code, stderr } = await status();
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('rollouts.yml:') });
    expect((await states())['alpha']).toContain('held: ');
  });

  it('is shown without holds, with an error, when the record cannot be read', async () => {
    await fleet.pass();
    for (const file of Object.keys(filesBelow(fleet.record()))) fleet.manager.write(`record/${file}`, 'x');
    const { code, stderr } = await status();
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('RECORD_CORRUPT') });
    expect((await states())['beta']).toContain('lagging: ');
  });

  it('changes nothing in the record', async () => {
    await fleet.pass();
    const before = filesBelow(fleet.record());
    await status();
    expect(filesBelow(fleet.record())).toEqual(before);
  });
});
