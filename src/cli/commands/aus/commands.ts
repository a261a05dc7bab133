import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../../io.ts';
import { collect, type Finish } from '../../options.ts';
import type {
  ApplyInheritanceFlags,
  ApplyListFlags,
  ApplyPoliciesFlags,
  ApplySectorsFlags,
  DeletePolicyFlags,
  GateAgreementFlags,
} from './apply.ts';
import type { AusFlags, ReadStdin } from './input.ts';
import { AUS_FORMATS, type AusValidateFlags, type GetGatesFlags, type StatusFlags } from './views.ts';

/** Commands for cluster owners, with the verbs and flags of the existing OCM plugin; `stdin` is what `-` reads. */
export function addAus(aus: Command, io: Io, finish: Finish, stdin?: ReadStdin): void {
  aus.description('Manage when and under which conditions clusters are upgraded, as OCM labels.');
  /** Set before the subcommands are added: they inherit it. */
  aus.exitOverride().configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  aus.addOption(backend()).option('--debug', 'print the stack of an error');
  const read: ReadStdin = stdin ?? (async () => (await import('./input.ts')).standardInput());
  addGets(aus, io, finish);
  addApplies(aus, io, finish, read);
  addDelete(aus, io, finish);
  addViews(aus, io, finish);
}

function backend(): Option {
  return new Option('--backend <name>', 'where policies are stored').choices(['ocmlabels']).hideHelp();
}

function withLogin(command: Command): Command {
  return command
    .option('-o, --org-id <id>', 'organization (default: that of the login)')
    .option(
      '--ocm-url <url>',
      'URL of OCM, or production, staging, integration (default: OCM_URL, else that of the login)',
    )
    .option('--token <token>', 'offline or access token (default: the ocm login, else OCM_TOKEN)')
    .option('--client-id <id>', 'client ID to log in with, together with --client-secret')
    .option('--client-secret <secret>', 'client secret (default: OCM_CLIENT_SECRET)')
    .option('--token-url <url>', 'URL of the token endpoint')
    .addOption(backend())
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error');
}

/** `-o` is the organization here, as in the plugin. */
function withOutput(command: Command): Command {
  return command.addOption(new Option('--output <format>', 'output format').choices(AUS_FORMATS).default('table'));
}

function withWrites(command: Command): Command {
  return withLogin(command)
    .option('--dry-run', 'show the labels that would change without writing them')
    .option('-y, --yes', 'skip confirmation');
}

/** Commands that read a document: from `-`, as in the plugin, or from a file. */
function withDocuments(command: Command): Command {
  return withWrites(command)
    .argument('[-]', 'read JSON from standard input instead of flags', dash)
    .option('-f, --filename <file>', 'read JSON from this file; - is standard input')
    .option('--dump', 'print the JSON instead of applying it');
}

function dash(text: string): string {
  if (text !== '-') throw new InvalidArgumentError('it must be -, for standard input');
  return text;
}

function soakDays(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('it must be a whole number of days, 0 or more');
  return Number(text);
}

type From = string | undefined;

function fromOf(from: From): { readonly from?: string } {
  return from === undefined ? {} : { from };
}

function addGets(aus: Command, io: Io, finish: Finish): void {
  const get = aus.command('get').summary('show policies, version blocks, freezes, sectors or gates');
  withLogin(get.command('policies').alias('policy'))
    .summary('cluster policies, as JSON')
    .action(async (flags: AusFlags) => {
      const { getPolicies } = await import('./views.ts');
      finish(await getPolicies(io, flags));
    });
  withLogin(get.command('version-blocks'))
    .summary('versions blocked by the organization, as JSON')
    .action(async (flags: AusFlags) => {
      const { getJson } = await import('./views.ts');
      finish(await getJson(io, 'versionBlocks', flags));
    });
  withLogin(get.command('freezes'))
    .summary('times without upgrades of the organization, as JSON')
    .action(async (flags: AusFlags) => {
      const { getJson } = await import('./views.ts');
      finish(await getJson(io, 'freezes', flags));
    });
  withLogin(get.command('sectors'))
    .summary('sectors and their dependencies, as JSON')
    .action(async (flags: AusFlags) => {
      const { getJson } = await import('./views.ts');
      finish(await getJson(io, 'sectors', flags));
    });
  withOutput(withLogin(get.command('gates')))
    .summary('version gates without an agreement')
    .action(async (flags: GetGatesFlags) => {
      const { getGates } = await import('./views.ts');
      finish(await getGates(io, flags));
    });
}

