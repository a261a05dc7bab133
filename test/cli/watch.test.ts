import { cpSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesBelow } from '../support/manager-run.ts';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';
import type { RunOptions } from '../support/run-cli.ts';
import { watchedRun } from '../support/watched-run.ts';

const USUAL = { alternate: false, cursor: true, wrap: true };
const LISTS_OF_AN_OBSERVATION = 5;
let now: number;
let fleet: RolloutFleet;
beforeEach(async () => {
  now = Date.parse('2026-03-02T08:00:00Z');
  fleet = await rolloutFleet({ clock: () => new Date(now) });
});
afterEach(() => fleet.dispose());

const status =
  (...args: string[]) =>
  (options: RunOptions) =>
    fleet.run(['status', '--watch', '--rollout-record', fleet.record(), ...args], options);
const rollout =
  (...args: string[]) =>
  (options: RunOptions) =>
    fleet.cli(['rollout', 'status', '--watch', '--rollout-record', fleet.record(), ...args], options);
type Act = NonNullable<NonNullable<Parameters<typeof watchedRun>[1]>['acts']>[number];
const apply = () => fleet.run(['apply', '--yes']);
/** The cluster refuses what one observation asks. */
const refuse = () => fleet.sim.addFault({ path: /fleet/, method: 'GET', status: 403, times: LISTS_OF_AN_OBSERVATION });
const pass = async (minutes = 1) => {
  now += minutes * 60_000;
  expect((await fleet.pass(['--poll', `${minutes * 60}s`])).code).toBe(0);
};

