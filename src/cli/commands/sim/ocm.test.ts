import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPO } from '../../../../test/support/shared.ts';
import type { Io } from '../../io.ts';
import { type SimOcmFlags, simOcm } from './ocm.ts';

const FLAGS: SimOcmFlags = { fleet: 'examples/fleet/fleet.yml', clock: 'virtual', output: 'table' };

/** Runs the command, and interrupts it as soon as it has said where it listens. */
async function run(flags: Partial<SimOcmFlags>, meanwhile: (stdout: string) => Promise<void> = async () => undefined) {
  const [written, interrupted] = [{ stdout: '', stderr: '' }, new AbortController()];
  const announced = Promise.withResolvers<void>();
  const io: Io = {
    stdout: {
      isTTY: false,
      write: (text) => {
        written.stdout += text;
        announced.resolve();
      },
    },
    stderr: {
      isTTY: false,
      write: (text) => {
        written.stderr += text;
      },
    },
    env: {},
    cwd: REPO,
    signal: interrupted.signal,
  };
  const running = simOcm(io, { ...FLAGS, ...flags });
  await Promise.race([announced.promise, running]);
  await meanwhile(written.stdout);
  interrupted.abort();
  return { code: await running, ...written };
}

describe('echelon sim ocm', () => {
  it('tells where each environment is and who may log in, and no secret', async () => {
    const { code, stdout, stderr } = await run({});
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ENVIRONMENT +URL +CLIENTS\nocm-production +http:\/\/127\.0\.0\.1:\d+ +app-sre-ocm-production, payments-partners\nocm-stage +http/,
    );
    expect(stderr).toContain('120 clusters of 5 organizations');
    expect(stderr).toContain('simulated time is 2026-03-02T00:00:00.000Z');
    expect(stdout + stderr).not.toContain('simulated-');
  });

  it('answers until it is interrupted', async () => {
    let url = '';
    await run({ output: 'json' }, async (stdout) => {
      url = (JSON.parse(stdout) as { items: { url: string }[] }).items[0]?.url ?? '';
      const advanced = await fetch(`${url}/_sim/advance`, { method: 'POST', body: JSON.stringify({ days: 1 }) });
      expect(await advanced.json()).toEqual({ now: '2026-03-03T00:00:00.000Z' });
    });
    await expect(fetch(`${url}/_sim/state`)).rejects.toThrow();
  });

  it('begins today with a clock that runs', async () => {
    const { stderr } = await run({ clock: 'real', speed: 3600 }, async () => undefined);
    expect(stderr).toContain('3600 times as fast');
    expect(stderr).toMatch(/ECHELON_SIM_CLOCK='\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\*3600'/);
  });

  it.each([
    { flags: { speed: 2 }, code: 'FLAG_INVALID' },
    { flags: { fleet: 'none.yml' }, code: 'FLEET_UNREADABLE' },
    { flags: { fleet: join(REPO, 'package.json') }, code: 'FLEET_INVALID' },
    { flags: { output: 'wide' as const }, code: 'FORMAT_UNSUPPORTED' },
  ])('refuses $flags with $code', async ({ flags, code }) => {
    await expect(run(flags)).rejects.toMatchObject({ code });
  });
});
