import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  COLOURED,
  NARROW,
  SHOWN_FLEET,
  terminalTitle,
  USUAL,
  visible,
  withoutColour,
} from '../support/golden-screens.ts';
import { type RolloutFleet, rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';
import type { Ran, RunOptions } from '../support/run-cli.ts';
import { plan } from '../support/upgrade-commands.ts';
import { runUpgrades, type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';
import { watchedRun } from '../support/watched-run.ts';

/** Live tables. */
const TERMINALS = [NARROW, USUAL, COLOURED];
const LISTS_OF_AN_OBSERVATION = 5;

let fleet: RolloutFleet;
let upgrades: UpgradesCli;
beforeAll(async () => {
  const clock = () => new Date('2026-03-02T08:00:00Z');
  [fleet, upgrades] = await Promise.all([rolloutFleet({ clock }), upgradesCli(SHOWN_FLEET)]);
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

describe.each(Object.entries(WATCHES))('the live screen of %s', (name, { run, fail }) => {
  it('is as it was, also while observations fail, and is the same in colour as without', async () => {
    const shown: string[] = [];
    const raw: string[] = [];
    for (const terminal of TERMINALS) {
      const { columns, NO_COLOR } = terminal;
      const watched = await watchedRun(run, {
        columns,
        rows: 24,
        env: { NO_COLOR },
        acts: fail === undefined ? [] : [fail],
      });
      expect(watched.code).toBe(130);
      const written = withoutAddresses(visible(watched.raw));
      raw.push(written);
      const screens =
        NO_COLOR === ''
          ? [`${terminalTitle(terminal)}\n${written}`]
          : [...watched.frames, `--- what is left\n${fromTable(watched.left)}`].map(
              (text) => `${terminalTitle(terminal)}\n${text}\n`,
            );
      shown.push(...screens.map(withoutAddresses));
    }
    expect(withoutColour(raw[2] ?? '')).toBe(raw[1]);
    await expect(shown.join('\n')).toMatchFileSnapshot(`screens/${name}-watch.txt`);
  });
});
