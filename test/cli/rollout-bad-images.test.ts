import { describe, expect, it, onTestFinished } from 'vitest';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';

const [OLD, BAD, GOOD] = ['f929a38', '0473914', 'a1b2c3d'];
const all = (tag: string) => ({ alpha: tag, beta: tag, gamma: tag });
const ROLLBACK = TWO_WAVES.replace('  health:', '  onFailure: rollback\n  health:');

interface Timed extends RolloutFleet {
  /** One pass of a loop with this period, that long after the one before. */
  later(minutes: number): Promise<void>;
  now(): number;
}

/** A fleet on a clock of its own that runs the old image and has a canary. */
async function installed(kind?: 'never-ready' | 'crash' | 'crash-later'): Promise<Timed> {
  let now = Date.parse('2026-03-02T08:00:00Z');
  const badImages = kind === undefined ? [] : [{ tag: BAD, kind }];
  const fleet = await rolloutFleet({ clock: () => new Date(now), badImages });
  onTestFinished(() => fleet.dispose());
  const later = async (minutes: number): Promise<void> => {
    now += minutes * 60_000;
    const { code, stdout, stderr } = await fleet.pass(['--poll', `${minutes * 60}s`]);
    expect(code, stdout + stderr).toBe(0);
  };
  expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
  fleet.declare(ROLLBACK);
  await later(1);
  return { ...fleet, later, now: () => now };
}

const SECOND = 1 / 60;

const rollout = (fleet: Timed, ...args: readonly string[]) =>
  fleet.cli(['rollout', ...args, '--rollout-record', fleet.record()]);

describe('R3: an image that does not work', () => {
  it.each([
    { kind: 'never-ready', every: 5, passes: 3, reason: 'not ready for 10m' },
    { kind: 'crash', every: 1, passes: 1, reason: '3 restarts, more than 1' },
    { kind: 'crash-later', every: 1, passes: 2, reason: '3 restarts, more than 1' },
  ] as const)(
    '$kind: is halted on the first shard $passes × $every min after its move, and taken back',
    async (given) => {
      const fleet = await installed(given.kind);
      fleet.promote(BAD);
      for (let pass = 0; pass < given.passes; pass += 1) {
        await fleet.later(given.every);
        expect(fleet.images()).toEqual({ ...all(OLD), alpha: BAD });
      }
      await fleet.later(given.every);
      expect(fleet.images()).toEqual(all(OLD));
      await fleet.later(given.every);
      expect(fleet.images()).toEqual(all(OLD));
      const { code, stdout } = await rollout(fleet, 'status', '--watch');
      expect({ code, told: stdout.trim().split('\n').at(-1) }).toEqual({
        code: 1,
        told: expect.stringContaining(`halted: terraform-resources/alpha on ${BAD}: ${given.reason}`),
      });
      expect((await rollout(fleet, 'explain', 'beta')).stdout).toMatch(
        / halted +closed .*(?:restarts, more than 1|not ready for 10m)$/m,
      );
      fleet.promote(GOOD);
      await fleet.later(1);
      expect(fleet.images()).toEqual({ ...all(OLD), alpha: GOOD });
    },
  );

  it('is not one that works: it goes on to the next wave, and completes with nothing that needs a human', async () => {
    const fleet = await installed();
    fleet.promote(GOOD);
    for (const tag of [OLD, OLD, OLD, GOOD]) {
      await fleet.later(30);
      expect(fleet.images()).toEqual({ ...all(tag), alpha: GOOD });
    }
    const waited = await rollout(fleet, 'status', '--watch', '--timeout', '1s');
    expect([waited.code, waited.stdout]).toEqual([1, expect.stringMatching(/ under-way +rest +open /)]);
    for (let pass = 0; pass < 3; pass += 1) await fleet.later(30);
    const { code, stdout } = await rollout(fleet, 'status', '--watch');
    expect({ code, rows: stdout.trim().split('\n').slice(1) }).toEqual({
      code: 0,
      rows: [
        expect.stringMatching(/ complete +canary +passed +1\/1 +1\/1 /),
        expect.stringMatching(/ complete +rest +passed +2\/2 +2\/2 /),
      ],
    });
  });
});

it('R7: no wave moves before the forecast for the period of the manager', async () => {
  const fleet = await installed();
  fleet.declare(ROLLBACK.replace('soak: 1h', 'soak: 2s'));
  fleet.promote(GOOD);
  await fleet.later(SECOND);
  const { stdout } = await rollout(fleet, 'forecast', '--poll', '1s');
  const [, forecast = ''] = / rest +(\S+)/.exec(stdout) ?? [];
  const begun = Date.parse(forecast) - fleet.now();
  expect(begun).toBeGreaterThanOrEqual(2_000);
  for (let left = begun; left > 0; left -= 1_000) {
    expect(fleet.images()).toEqual({ ...all(OLD), alpha: GOOD });
    await fleet.later(SECOND);
  }
  for (let pass = 0; pass < 2; pass += 1) await fleet.later(SECOND);
  expect(fleet.images()).toEqual(all(GOOD));
});
