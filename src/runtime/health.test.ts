import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../test/support/virtual-clock.ts';
import { createHealth, silenceLimitSeconds } from './health.ts';

const clockAndHealth = (limit = 100) => {
  const clock = virtualClock(new Date(0));
  return { clock, health: createHealth(clock, limit) };
};

describe('health', () => {
  it('is live until the loop was silent for longer than the limit', async () => {
    const { clock, health } = clockAndHealth();
    await clock.advance(60_000);
    health.beat();
    await clock.advance(100_999);
    expect(health.live()).toEqual({ ok: true, reason: 'last activity 100 s ago' });
    await clock.advance(1);
    expect(health.live()).toEqual({ ok: false, reason: 'no activity for 101 s, limit 100 s' });
    health.beat();
    expect(health.live().ok).toBe(true);
  });

  it('is ready once a pass has ended well', () => {
    const { health } = clockAndHealth();
    health.beat();
    expect(health.ready()).toEqual({ ok: false, reason: 'no pass has succeeded yet' });
    health.succeeded();
    health.beat();
    expect(health.ready()).toEqual({ ok: true, reason: 'ready' });
  });

  it('is live and ready for as long as it stands by, and no longer', async () => {
    const { clock, health } = clockAndHealth();
    health.waiting('waiting for the lease');
    await clock.advance(1e9);
    expect([health.live(), health.ready()]).toEqual(Array(2).fill({ ok: true, reason: 'waiting for the lease' }));
    health.beat();
    expect([health.live().ok, health.ready().ok]).toEqual([true, false]);
    await clock.advance(101_000);
    expect(health.live().ok).toBe(false);
  });

  it('is live and not ready for as long as it cannot lead, on standby and after a pass', () => {
    const { health } = clockAndHealth();
    health.waiting('waiting for the lease');
    health.hindered('cannot read or write lease: 403');
    expect([health.live(), health.ready()]).toEqual([
      { ok: true, reason: 'waiting for the lease' },
      { ok: false, reason: 'cannot read or write lease: 403' },
    ]);
    health.succeeded();
    expect(health.ready().ok).toBe(false);
    health.hindered(undefined);
    expect(health.ready()).toEqual({ ok: true, reason: 'ready' });
  });

  it.each([
    [60, undefined, 1800],
    [3600, undefined, 10_800],
    [60, 600, 1800],
    [60, 7200, 7260],
  ])('with a poll of %d s and a time limit of %s s allows %d s of silence', (poll, timeout, limit) => {
    expect(silenceLimitSeconds(poll, timeout)).toBe(limit);
  });
});