describe('manager status --watch on a terminal', () => {
  it('draws what is waited for, and leaves the summary when nothing is', async () => {
    const { code, frames, left, terminal } = await watchedRun(status(), { acts: [apply] });
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatch(
      /^waiting for 3 of 3 shards: 3 missing \(it does not exist\)\nobserved 2026-03-02T08:00:00Z/,
    );
    expect({ code, modes: terminal.modes() }).toEqual({ code: 0, modes: USUAL });
    expect(left).toMatch(/^STATE: converged.*3 converged\.$/s);
  });

  it('marks the rows that changed since the observation before, and only them', async () => {
    await apply();
    fleet.declare(TWO_WAVES);
    await pass();
    fleet.promote('0473914');
    const { frames } = await watchedRun(status(), {
      acts: [() => fleet.promote('a1b2c3d'), () => (now += 2_000)],
    });
    expect(frames.map((frame) => frame.match(/^\* .*/gm) ?? [])).toEqual([
      [],
      [
        expect.stringMatching(/^\* lagging +alpha /),
        expect.stringMatching(/^\* held +beta /),
        expect.stringMatching(/^\* held +gamma /),
      ],
      [],
    ]);
    expect(frames[1]).toContain('; 3 rows changed (*)');
    expect(frames[0]).toMatch(
      /^waiting for 1 of 3 shards: 1 lagging \(it is set to another image\); not waited for: 2\s+held/,
    );
  });

  it('an interrupt leaves the table, what was waited for, and 130', async () => {
    const { code, left, terminal } = await watchedRun(status());
    expect({ code, modes: terminal.modes() }).toEqual({ code: 130, modes: USUAL });
    expect(left).toMatch(
      /^STATE: missing.*\nSHARD\nalpha\nbeta\ngamma\n3 missing\.\ninterrupted, still waiting for 3 of 3 shards: /s,
    );
  });

  it('keeps the last good table, with its age and the error, while the server is away', async () => {
    const tick = () => (now += 40_000);
    const { frames, code } = await watchedRun(status(), { acts: [refuse, tick, apply], columns: 120 });
    const [first = '', away = '', back = ''] = frames;
    expect(away).toContain('observed 2026-03-02T08:00:00Z (now), every 2 s\nerror: lab: GET ');
    expect(away).toContain('FORBIDDEN');
    const table = (frame: string) => frame.slice(frame.indexOf('\n\n'));
    expect(table(away)).toBe(table(first));
    expect(back).not.toContain('error');
    expect(code).toBe(0);
  });

  it('fits the height, and says what is not shown', async () => {
    const { frames } = await watchedRun(status(), { rows: 8 });
    expect(frames[0]?.split('\n')).toHaveLength(8);
    expect(frames[0]).toMatch(/\n {2}SHARD\n {2}alpha\n2 rows not shown, 2 of them waited for\n3 missing\.$/);
  });

  it('is redrawn at once when the terminal gets another size', async () => {
    let drawn = '';
    const shrink: Act = ({ resize }) => {
      drawn = resize(40, 7);
    };
    await watchedRun(status(), { acts: [shrink] });
    expect(drawn).toMatch(/^waiting for 3 of 3 shards: 3 missing \(i…\n/);
    expect(drawn).toMatch(/\n3 rows not shown, 3 of them waited for\n3 missing\.$/);
  });
});

describe('rollout status --watch on a terminal', () => {
  beforeEach(async () => {
    await apply();
    fleet.declare(TWO_WAVES);
    await pass();
    fleet.promote('0473914');
  });

  it('says which gate holds how many shards, and until when', async () => {
    const { code, frames, left } = await watchedRun(rollout(), { acts: [() => pass()], columns: 240 });
    expect(frames.map((frame) => frame.split('\n')[0])).toEqual([
      'waiting for 3 of 3 shards of track lab to soak 0473914: 1 moved by the next pass of the manager, 2 held by the gate wave (wave canary: 0 of 1 shard soaked 1h, 0 on the image; not before 2026-03-02T09:01:00Z (in 60 min))',
      'waiting for 3 of 3 shards of track lab to soak 0473914: 1 soaking (healthy on the target for 0s of 1h), 2 held by the gate wave (wave canary: 0 of 1 shard soaked 1h, at least 1h to go; not before 2026-03-02T09:02:00Z (in 60 min))',
    ]);
    expect(frames.map((frame) => frame.match(/^\* \S+/gm) ?? [])).toEqual([[], ['* canary']]);
    expect(code).toBe(130);
    expect(left).toMatch(
      /^TRACK: lab .*\ninterrupted, still waiting for 3 of 3 shards of track lab to soak 0473914: /s,
    );
  });

  it('keeps the last good table while the record cannot be read', async () => {
    const spoil = () => {
      cpSync(fleet.record(), `${fleet.record()}.good`, { recursive: true });
      for (const file of Object.keys(filesBelow(fleet.record()))) fleet.manager.write(`record/${file}`, 'x');
    };
    const restore = () => cpSync(`${fleet.record()}.good`, fleet.record(), { recursive: true });
    const { frames, code } = await watchedRun(rollout(), { acts: [spoil, restore], columns: 120 });
    expect(frames[1]).toContain('[RECORD_CORRUPT]');
    expect(frames[1]?.split('\n').at(-1)).toBe(frames[0]?.split('\n').at(-1));
    expect(frames[2]).toBe(frames[0]);
    expect(code).toBe(130);
  });
});

describe('--watch without a terminal', () => {
  const inPipe = (run: (options: RunOptions) => ReturnType<typeof apply>, acts: (() => unknown)[]) => {
    const stop = new AbortController();
    const sleep = async (): Promise<void> => {
      const act = acts.shift();
      if (act === undefined) stop.abort();
      await act?.();
    };
    return run({ signal: stop.signal, sleep });
  };

  it('is a line for each change, and the table at the end', async () => {
    const { code, stdout, stderr } = await inPipe(status(), [() => {}, refuse, () => {}, apply]);
    const became = 'STATE missing → converged, READY 0/1 → 1/1';
    expect(stderr.split('\n')).toEqual([
      'waiting for 3 of 3 shards: 3 missing',
      expect.stringMatching(/^error: lab: GET .*\[KUBE_FORBIDDEN\]$/),
      'observed again',
      ...['alpha', 'beta', 'gamma'].map(
        (shard) => `lab/fleet Deployment qontract-reconcile-terraform-resources-${shard}: ${became}`,
      ),
      '',
    ]);
    expect(stdout).toMatch(/^STATE .*3 converged\.\n$/s);
    expect(code).toBe(0);
  });

  it('is one document at the end, and lines on standard error, with -o json', async () => {
    const { code, stdout, stderr } = await inPipe(status('-o', 'json'), [apply]);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'ShardStatusList' });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^waiting for 3 of 3 shards: 3 missing\n/),
    });
  });

  it('ends with 1 and what is still waited for after its timeout', async () => {
    const { code, stderr } = await inPipe(status('--timeout', '1s'), []);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'timed out, still waiting for 3 of 3 shards: 3 missing (it does not exist)\n',
    });
  });

  it('refuses an interval of nothing', async () => {
    const { code, stderr } = await fleet.run(['status', '--watch', '--interval', '0s']);
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('at least 1s') });
  });
});
