import { afterAll, describe, expect, it } from 'vitest';
import { type Called, countingThread } from '../support/counting-thread.ts';
import { startForgeServer } from '../support/forge-server.ts';
import { DIGEST, promotionWorld } from '../support/promotion-world.ts';
import { simFleet } from '../support/sim-fleet.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { SIM_SECRET, upgradesCli } from '../support/upgrades-cli.ts';
import { WALKS } from '../support/walks.ts';

/** What a walk names beside the functions that it goes through: types, a list, and functions of other ways to the same data. */
const BESIDE = new Set(
  'Snapshot Finding FleetPlan pass UpgradeApi UPGRADE_GATES explainClusters fleetReport forecast'.split(' '),
);

const RUNS = [manager, upgrades, promotion];

const thread = countingThread();
afterAll(() => thread.close());

async function manager(): Promise<Called> {
  const fleet = await simFleet();
  const { env } = fleet;
  try {
    // Only a second plan has something to compare with.
    const lines = [['apply', '--yes'], ['plan'], ['status']];
    return await thread.run(lines.map((line) => ({ args: ['manager', ...line], env })));
  } finally {
    await fleet.dispose();
  }
}

async function upgrades(): Promise<Called> {
  const clock = { now: () => new Date() };
  const cli = await upgradesCli(upgradeFleet([{ id: 'org-1', clusters: [member('alpha')] }]), { clock });
  const env = { OCM_SECRET: SIM_SECRET, HOME: cli.folder };
  try {
    return await thread.run([
      { args: ['upgrades', 'apply', '--config-file', 'upgrades.yml', '--yes'], env, cwd: cli.folder },
    ]);
  } finally {
    await cli.dispose();
  }
}

async function promotion(): Promise<Called> {
  const world = await promotionWorld();
  const project = 'service/app-interface';
  const forge = await startForgeServer({ project, branches: { main: world.git('rev-parse', 'HEAD') } });
  forge.state.branches.set(`promote-reconcile-${world.commits.at(-1)?.slice(0, 7)}`, 'f'.repeat(40));
  const at = ['--forge', 'gitlab', '--forge-api', forge.gitlabApi, '--forge-url', `${forge.url}/${project}`];
  const args = ['promote', 'mr', '--upstream-clone', world.upstream, '--digest', DIGEST, ...at];
  try {
    return await thread.run([{ args, env: { GITLAB_TOKEN: forge.token }, cwd: world.instance }]);
  } finally {
    await forge.close();
    world.dispose();
  }
}

describe('a walk of docs/architecture.md', { timeout: 300_000 }, () => {
  it.each(WALKS.map((walk, index) => ({ ...walk, run: RUNS[index] ?? manager })))(
    '$title: everything that it names is called',
    async ({ functions, run }) => {
      const { ran, names } = await run();
      expect(ran.filter(({ code }) => code !== 0)).toEqual([]);
      expect(functions.filter((name) => !names.has(name) && !BESIDE.has(name))).toEqual([]);
    },
  );
});
