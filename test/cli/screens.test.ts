import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shownText } from '../../src/cli/output/terminal.ts';
import {
  BROAD,
  COLOURED,
  NARROW,
  SHOWN_FLEET,
  type Terminal,
  terminalTitle,
  USUAL,
  visible,
  withoutColour,
} from '../support/golden-screens.ts';
import { runCli } from '../support/run-cli.ts';
import { type SimFleet, simFleet } from '../support/sim-fleet.ts';
import { explain, plan } from '../support/upgrade-commands.ts';
import { type UpgradesCli, upgradesCli } from '../support/upgrades-cli.ts';

/** What users see. */
const TERMINALS = [NARROW, USUAL, BROAD, COLOURED];

let fleet: SimFleet;
let upgrades: UpgradesCli;
beforeAll(async () => {
  [fleet, upgrades] = await Promise.all([simFleet(), upgradesCli(SHOWN_FLEET)]);
});
afterAll(() => Promise.all([fleet.dispose(), upgrades.dispose()]));

type Screen = (terminal: Terminal) => Promise<string>;

const example =
  (...args: string[]): Screen =>
  async ({ columns, NO_COLOR }) =>
    (await runCli([...args, '--data', 'examples/instance'], { tty: true, columns, env: { NO_COLOR } })).stdout;
const manager =
  (...args: string[]): Screen =>
  async ({ columns, NO_COLOR }) =>
    (await fleet.run(args, { tty: true, columns, env: { NO_COLOR } })).stdout;

function upgradesScreen(act: (io: UpgradesCli['io']) => Promise<number>): Screen {
  return async ({ columns, NO_COLOR }) => {
    let text = '';
    const write = (written: string): void => {
      text += written;
    };
    const { io } = upgrades;
    await act({ ...io, env: { ...io.env, NO_COLOR }, stdout: { isTTY: true, columns, write } });
    return shownText(text);
  };
}

const SCREENS: Readonly<Record<string, Screen>> = {
  'get-integrations': example('get', 'integrations'),
  'get-clusters': example('get', 'clusters'),
  'get-shards': example('get', 'shards', '--integration', 'terraform-resources'),
  'manager-plan': manager('plan'),
  'manager-status': manager('status'),
  'upgrades-plan': upgradesScreen((io) => plan(io, { configFile: 'upgrades.yml', output: 'table' }, upgrades.clock)),
  'upgrades-explain': upgradesScreen((io) =>
    explain(io, 'beta', { configFile: 'upgrades.yml', output: 'table' }, upgrades.clock),
  ),
};

describe.each(Object.entries(SCREENS))('the screen of %s', (name, screen) => {
  it('is as it was', async () => {
    const shown: string[] = [];
    for (const terminal of TERMINALS) {
      const text = await screen(terminal);
      shown.push(`${terminalTitle(terminal)}\n${visible(text)}`);
      for (const line of withoutColour(text).split('\n'))
        expect([...line].length).toBeLessThanOrEqual(terminal.columns);
    }
    await expect(shown.join('\n')).toMatchFileSnapshot(`screens/${name}.txt`);
  });

  it('is the same in colour as without', async () => {
    const [plain, coloured] = [await screen(USUAL), await screen(COLOURED)];
    expect(withoutColour(coloured)).toBe(plain);
  });
});