function addApplies(aus: Command, io: Io, finish: Finish, stdin: ReadStdin): void {
  const apply = aus
    .command('apply')
    .summary('create or change policies, version blocks, freezes, sectors, inheritance or gate agreements');
  withDocuments(apply.command('policies').alias('policy'))
    .summary('create or change cluster policies')
    .description('Set the labels of clusters from policies. Shows the labels that change; other labels are kept.')
    .option('-c, --cluster-name <name>', 'cluster name or id')
    .option('-s, --schedule <cron>', 'cron expression in UTC, or weekdays (Monday to Thursday) or anytime')
    .option('-w, --workload <name>', 'workload on the cluster (repeatable)', collect)
    .option('-d, --soak-days <n>', 'days that a version must soak on other clusters', soakDays, 0)
    .option('--sector <name>', 'sector of the cluster')
    .option('-m, --mutex <name>', 'mutex held during an upgrade (repeatable)', collect)
    .option('-b, --blocked-versions <regex>', 'versions blocked for the cluster (repeatable)', collect)
    .option(
      '--freeze <from/until=reason>',
      'no upgrades between these times; others are kept without it (repeatable)',
      collect,
    )
    .action(async (from: From, flags: ApplyPoliciesFlags) => {
      const { applyPolicies } = await import('./apply.ts');
      finish(await applyPolicies(io, { ...flags, ...fromOf(from) }, stdin));
    });
  withDocuments(apply.command('version-blocks'))
    .summary('block or unblock versions for the organization')
    .option('-b, --block-version <regex>', 'block these versions (repeatable)', collect)
    .option('-u, --unblock-version <regex>', 'unblock these versions (repeatable)', collect)
    .option('--replace', 'replace all existing blocks')
    .action(async (from: From, flags: ApplyListFlags) => {
      const { applyList } = await import('./apply.ts');
      finish(await applyList(io, 'version-blocks', { ...flags, ...fromOf(from) }, stdin));
    });
  withDocuments(apply.command('freezes'))
    .summary('freeze the clusters of the organization for a time, or unfreeze them')
    .option(
      '--freeze <from/until=reason>',
      'no upgrades between these times; the reason is optional (repeatable)',
      collect,
    )
    .option('--unfreeze <from/until>', 'remove this freeze (repeatable)', collect)
    .option('--replace', 'replace all existing freezes')
    .action(async (from: From, flags: ApplyListFlags) => {
      const { applyList } = await import('./apply.ts');
      finish(await applyList(io, 'freezes', { ...flags, ...fromOf(from) }, stdin));
    });
  withDocuments(apply.command('sectors'))
    .summary('set sector dependencies, and how many clusters upgrade in parallel')
    .option('-a, --add-dep <a=b,c>', 'make sector A depend on B and C; A alone declares it (repeatable)', collect)
    .option(
      '-r, --remove-dep <a=b>',
      'remove the dependency of A on B; A alone removes the sector (repeatable)',
      collect,
    )
    .option('-m, --sector-max-parallel-upgrades <a=n>', 'parallel upgrades in A, A=2 or A=50% (repeatable)', collect)
    .option('--replace', 'replace all existing settings')
    .action(async (from: From, flags: ApplySectorsFlags) => {
      const { applySectors } = await import('./apply.ts');
      finish(await applySectors(io, { ...flags, ...fromOf(from) }, stdin));
    });
  withDocuments(apply.command('inheritance'))
    .summary('inherit the version history of other organizations, or publish it to them')
    .option('-i, --inherit-from <ids>', 'inherit the history of these organizations (repeatable)', collect)
    .option('-p, --publish-to <ids>', 'publish the history to these organizations (repeatable)', collect)
    .option('--replace', 'replace all existing settings')
    .action(async (from: From, flags: ApplyInheritanceFlags) => {
      const { applyInheritance } = await import('./apply.ts');
      finish(await applyInheritance(io, { ...flags, ...fromOf(from) }, stdin));
    });
  withWrites(apply.command('gate-agreement'))
    .summary('acknowledge the version gates of a minor version')
    .requiredOption('-c, --cluster-name <name>', 'cluster name or id')
    .requiredOption('--version <minor>', 'minor version, such as 4.19')
    .action(async (flags: GateAgreementFlags) => {
      const { applyGateAgreement } = await import('./apply.ts');
      finish(await applyGateAgreement(io, flags));
    });
}

function addDelete(aus: Command, io: Io, finish: Finish): void {
  const remove = aus.command('delete').summary('delete the policy of a cluster');
  withWrites(remove.command('policy').alias('policies'))
    .summary('delete the policy of a cluster')
    .description('Remove all upgrade labels of the cluster; other labels are kept.')
    .requiredOption('-c, --cluster-name <name>', 'cluster name or id')
    .action(async (flags: DeletePolicyFlags) => {
      const { deletePolicy } = await import('./apply.ts');
      finish(await deletePolicy(io, flags));
    });
}

function addViews(aus: Command, io: Io, finish: Finish): void {
  withOutput(withLogin(aus.command('status')))
    .summary('show the whole configuration of the organization')
    .option('--show-all-clusters', 'include clusters without a policy')
    .action(async (flags: StatusFlags) => {
      const { status } = await import('./views.ts');
      finish(await status(io, flags));
    });
  withOutput(withLogin(aus.command('validate')))
    .summary('validate all labels as the scheduler reads them')
    .description(
      'Read all labels as the scheduler does, and check for policies that deadlock and settings without effect. ' +
        'With the configuration of the scheduler also for inherited histories that never come. ' +
        'Exits 1 when there are errors.',
    )
    .option('--config-file <file>', 'configuration file of the scheduler')
    .option(
      '--data <src>',
      'instance of the scheduler: a data repository, a bundle file, or the URL of a qontract-server',
    )
    .option('--config <file>', 'config.toml with the token of that server (default: ECHELON_CONFIG, QONTRACT_CONFIG)')
    .action(async (flags: AusValidateFlags) => {
      const { ausValidate } = await import('./views.ts');
      finish(await ausValidate(io, flags));
    });
}
