import { Session } from 'node:inspector/promises';
import { describe, expect, it } from 'vitest';
import { apply } from '../../src/cli/commands/upgrades/apply.ts';
import { startForgeServer } from '../support/forge-server.ts';
import { DIGEST, promotionWorld } from '../support/promotion-world.ts';
import { simFleet } from '../support/sim-fleet.ts';
import { member, upgradeFleet } from '../support/upgrade-world.ts';
import { upgradesCli } from '../support/upgrades-cli.ts';
import { WALKS } from '../support/walks.ts';

/** What a walk names beside the functions that it goes through: types, a list, and functions of other ways to the same data. */
const BESIDE = new Set(
  'Snapshot Finding FleetPlan pass UpgradeApi UPGRADE_GATES explainClusters fleetReport forecast'.split(' '),
);

const RUNS = [manager, upgrades, promotion];

async function manager(): Promise<void> {
  const fleet = await simFleet();
  try {
    expect(await fleet.run(['apply', '--yes'])).toMatchObject({ code: 0 });
    // Only a second plan has something to compare with.
    expect(await fleet.run(['plan'])).toMatchObject({ code: 0 });
    expect(await fleet.run(['status'])).toMatchObject({ code: 0 });
  } finally {
    await fleet.dispose();
  }
}

async function upgrades(): Promise<void> {
  const cli = await upgradesCli(upgradeFleet([{ id: 'org-1', clusters: [member('alpha')] }]));
  try {
    expect(await apply(cli.io, { configFile: 'upgrades.yml', output: 'table', yes: true }, cli.clock)).toBe(0);
  } finally {
    await cli.dispose();
  }
}

async function promotion(): Promise<void> {
  const world = await promotionWorld();
  const project = 'service/app-interface';
  const forge = await startForgeServer({ project, branches: { main: world.git('rev-parse', 'HEAD') } });
  forge.state.branches.set(`promote-reconcile-${world.commits.at(-1)?.slice(0, 7)}`, 'f'.repeat(40));
  const at = ['--forge', 'gitlab', '--forge-api', forge.gitlabApi, '--forge-url', `${forge.url}/${project}`];
  try {
    const ran = await world.run(['mr', '--upstream-clone', world.upstream, '--digest', DIGEST, ...at], {
      GITLAB_TOKEN: forge.token,
    });
    expect(ran).toMatchObject({ code: 0 });
  } finally {
    await forge.close();
    world.dispose();
  }
}

/** The names of all functions of the sources that are called meanwhile. */
async function calledIn(run: () => Promise<void>): Promise<ReadonlySet<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await run();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const functions = result.filter(({ url }) => url.includes('/src/')).flatMap((script) => script.functions);
    return new Set(
      functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName),
    );
  } finally {
    session.disconnect();
  }
}

describe('a walk of docs/architecture.md', () => {
  it.each(WALKS.map((walk, index) => ({ ...walk, run: RUNS[index] ?? manager })))(
    '$title: everything that it names is called',
    async ({ functions, run }) => {
      const called = await calledIn(run);
      expect(functions.filter((name) => !called.has(name) && !BESIDE.has(name))).toEqual([]);
    },
  );
});
