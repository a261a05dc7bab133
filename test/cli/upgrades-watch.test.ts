import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesBelow } from '../support/manager-run.ts';
import type { RunOptions } from '../support/run-cli.ts';
import { plan, type UpgradesPlanFlags } from '../support/upgrade-commands.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { runUpgrades, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';
import { watchedRun } from '../support/watched-run.ts';

const FLEET = upgradeFleet([
  {
    id: 'org-1',
    clusters: [
      member('alpha', { mutexes: 'm' }),
      member('beta', { mutexes: 'm' }),
      member('gamma', { schedule: '0 15 * * *' }),
      member('delta', {}, { version: '4.18.3' }),
    ],
  },
]);

let cli: UpgradesCli;
beforeEach(async () => {
  cli = await upgradesCli(FLEET);
});
afterEach(() => cli.dispose());

const watchPlan =
  (more: Partial<UpgradesPlanFlags> = {}) =>
  (options: RunOptions) =>
    runUpgrades(
      cli,
      (io) => plan(io, { configFile: 'upgrades.yml', output: 'table', watch: true, interval: 60, ...more }, cli.clock),
      options,
    );
const hours = (number: number) => () => cli.sim.advanceTo(new Date(cli.clock.now().getTime() + number * 3_600_000));

describe('upgrades plan --watch', () => {
  it('says by gate what clusters wait for, and until when', async () => {
    const { frames, code, left } = await watchedRun(watchPlan(), { columns: 200, acts: [hours(4)] });
    expect(frames.map((frame) => frame.split('\n').slice(0, 2))).toEqual([
      [
        'waiting for 3 of 4 clusters: 1 due (the next pass of the scheduler makes these changes), 1 for a mutex (beta: mutex m is held by alpha), 1 for their window (not before 2026-03-02T13:00:00Z (in 3 h))',
        'observed 2026-03-02T10:00:00Z, every 60 s',
      ],
      [
        'waiting for 3 of 4 clusters: 2 due (the next pass of the scheduler makes these changes), 1 for a mutex (beta: mutex m is held by alpha)',
        'observed 2026-03-02T14:00:00Z, every 60 s; 1 row changed (*)',
      ],
    ]);
    expect(frames[1]?.match(/^\* .*/gm)).toEqual([
      expect.stringMatching(/^\* +gamma .* upgrade .* 2026-03-02T15:00:00Z/),
    ]);
    expect(code).toBe(130);
    expect(left).toMatch(/Plan: 2 upgrades; .*\ninterrupted, still waiting for 3 of 4 clusters: 2 due /s);
  });

  it('marks nothing while a cluster in an open window only waits for the next pass; the plan at the end has its start', async () => {
    const { frames, left } = await watchedRun(watchPlan(), { columns: 200, acts: [hours(0.1), hours(0.1)] });
    const rows = frames.map((frame) => frame.match(/^.* alpha .*$/m)?.[0]);
    expect(new Set(rows).size).toBe(1);
    expect(rows[0]).toMatch(/^ .* upgrade +after the next pass +/);
    expect(frames.join('\n')).not.toContain('(*)');
    expect(left).toMatch(/^alpha +upgrade +2026-03-02T10:19:00Z/m);
  });

  it('writes nothing, neither to OCM nor to the state', async () => {
    await watchedRun(watchPlan(), { acts: [hours(1), hours(1)] });
    expect(cli.writes()).toEqual([]);
    expect(Object.keys(filesBelow(cli.folder))).toEqual(['upgrades.yml']);
  });

  it('ends at once, with the plan, when no cluster is due or waits', async () => {
    await cli.dispose();
    cli = await upgradesCli(upgradeFleet([{ id: 'org-1', clusters: [member('delta', {}, { version: '4.18.3' })] }]));
    const { code, frames, raw } = await watchedRun(watchPlan());
    expect({ code, frames }).toEqual({ code: 0, frames: [] });
    expect(raw).toBe('Plan: 0 upgrades; 0 waiting, 1 with nothing newer.\n');
  });

  it('keeps the last good table while OCM is away, and says so', async () => {
    const away = () => void cli.sim.addFault({ probability: 1, effect: { kind: 'status', status: 403 } });
    const back = async () => {
      await hours(1)();
      cli.sim.clearFaults();
    };
    const { frames } = await watchedRun(watchPlan(), { columns: 160, acts: [away, back] });
    expect(frames[1]).toMatch(/\nobserved 2026-03-02T10:00:00Z \(now\), every 60 s\nerror: .*403/);
    const table = (frame = '') => frame.slice(frame.indexOf('\n\n'));
    expect(table(frames[1])).toBe(table(frames[0]));
    expect(frames[2]).not.toContain('error:');
  });

  it('without a terminal is a line for each change, and each note once', async () => {
    const acts = [hours(4), () => {}];
    const stop = new AbortController();
    const sleep = async (): Promise<void> => {
      const act = acts.shift();
      if (act === undefined) stop.abort();
      await act?.();
    };
    const { code, stderr } = await watchPlan({ output: 'json' })({ signal: stop.signal, sleep });
    expect({ code, lines: stderr.trim().split('\n') }).toEqual({
      code: 130,
      lines: [
        expect.stringMatching(/^note: .* has no history for org-1: nothing has soaked there yet$/),
        'waiting for 3 of 4 clusters: 1 due, 1 for a mutex, 1 for their window',
        expect.stringMatching(/^gamma: ACTION wait → upgrade, STARTS - → 2026-\S+, GATE schedule → -/),
        'waiting for 3 of 4 clusters: 2 due, 1 for a mutex',
        expect.stringMatching(/^interrupted, still waiting for 3 of 4 clusters: 2 due /),
      ],
    });
  });
});
