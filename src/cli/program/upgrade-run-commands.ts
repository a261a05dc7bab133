import type { Command } from 'commander';
import type { RunUpgradesFlags } from '../commands/run/advanced-upgrade-scheduler.ts';
import type { RunApproverFlags } from '../commands/run/version-gate-approver.ts';
import type { Io } from '../io.ts';
import { type Finish, withKubeconfig, withSources } from './options.ts';
import { withJobs } from './pod-options.ts';
import { withRun } from './run-options.ts';

/** The upgrade integrations besides the scheduler. */
export function addUpgradeRuns(run: Command, io: Io, finish: Finish): void {
  withLease(withRun(withSources(run.command('ocm-upgrade-scheduler-org'))))
    .summary('schedule cluster upgrades from organization files in an instance')
    .description('Schedule upgrades of the clusters in the organization files of an instance, until SIGTERM.')
    .action(async (flags: RunUpgradesFlags) => {
      const { runOrgUpgrades } = await import('../commands/run/ocm-upgrade-scheduler-org.ts');
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
      const { runApprover } = await import('../commands/run/version-gate-approver.ts');
      finish(await runApprover(io, flags));
    });
}

function withLease(command: Command): Command {
  return withKubeconfig(command).option('--in-cluster <cluster>', "cluster to access with this pod's service account");
}
