import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ManagerWorld, startManagerWorld } from '../support/manager-e2e.ts';
import { type OnTerminal, onTerminal } from '../support/on-terminal.ts';
import { REAL_KUBE_TIMEOUT_MS, skipRealKube } from '../support/real-kube.ts';
import { testHelm } from '../support/render-chart.ts';
import { rolloutFleet, TWO_WAVES } from '../support/rollout-fleet.ts';
import { until } from '../support/until.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { upgradesCli } from '../support/upgrades-cli.ts';

const CTRL_C = '\u0003';
const USUAL = { alternate: false, cursor: true, wrap: true };
const LIVE = { alternate: true, cursor: false, wrap: false };

function started(...given: Parameters<typeof onTerminal>): OnTerminal {
  const terminal = onTerminal(...given);
  onTestFinished(() => terminal.dispose());
  return terminal;
}

const shows = (terminal: OnTerminal, text: RegExp) =>
  until(() => text.test(terminal.screen()) && terminal.screen(), { what: `the screen shows ${text}` });

describe.skipIf(skipRealKube)('a live table of a real cluster', () => {
  let world: ManagerWorld;
  beforeAll(async () => {
    world = await startManagerWorld();
  }, REAL_KUBE_TIMEOUT_MS);
  afterAll(() => world?.close());

  it('stays while the server is away, is redrawn, and leaves a summary on Ctrl-C', async () => {
    const { proxy, kubeconfig } = await world.proxiedAccount('watcher');
    const fleet = await world.fleet('watched');
    fleet.integration('a', { sharding: { strategy: 'static', shards: 2 } });
    const args = ['manager', 'status', '--watch', '--interval', '1s', '--data', fleet.root];
    const env = { KUBECONFIG: kubeconfig, HELM_BIN: await testHelm(), HOME: world.folder };
    const terminal = started(args, { env });
    await shows(terminal, /^waiting for 2 of 2 shards: 2 missing \(it does not exist\)\nobserved \S+, every 1 s\n/);
    expect(terminal.modes()).toEqual(LIVE);
    await terminal.grow(160, 30);
    await shows(terminal, /STATE: missing .* REASON: it does not exist/);
    const away = proxy.partition('reset');
    expect(await shows(terminal, /\nerror: /)).toMatch(
      /^waiting for 2 of 2 shards: 2 missing.*\nobserved \S+ \(.*STATE: missing/s,
    );
    away.heal();
    await until(() => !terminal.screen().includes('error: '), { what: 'the server is seen again' });
    expect((await fleet.run('manager apply', ['--yes'])).code).toBe(0);
    await shows(terminal, /^waiting for 2 of 2 shards: 2 lagging/);
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(terminal.modes()).toEqual(USUAL);
    expect(terminal.screen()).toMatch(
      /STATE: lagging.*2 lagging\.\ninterrupted, still waiting for 2 of 2 shards: 2 lagging \(/s,
    );
  });
});

describe('a live table', () => {
  it('of a rollout ends by itself, with 0, when the track is complete', async () => {
    const fleet = await rolloutFleet();
    onTestFinished(() => fleet.dispose());
    const pass = () => fleet.pass();
    await fleet.run(['apply', '--yes']);
    fleet.declare(TWO_WAVES.replace('soak: 1h', 'soak: 1s').replace('name: rest', 'name: rest, soak: 1s'));
    await pass();
    fleet.promote('0473914');
    const args = ['rollout', 'status', '--watch', '--interval', '1s', '--rollout-record', fleet.record()];
    const terminal = started(args, { env: fleet.env });
    await shows(terminal, /^waiting for 3 of 3 shards of track lab to soak 0473914: 1 moved by the next pass/);
    expect(terminal.modes()).toEqual(LIVE);
    let code: number | null | undefined;
    void terminal.ended.then((ended) => {
      code = ended;
    });
    const isOver = async (): Promise<boolean> => {
      await pass();
      return code !== undefined;
    };
    await until(isOver, { what: 'the watch ends', timeoutSeconds: 60 });
    expect(code).toBe(0);
    expect(terminal.modes()).toEqual(USUAL);
    expect(terminal.screen()).toMatch(/ROLLOUT: complete/);
    expect(terminal.screen()).not.toContain('waiting');
  });

  it('of an upgrade plan writes nothing, and leaves a summary on Ctrl-C', async () => {
    const clusters = [member('alpha', { 'soak-days': 3 }), member('beta', { 'soak-days': 3 })];
    const cli = await upgradesCli(upgradeFleet([{ id: 'org-1', clusters }]), { clock: { now: () => new Date() } });
    onTestFinished(() => cli.dispose());
    const args = ['upgrades', 'plan', '--watch', '--interval', '1s', '--config-file', join(cli.folder, 'upgrades.yml')];
    const terminal = started(args, { env: { OCM_SECRET: cli.io.env['OCM_SECRET'] ?? '', HOME: cli.folder } });
    const first = await shows(
      terminal,
      /^waiting for 2 of 2 clusters: 2 for soak \(alpha: wl has soaked 0 of 3 days\)/,
    );
    await until(() => terminal.screen() !== first, { what: 'it is observed again' });
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(terminal.modes()).toEqual(USUAL);
    expect(terminal.screen()).toMatch(
      /\nPlan: 0 upgrades; 2 waiting.*\ninterrupted, still waiting for 2 of 2 clusters: /s,
    );
    expect(cli.writes()).toEqual([]);
  });
});
