import type { Command } from 'commander';
import type { RunUpgradesFlags } from '../commands/run/advanced-upgrade-scheduler.ts';
import type { RunManagerFlags } from '../commands/run/integrations-manager.ts';
import type { Io } from '../io.ts';
import {
  collect,
  type Finish,
  withChanges,
  withChart,
  withClusters,
  withImages,
  withInstance,
  withSelection,
  withSources,
} from './options.ts';
import { withRun } from './run-options.ts';
import { addUpgradeRuns } from './upgrade-run-commands.ts';

export function addRun(program: Command, io: Io, finish: Finish, whole: boolean): void {
  const run = program
    .command('run')
    .summary('run an integration in a loop: the entry point of a pod')
    .description(
      'Runs an integration in a loop, with metrics, health and a leader lease. Without a name it runs what INTEGRATION_NAME and ' +
        'INTEGRATION_EXTRA_ARGS say, as pods of existing fleets do.',
    )
    .action(async () => {
      const { podArguments } = await import('../commands/run/pod-arguments.ts');
      await run.parseAsync(podArguments(io.env), { from: 'user' });
    });
  if (!whole) return;
  withRun(
    withChanges(withClusters(withImages(withChart(withSelection(withInstance(run.command('integrations-manager'))))))),
  )
    .summary('keep the fleet as the instance declares it')
    .description('Keeps the fleet as the instance declares it, until SIGTERM.')
    .action(async (flags: RunManagerFlags) => {
      const { runManager } = await import('../commands/run/integrations-manager.ts');
      finish(await runManager(io, flags));
    });
  addScheduler(run, io, finish);
  addUpgradeRuns(run, io, finish);
}

function addScheduler(run: Command, io: Io, finish: Finish): void {
  withRun(withSources(run.command('advanced-upgrade-scheduler')))
    .option('--context <name>', 'context of the kubeconfig, for a lease outside of a pod (repeatable)', collect)
    .option('--in-cluster <cluster>', 'the cluster that is reached with the account of this pod')
    .summary('schedule cluster upgrades from labels in OCM')
    .description('Schedules cluster upgrades from labels in OCM, until SIGTERM.')
    .action(async (flags: RunUpgradesFlags) => {
      const { runUpgrades } = await import('../commands/run/advanced-upgrade-scheduler.ts');
      finish(await runUpgrades(io, flags));
    });
}
