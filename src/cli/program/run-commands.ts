import type { Command } from 'commander';
import type { RunUpgradesFlags } from '../commands/run/advanced-upgrade-scheduler.ts';
import type { RunCommandFlags } from '../commands/run/command.ts';
import type { RunManagerFlags } from '../commands/run/integrations-manager.ts';
import type { Io } from '../io.ts';
import {
  type Finish,
  withChanges,
  withChart,
  withClusters,
  withImages,
  withInstance,
  withKubeconfig,
  withSelection,
  withSources,
} from './options.ts';
import { withJobs, withManagerPod } from './pod-options.ts';
import { withCommand, withRun } from './run-options.ts';
import { addUpgradeRuns } from './upgrade-run-commands.ts';

export function addRun(run: Command, io: Io, finish: Finish): void {
  run
    .description(
      'Run an integration in a loop, with metrics, health endpoints and a leader lease. The default is INTEGRATION_NAME with ' +
        'INTEGRATION_EXTRA_ARGS, as in pods of existing fleets.',
    )
    .action(async () => {
      const { podArguments } = await import('../commands/run/pod-arguments.ts');
      await run.parseAsync(podArguments(io.env), { from: 'user' });
    });
  const manager = withInstance(run.command('integrations-manager'));
  withManagerPod(withRun(withChanges(withClusters(withImages(withChart(withSelection(manager)))))))
    .option('--shadow-jobs', 'compare dry runs as Jobs where a track requires a shadow')
    .summary('reconcile the fleet with the instance')
    .description('Reconcile the fleet with the instance, until SIGTERM.')
    .action(async (flags: RunManagerFlags) => {
      const { runManager } = await import('../commands/run/integrations-manager.ts');
      finish(await runManager(io, flags));
    });
  addScheduler(run, io, finish);
  addUpgradeRuns(run, io, finish);
  withCommand(run.command('command').argument('<command...>', 'the program and its arguments, after --'))
    .usage('[options] -- <command...>')
    .summary('run any command as an integration: echelon run -- COMMAND')
    .description(
      'Run a command as an integration, until SIGTERM: in a loop, with metrics, health endpoints, a time limit and logs. ' +
        'Its arguments are followed by INTEGRATION_EXTRA_ARGS. "echelon run [options] -- COMMAND" is the same.',
    )
    .action(async (words: string[], flags: RunCommandFlags) => {
      const { runAnyCommand } = await import('../commands/run/command.ts');
      finish(await runAnyCommand(io, words, flags));
    });
}

/** `run [options] -- COMMAND` with the name of its subcommand, so that no program is mistaken for an integration. */
export function withCommandName(args: readonly string[]): readonly string[] {
  const [run, next] = args;
  if (run !== 'run' || !next?.startsWith('-') || !args.includes('--')) return args;
  return [run, 'command', ...args.slice(1)];
}

function addScheduler(run: Command, io: Io, finish: Finish): void {
  withKubeconfig(withJobs(withRun(withSources(run.command('advanced-upgrade-scheduler')))))
    .option('--in-cluster <cluster>', "cluster to access with this pod's service account")
    .summary('schedule cluster upgrades from OCM labels')
    .description('Schedule cluster upgrades from OCM labels, until SIGTERM.')
    .action(async (flags: RunUpgradesFlags) => {
      const { runUpgrades } = await import('../commands/run/advanced-upgrade-scheduler.ts');
      finish(await runUpgrades(io, flags));
    });
}
