import { type AnyCommand, argument, command, type FlagsOf, flag } from '../../command.ts';
import {
  CAPABILITIES,
  CHANGES,
  CHART,
  CLUSTERS,
  EXISTING_JOBS,
  EXISTING_MANAGER,
  IMAGES,
  IN_CLUSTER,
  INSTANCE,
  KUBECONFIG,
  RUN,
  RUN_COMMAND,
  SCOPE,
  SOURCES,
} from '../../options.ts';

const MANAGER = {
  ...INSTANCE,
  ...SCOPE,
  ...CAPABILITIES,
  ...CHART,
  ...IMAGES,
  ...CLUSTERS,
  ...CHANGES,
  ...RUN,
  ...EXISTING_MANAGER,
  shadowJobs: flag('--shadow-jobs', 'compare dry runs as Jobs where a track requires a shadow'),
};
const LEASED = { ...SOURCES, ...RUN, ...KUBECONFIG, ...IN_CLUSTER };
const SCHEDULER = { ...SOURCES, ...RUN, ...EXISTING_JOBS, ...KUBECONFIG, ...IN_CLUSTER };
const APPROVER = {
  ...LEASED,
  ...EXISTING_JOBS,
  stsRolesKept: flag('--sts-roles-kept', 'also acknowledge AWS STS gates: the roles are kept up to date elsewhere'),
};
export type RunManagerFlags = FlagsOf<typeof MANAGER>;
export type RunUpgradesFlags = FlagsOf<typeof LEASED>;
export type RunApproverFlags = FlagsOf<typeof APPROVER>;
export type RunCommandFlags = FlagsOf<typeof RUN_COMMAND>;

export const run = command({
  name: 'run',
  summary: 'run an integration in a loop: the entry point of a pod',
  description:
    'Run an integration in a loop, with metrics, health endpoints and a leader lease. The default is INTEGRATION_NAME with ' +
    'INTEGRATION_EXTRA_ARGS, as in pods of existing fleets.',
  configure: (added, io) => {
    added.action(async () => {
      const { podArguments } = await import('./run.ts');
      await added.parseAsync(podArguments(io.env), { from: 'user' });
    });
  },
  commands: [
    command({
      name: 'integrations-manager',
      summary: 'reconcile the fleet with the instance',
      description: 'Reconcile the fleet with the instance, until SIGTERM.',
      options: MANAGER,
      examples: ['echelon run integrations-manager --run-once --dry-run --no-lease'],
      run: async (ctx, flags) => (await import('./run.ts')).runManager(ctx, flags),
    }),
    command({
      name: 'advanced-upgrade-scheduler',
      summary: 'schedule cluster upgrades from OCM labels',
      description: 'Schedule cluster upgrades from OCM labels, until SIGTERM.',
      options: SCHEDULER,
      examples: ['echelon run advanced-upgrade-scheduler --config-file upgrades.yml'],
      simulatedClock: true,
      run: async (ctx, flags) => (await import('./run.ts')).runUpgrades(ctx, flags),
    }),
    command({
      name: 'ocm-upgrade-scheduler-org',
      summary: 'schedule cluster upgrades from organization files in an instance',
      description: 'Schedule upgrades of the clusters in the organization files of an instance, until SIGTERM.',
      options: LEASED,
      examples: ['echelon run ocm-upgrade-scheduler-org --run-once --dry-run'],
      simulatedClock: true,
      run: async (ctx, flags) => (await import('./run.ts')).runOrgUpgrades(ctx, flags),
    }),
    command({
      name: 'version-gate-approver',
      summary: 'acknowledge version gates for clusters that allow it',
      description:
        'Acknowledge version gates for clusters whose labels, organization or file allow it, until SIGTERM. Gates that require work ' +
        'outside OCM are reported and not acknowledged.',
      options: APPROVER,
      examples: ['echelon run version-gate-approver --config-file upgrades.yml'],
      simulatedClock: true,
      run: async (ctx, flags) => (await import('./run.ts')).runApprover(ctx, flags),
    }),
    command({
      name: 'command',
      usage: '[options] -- <command...>',
      summary: 'run any command as an integration: echelon run -- COMMAND',
      description:
        'Run a command as an integration, until SIGTERM: in a loop, with metrics, health endpoints, a time limit and logs. ' +
        'Its arguments are followed by INTEGRATION_EXTRA_ARGS. "echelon run [options] -- COMMAND" is the same.',
      arguments: [argument('<command...>', 'the program and its arguments, after --')],
      options: RUN_COMMAND,
      examples: ['echelon run command --name labels --timeout 5m -- ./labels.sh --verbose'],
      exits: { 124: 'with --run-once: timed out; any other code of the command is its own' },
      run: async (ctx, flags, words) => (await import('./command.ts')).runAnyCommand(ctx, words, flags),
    }),
  ],
});

/** `run [options] -- COMMAND` with the name of its subcommand, so that no program is mistaken for an integration. */
export function withCommandName(args: readonly string[]): readonly string[] {
  const [first, next] = args;
  if (first !== 'run' || !next?.startsWith('-') || !args.includes('--')) return args;
  return [first, 'command', ...args.slice(1)];
}

export const COMMANDS: readonly AnyCommand[] = [run];
