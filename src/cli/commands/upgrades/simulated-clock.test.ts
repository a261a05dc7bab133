import { describe, expect, it } from 'vitest';
import { clockOf, requireSimulated } from './simulated-clock.ts';

const at = (text: string) => () => Date.parse(text);

describe('the time of a command', () => {
  it.each([
    { given: 'nothing', env: {}, now: '2026-03-02T01:00:00.000Z' },
    { given: 'an empty variable', env: { ECHELON_SIM_CLOCK: '' }, now: '2026-03-02T01:00:00.000Z' },
    {
      given: 'a clock sixty times as fast since an hour',
      env: { ECHELON_SIM_CLOCK: '2026-03-02T00:00:00.000Z*60' },
      now: '2026-03-04T12:00:00.000Z',
    },
  ])('with $given is $now', ({ env, now }) => {
    expect(clockOf(env, at('2026-03-02T01:00:00Z')).now().toISOString()).toBe(now);
  });

  it.each(['60', '2026-03-02T00:00:00Z', 'today*60', '2026-03-02T00:00:00Z*0', '2026-03-02T00:00:00Z*-1', 'x*y'])(
    'is refused as %s',
    (given) => {
      expect(() => clockOf({ ECHELON_SIM_CLOCK: given })).toThrow(
        `ECHELON_SIM_CLOCK=${given} is not a simulated clock`,
      );
    },
  );

  it('is not simulated for an OCM on another machine', () => {
    expect(() => requireSimulated('http://127.0.0.1:7801')).not.toThrow();
    expect(() => requireSimulated('https://ocm.example')).toThrow('https://ocm.example is not on this machine');
  });
});
