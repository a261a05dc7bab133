import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plan } from '../../src/cli/commands/upgrades/plan.ts';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';
import type { Ran, RunOptions } from '../support/run-cli.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { runUpgrades, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';
import { watchedRun } from '../support/watched-run.ts';

/** Live tables on terminals of 80 and 120 columns without colour, and of 120 in colour. */
const TERMINALS = [
  { columns: 80, NO_COLOR: '1' },
  { columns: 120, NO_COLOR: '1' },
  { columns: 120, NO_COLOR: '' },
] as const;

const FLEET = upgradeFleet([
  {
    id: 'org-1',
    clusters: [
      member('alpha', { mutexes: 'm' }),
      member('beta', { mutexes: 'm' }),
      member('gamma', { schedule: '0 15 * * *' }),
      member('delta', { 'soak-days': 'few' }),
      member('epsilon', { 'soak-days': 3 }),
    ],
  },
  { id: 'org-2', aus: { 'blocked-versions': '(' }, clusters: [member('zeta')] },
]);
const LISTS_OF_AN_OBSERVATION = 5;

let fleet: RolloutFleet;
let upgrades: UpgradesCli;
beforeAll(async () => {
  const clock = () => new Date('2026-03-02T08:00:00Z');
  [fleet, upgrades] = await Promise.all([rolloutFleet({ clock }), upgradesCli(FLEET)]);
  await fleet.run(['apply', '--yes']);
  fleet.declare(TWO_WAVES);
  await fleet.pass();
  fleet.promote('0473914');
});
afterAll(() => Promise.all([fleet.dispose(), upgrades.dispose()]));

type Watch = { run: (options: RunOptions) => Promise<Ran>; fail?: () => void };

const refuse = () => fleet.sim.addFault({ path: /fleet/, method: 'GET', status: 403, times: LISTS_OF_AN_OBSERVATION });
const WATCHES: Readonly<Record<string, Watch>> = {
  'manager-status': {
    run: (options) => fleet.run(['status', '--watch', '--rollout-record', fleet.record()], options),
    fail: refuse,
  },
  'rollout-status': {
    run: (options) => fleet.cli(['rollout', 'status', '--watch', '--rollout-record', fleet.record()], options),
  },
  'upgrades-plan': {
    run: (options) => {
      upgrades.sim.clearFaults();
      const flags = { configFile: 'upgrades.yml', output: 'table', watch: true, interval: 60 } as const;
      return runUpgrades(upgrades, (io) => plan(io, flags, upgrades.clock), options);
    },
    fail: () => void upgrades.sim.addFault({ probability: 1, effect: { kind: 'status', status: 403 } }),
  },
};

/** Neither ports nor ids of requests. */
const withoutAddresses = (text: string): string =>
  text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1').replaceAll(/[\da-f]{8}-[-\da-f]{27}/g, 'some-id');
/** Without notes above it, which name temporary folders. */
const fromTable = (text: string): string => text.slice(text.search(/^[A-Z]+: /m));
const withoutColour = (text: string): string => text.replaceAll(/␛\[\d+m/g, '');
const visible = (text: string): string => withoutAddresses(text.replaceAll('\u001b[', '␛['));

describe.each(Object.entries(WATCHES))('the live screen of %s', (name, { run, fail }) => {
  it('is as it was, also while observations fail, and is the same in colour as without', async () => {
    const shown: string[] = [];
    const raw: string[] = [];
    for (const { columns, NO_COLOR } of TERMINALS) {
      const watched = await watchedRun(run, {
        columns,
        rows: 24,
        env: { NO_COLOR },
        acts: fail === undefined ? [] : [fail],
      });
      expect(watched.code).toBe(130);
      raw.push(visible(watched.raw));
      const screens =
        NO_COLOR === ''
          ? [`=== ${columns} columns, in colour\n${visible(watched.raw)}`]
          : [...watched.frames, `--- what is left\n${fromTable(watched.left)}`].map(
              (text) => `=== ${columns} columns\n${text}\n`,
            );
      shown.push(...screens.map(withoutAddresses));
    }
    expect(withoutColour(raw[2] ?? '')).toBe(raw[1]);
    await expect(shown.join('\n')).toMatchFileSnapshot(`screens/${name}-watch.txt`);
  });
});
