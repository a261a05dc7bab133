import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';
import type { RunOptions } from '../support/run-cli.ts';
import { writesOf } from '../support/sim-fleet.ts';

let fleet: RolloutFleet;
beforeEach(async () => {
  fleet = await rolloutFleet();
});
afterEach(() => fleet.dispose());

const rollout = (...args: readonly string[]) => fleet.cli(['rollout', ...args, '--rollout-record', fleet.record()]);

/** A fleet of which the first wave has just moved. */
async function underWay(): Promise<void> {
  expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
  fleet.declare(TWO_WAVES);
  await fleet.pass();
  fleet.promote('0473914');
  await fleet.pass();
}

describe('rollout status, explain and forecast', () => {
  it('show a rollout that is under way, and write nothing', async () => {
    await underWay();
    const before = writesOf(fleet.sim).length;
    const status = await rollout('status');
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toMatch(/^lab +lab +0473914 +under-way +canary +open +1\/1 +0\/1 +0 of 1 shard soaked 1h/m);
    expect(status.stdout).toMatch(/^lab +lab +0473914 +under-way +rest +closed +0\/2 +0\/2 /m);

    const explain = await rollout('explain', 'beta');
    expect(explain).toMatchObject({ code: 0, stderr: '' });
    expect(explain.stdout).toMatch(/^terraform-resources\/beta +lab +0473914 +wave +closed +2.*Z +wave canary: /m);
    expect(explain.stdout).toMatch(/^terraform-resources\/beta +lab +0473914 +pinned +open +- /m);
    expect(explain.stdout).toMatch(/^terraform-resources\/beta can move to 0473914 at the earliest: 2.*Z$/m);

    const forecast = await rollout('forecast');
    expect(forecast).toMatchObject({ code: 0, stderr: '' });
    expect(forecast.stdout).toMatch(/^lab +lab +0473914 +canary +- +2.*Z$/m);
    expect(forecast.stdout).toMatch(/^lab +lab +0473914 +rest +2.*Z +2.*Z$/m);
    expect(forecast.stdout).toMatch(/^lab\/lab: complete at 2.*Z if everything stays healthy$/m);
    expect(writesOf(fleet.sim)).toHaveLength(before);
  });

  it('say on a terminal how far away their times are, and nowhere else', async () => {
    await underWay();
    const explained = async (options: RunOptions, ...args: string[]) => {
      const command = ['rollout', 'explain', 'beta', '--rollout-record', fleet.record(), ...args];
      return (await fleet.cli(command, options)).stdout;
    };
    const summary = /can move to 0473914 at the earliest: \S+Z( \(in \d+ min\))?$/m;
    expect(summary.exec(await explained({ tty: true, columns: 200 }))?.[1]).toMatch(/^ \(in (?:59|60) min\)$/);
    expect(summary.exec(await explained({ tty: true, columns: 200 }, '-o', 'wide'))?.[1]).toBeUndefined();
    expect(summary.exec(await explained({}))?.[1]).toBeUndefined();
  });

  it('as documents say the same, and name what they list', async () => {
    await underWay();
    for (const args of [['explain', 'terraform-resources/beta'], ['forecast']]) {
      const { kind, items } = JSON.parse((await rollout(...args, '-o', 'json')).stdout);
      expect(kind).toMatch(/^Rollout\w+List$/);
      expect(items.length).toBeGreaterThan(1);
    }
    expect((await rollout('status', '-o', 'name')).stdout).toBe('wave/lab/lab/canary\nwave/lab/lab/rest\n');
    expect((await rollout('status', '-o', 'markdown')).stdout).toMatch(/^\| TRACK \|/);
    const { items } = JSON.parse((await rollout('status', '-o', 'json')).stdout);
    expect(items[0]).toMatchObject({
      track: 'lab',
      environment: 'lab',
      rollout: 'under-way',
      wave: 'canary',
      onTarget: 1,
    });
  });

  it('says what a forecast waits for', async () => {
    await underWay();
    fleet.declare(
      `${TWO_WAVES}overrules:\n- { track: lab, image: '0473914', action: reject, at: 2026-01-01T00:00:00Z, reason: bad }\n`,
    );
    expect((await rollout('status')).stdout).toMatch(/ rejected +rest /);
    const { stdout } = await rollout('forecast');
    expect(stdout).toMatch(/^lab\/lab: does not complete by itself: terraform-resources\/\w+: rejected: .*: bad$/m);
  });

  it.each([
    { given: 'a mistyped shard', args: ['explain', 'betta'], text: TWO_WAVES, says: 'did you mean beta' },
    { given: 'a file with a mistake', args: ['status'], text: 'tracks: [', says: 'ROLLOUTS_INVALID' },
    { given: 'no file', args: ['forecast'], text: undefined, says: 'ROLLOUTS_MISSING' },
    {
      given: 'a file of --rollouts that does not exist',
      args: ['status', '--rollouts', 'missing.yml'],
      text: TWO_WAVES,
      says: 'ROLLOUTS_UNREADABLE',
    },
  ])('with $given exit 1', async ({ args, text, says }) => {
    if (text !== undefined) fleet.declare(text);
    const { code, stdout, stderr } = await rollout(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(says);
  });

  it('F3: a file of --rollouts that does not exist holds everything, and the pass fails', async () => {
    await underWay();
    const before = fleet.images();
    fleet.promote('1111111');
    expect((await fleet.pass(['--rollouts', 'missing.yml'])).code).toBe(1);
    expect(fleet.images()).toEqual(before);
  });

  it('says so of a shard that runs its target', async () => {
    expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
    fleet.declare(TWO_WAVES);
    const { code, stdout } = await rollout('explain', 'alpha');
    expect(code).toBe(0);
    expect(stdout).toBe('alpha runs what is declared for it\n');
  });
});

describe('rollout history', () => {
  it('shows what happened once, newest first, by the record alone', async () => {
    await underWay();
    await fleet.pass();
    await fleet.pass();
    rmSync(fleet.manager.path('instance'), { recursive: true });
    rmSync(fleet.manager.path('kubeconfig'));
    const { code, stdout, stderr } = await rollout('history');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const rows = stdout.split('\n').map((row) => row.replace(/^\S+Z +/, '').replace(/ {2,}/g, ' '));
    expect(rows.slice(1)).toEqual([
      'lab lab moved 0473914 canary terraform-resources/alpha -',
      ...['lab lab target 0473914 - - -', 'lab lab target f929a38 - - -', ''],
    ]);
    const { kind, items } = JSON.parse((await rollout('history', 'alpha', '--since', '7d', '-o', 'json')).stdout);
    expect(kind).toBe('RolloutEventList');
    expect(items).toMatchObject([{ event: 'moved', wave: 'canary', shards: ['terraform-resources/alpha'] }]);
    for (const format of ['wide', 'markdown', 'yaml', 'name'])
      expect((await rollout('history', '-o', format)).stdout.match(/target/g)).toHaveLength(2);
    const mistyped = await rollout('history', 'alhpa');
    expect(mistyped).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('did you mean alpha') });
  });

  it('is that of the manager that manager.yml describes, unless a flag names another', async () => {
    fleet.manager.write('instance/resources/echelon/manager.yml', 'defaults: { environment: lab }\n');
    await underWay();
    expect((await rollout('history')).stdout).toMatch(/ target +0473914 /);
    expect((await rollout('history', '-e', 'lab')).stdout).toMatch(/ target +0473914 /);
    for (const args of [
      ['-e', 'other'],
      ['-e', ''],
    ])
      expect(await rollout('history', ...args)).toMatchObject({ code: 0, stdout: '', stderr: 'no events found\n' });
    rmSync(fleet.manager.path('instance'), { recursive: true });
    expect((await rollout('history', '-e', 'lab')).stdout).toMatch(/ target +0473914 /);
  });

  it('where nothing happened yet says so', async () => {
    expect(await rollout('history')).toMatchObject({ code: 0, stdout: '', stderr: 'no events found\n' });
  });
});
