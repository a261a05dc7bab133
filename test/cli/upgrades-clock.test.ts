import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runningClock } from '../../src/sim/index.ts';
import { apply, plan, runUpgrades } from '../support/upgrade-commands.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import {
  runUpgrades as runCommand,
  type UpgradesCli,
  type UpgradesCliOptions,
  upgradesCli,
} from '../support/upgrades-cli.ts';
import { watchedRun } from '../support/watched-run.ts';

const FLEET = upgradeFleet([
  { id: 'org-1', clusters: [member('canary', {}, { version: '4.18.3' }), member('waits', { 'soak-days': 1 })] },
]);
const FLAGS = { configFile: 'upgrades.yml', output: 'table' as const, yes: true };

let cli: UpgradesCli;
const start = async (options: UpgradesCliOptions = {}): Promise<void> => {
  cli = await upgradesCli(FLEET, options);
};
afterEach(() => cli.dispose());

/** What the clock of the scheduler says, in hours after the start. */
const clockAt = (hours: number) => ({ now: () => new Date(cli.clock.now().getTime() + hours * 3_600_000) });

async function passAt(hours: number): Promise<string> {
  await apply(cli.io, FLAGS, clockAt(hours));
  const { stdout, stderr } = cli.take();
  return stdout + stderr;
}

async function planAt(hours: number): Promise<string> {
  await plan(cli.io, FLAGS, clockAt(hours));
  const { stdout, stderr } = cli.take();
  return stdout + stderr;
}

/** The only history that is stored. */
function history(): { check_in: string } {
  const [file = ''] = globSync('state/**/org-1*', { cwd: cli.folder }).map((name) => join(cli.folder, name));
  return JSON.parse(readFileSync(file, 'utf8'));
}

describe('one pass with a clock that is 45 days ahead', () => {
  it('delays soak by a day of right passes, says so, and credits nothing', async () => {
    await start();
    for (const hours of [0, 1, 45 * 24]) await passAt(hours);
    const ahead = history().check_in;
    const said = await passAt(2);
    expect(said).toMatch(/^delayed: \S+org-1: soak is not counted before 2\S+Z: the history was last observed at /m);
    expect(said).toContain(ahead);
    expect(said).toMatch(/soaked 0\.08 of 1 days, and none before /);
    for (let hours = 3; hours < 26; hours += 1) await passAt(hours);
    expect([history().check_in, await planAt(25.5)]).toEqual([ahead, expect.stringContaining('soaked 0.08 of 1 days')]);
    const after = await passAt(26);
    expect(after).not.toContain('delayed');
    expect(after).toContain('soaked 0.08 of 1 days');
    expect(await passAt(27)).toContain('soaked 0.12 of 1 days');
  });

  it('says on a terminal how far away its times are, also while it is watched', async () => {
    await start();
    for (const hours of [0, 45 * 24]) await passAt(hours);
    const delayed = 'delayed: test/org-1: soak is not counted before 2026-03-03T';
    const FAR = /^delayed: .* before \S+Z \(in 24 h\): the history was last observed at \S+Z \(in 45 days\)/m;
    const shown = (tty: boolean) =>
      runCommand(cli, (io) => plan(io, FLAGS, clockAt(0)), { tty, columns: 400, env: { NO_COLOR: '1' } });
    expect((await shown(true)).stderr).toMatch(FAR);
    expect((await shown(false)).stderr).toMatch(new RegExp(`^${delayed}\\S+Z: the history .* at \\S+Z, which`, 'm'));
    const { frames } = await watchedRun(
      (options) => runCommand(cli, (io) => plan(io, { ...FLAGS, watch: true }, clockAt(0)), options),
      { columns: 400 },
    );
    expect(frames).toEqual([expect.stringMatching(FAR)]);
  });

  it('is logged once, as a warning', async () => {
    await start({ clock: runningClock(), env: { LOG_FORMAT: 'json', RUN_ONCE: 'true' } });
    const file = join(cli.folder, 'state', 'advanced-upgrade-scheduler', 'test', 'org-1');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ check_in: '2199-01-01T00:00:00Z', versions: {} }));
    expect(await runUpgrades(cli.io, { configFile: 'upgrades.yml', metricsPort: 0, metricsHost: '127.0.0.1' })).toBe(0);
    const events = cli.written.stdout.split('\n').filter((line) => line.includes('soak not counted'));
    expect(events.map((line) => JSON.parse(line))).toMatchObject([
      { environment: 'test', orgId: 'org-1', checkIn: '2199-01-01T00:00:00Z' },
    ]);
  });
});

describe('a stored history', () => {
  it.each([
    {
      given: 'of a later Echelon',
      text: '{"echelon":{"format":2}}',
      says: /newer Echelon.*\[STATE_NEWER\]\n {4}update/,
    },
    { given: 'that is an empty document', text: '{}', says: /check_in is missing \[STATE_CORRUPT\]/ },
  ])('$given stops its organization, and is kept', async ({ text, says }) => {
    await start();
    await passAt(0);
    const [file = ''] = globSync('state/**/org-1*', { cwd: cli.folder }).map((name) => join(cli.folder, name));
    writeFileSync(file, text);
    expect(await passAt(1)).toMatch(says);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});
