import type { Command } from 'commander';
import type { Io } from '../../io.ts';
import {
  type Finish,
  withChanges,
  withChart,
  withClusters,
  withCommand,
  withImages,
  withInstance,
  withJobs,
  withKubeconfig,
  withManagerPod,
  withRun,
  withSelection,
  withSources,
} from '../../options.ts';
import type { RunCommandFlags } from './command.ts';
import type { RunApproverFlags, RunManagerFlags, RunUpgradesFlags } from './run.ts';

export function addRun(run: Command, io: Io, finish: Finish): void {
  run
    .description(
      'Run an integration in a loop, with metrics, health endpoints and a leader lease. The default is INTEGRATION_NAME with ' +
        'INTEGRATION_EXTRA_ARGS, as in pods of existing fleets.',
    )
    .action(async () => {
      const { podArguments } = await import('./run.ts');
      await run.parseAsync(podArguments(io.env), { from: 'user' });
    });
  const manager = withInstance(run.command('integrations-manager'));
  withManagerPod(withRun(withChanges(withClusters(withImages(withChart(withSelection(manager)))))))
    .option('--shadow-jobs', 'compare dry runs as Jobs where a track requires a shadow')
    .summary('reconcile the fleet with the instance')
    .description('Reconcile the fleet with the instance, until SIGTERM.')
    .action(async (flags: RunManagerFlags) => {
      const { runManager } = await import('./run.ts');
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
      const { runAnyCommand } = await import('./command.ts');
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
      const { runUpgrades } = await import('./run.ts');
      finish(await runUpgrades(io, flags));
    });
}

/** The upgrade integrations besides the scheduler. */
export function addUpgradeRuns(run: Command, io: Io, finish: Finish): void {
  withLease(withRun(withSources(run.command('ocm-upgrade-scheduler-org'))))
    .summary('schedule cluster upgrades from organization files in an instance')
    .description('Schedule upgrades of the clusters in the organization files of an instance, until SIGTERM.')
    .action(async (flags: RunUpgradesFlags) => {
      const { runOrgUpgrades } = await import('./run.ts');
      finish(await runOrgUpgrades(io, flags));
    });
  withJobs(withLease(withRun(withSources(run.command('version-gate-approver')))))
    .option('--sts-roles-kept', 'also acknowledge AWS STS gates: the roles are kept up to date elsewhere')
    .summary('acknowledge version gates for clusters that allow it')
    .description(
      'Acknowledge version gates for clusters whose labels, organization or file allow it, until SIGTERM. Gates that require work ' +
        'outside OCM are reported and not acknowledged.',
    )
    .action(async (flags: RunApproverFlags) => {
      const { runApprover } = await import('./run.ts');
      finish(await runApprover(io, flags));
    });
}

function withLease(command: Command): Command {
  return withKubeconfig(command).option('--in-cluster <cluster>', "cluster to access with this pod's service account");
}
