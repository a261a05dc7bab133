import type { Command } from 'commander';
import type { RunUpgradesFlags } from '../commands/run/advanced-upgrade-scheduler.ts';
import type { RunManagerFlags } from '../commands/run/integrations-manager.ts';
import { EXIT_HELP } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import {
  collect,
  type Finish,
  portNumber,
  seconds,
  withChanges,
  withChart,
  withClusters,
  withImages,
  withInstance,
  withSelection,
  withSources,
} from './options.ts';

export function addRun(program: Command, io: Io, finish: Finish): void {
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

/** The variables of the pod contract stand behind the flags. */
export function withRun(command: Command): Command {
  return command
    .option('--dry-run', 'write nothing (default: MANAGER_DRY_RUN or DRY_RUN)')
    .option('--no-dry-run', 'write, whatever the variables say')
    .option('--run-once', 'one pass, and exit with its code (default: RUN_ONCE)')
    .option('--poll <duration>', 'time between looks at the instance (default: SLEEP_DURATION_SECS, else 60s)', seconds)
    .option(
      '--resync <duration>',
      'look at the clusters this often even if the instance is unchanged (default: 10m)',
      seconds,
    )
    .option(
      '--metrics-port <port>',
      'port of /metrics, /healthz and /readyz (default: PROMETHEUS_PORT, else 9090)',
      portNumber,
    )
    .option('--metrics-host <address>', 'address that these are served on (default: all)')
    .option(
      '--lease <place>',
      'NAMESPACE/NAME of the lease, or CLUSTER/NAMESPACE/NAME (default: in a pod, one in its namespace)',
    )
    .option('--no-lease', 'run without a lease')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', EXIT_HELP);
}
