import type { Command } from 'commander';
import type { RunUpgradesFlags } from '../commands/run/advanced-upgrade-scheduler.ts';
import type { RunApproverFlags } from '../commands/run/version-gate-approver.ts';
import type { Io } from '../io.ts';
import { collect, type Finish, withSources } from './options.ts';
import { withRun } from './run-options.ts';

/** The integrations beside the scheduler that have to do with upgrades. */
export function addUpgradeRuns(run: Command, io: Io, finish: Finish): void {
  withLease(withRun(withSources(run.command('ocm-upgrade-scheduler-org'))))
    .summary('schedule cluster upgrades from organization files of an instance')
    .description('Schedules upgrades of the clusters that organization files of an instance name, until SIGTERM.')
    .action(async (flags: RunUpgradesFlags) => {
      const { runOrgUpgrades } = await import('../commands/run/ocm-upgrade-scheduler-org.ts');
      finish(await runOrgUpgrades(io, flags));
    });
  withJobs(withLease(withRun(withSources(run.command('version-gate-approver')))))
    .option('--sts-roles-kept', 'agree to gates of AWS STS too: somebody else keeps the roles up to date')
    .summary('agree to version gates for those who allow it')
    .description(
      'Agrees to version gates for clusters whose labels, organization or file allow it, until SIGTERM. Gates that need work ' +
        'outside of OCM are told about and left alone.',
    )
    .action(async (flags: RunApproverFlags) => {
      const { runApprover } = await import('../commands/run/version-gate-approver.ts');
      finish(await runApprover(io, flags));
    });
}

function withLease(command: Command): Command {
  return command
    .option('--context <name>', 'context of the kubeconfig, for a lease outside of a pod (repeatable)', collect)
    .option('--in-cluster <cluster>', 'the cluster that is reached with the account of this pod');
}

/** Pods of existing fleets have these; no job is run for a gate, as none is by the existing integration. */
const JOB_OPTIONS = [
  '--job-controller-cluster <name>',
  '--job-controller-namespace <name>',
  '--rosa-job-service-account <name>',
  '--rosa-role <arn>',
  '--rosa-job-image <image>',
];

function withJobs(command: Command): Command {
  for (const flags of JOB_OPTIONS) command.option(flags, 'accepted from pods of existing fleets, and not used');
  return command;
}
