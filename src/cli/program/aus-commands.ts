import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GateAgreementFlags } from '../commands/aus/apply-gate-agreement.ts';
import type { ApplyInheritanceFlags } from '../commands/aus/apply-inheritance.ts';
import type { ApplyPoliciesFlags } from '../commands/aus/apply-policies.ts';
import type { ApplySectorsFlags } from '../commands/aus/apply-sectors.ts';
import type { ApplyVersionBlocksFlags } from '../commands/aus/apply-version-blocks.ts';
import { AUS_FORMATS } from '../commands/aus/aus-format.ts';
import type { DeletePolicyFlags } from '../commands/aus/delete-policy.ts';
import type { GetGatesFlags } from '../commands/aus/get-gates.ts';
import type { ReadStdin } from '../commands/aus/input.ts';
import type { AusFlags } from '../commands/aus/login.ts';
import type { StatusFlags } from '../commands/aus/status.ts';
import type { AusValidateFlags } from '../commands/aus/validate.ts';
import { EXIT_HELP } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { collect, type Finish } from './options.ts';

/** Commands for users, with the verbs and flags of the existing plugin of OCM; `stdin` is what `-` reads. */
export function addAus(program: Command, io: Io, finish: Finish, whole: boolean, stdin?: ReadStdin): void {
  const aus = program
    .command('aus')
    .summary('manage upgrade policies as labels of OCM')
    .description('Manages when and under which conditions clusters are upgraded, as labels of OCM.');
  /** Before there are children: they take it over. */
  aus.exitOverride().configureOutput({
    writeOut: (text) => io.stdout.write(text),
    writeErr: (text) => io.stderr.write(text),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  aus.addOption(backend()).option('--debug', 'print the stack of an error');
  if (!whole) return;
  const read: ReadStdin = stdin ?? (async () => (await import('../commands/aus/input.ts')).standardInput());
  addGets(aus, io, finish);
  addApplies(aus, io, finish, read);
  addDelete(aus, io, finish);
  addViews(aus, io, finish);
}

function backend(): Option {
  return new Option('--backend <name>', 'where policies are kept').choices(['ocmlabels']).hideHelp();
}

function withLogin(command: Command): Command {
  return command
    .option('-o, --org-id <id>', 'the organization (default: that of the login)')
    .option(
      '--ocm-url <url>',
      'address of OCM, or production, staging, integration (default: OCM_URL, else that of the login)',
    )
    .option('--token <token>', 'an offline or access token (default: the login of ocm, else OCM_TOKEN)')
    .option('--client-id <id>', 'client to log in as, with --client-secret')
    .option('--client-secret <secret>', 'its secret (default: OCM_CLIENT_SECRET)')
    .option('--token-url <url>', 'where tokens are got')
    .addOption(backend())
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', EXIT_HELP);
}

/** `-o` is the organization here, as users of the plugin know it. */
function withOutput(command: Command): Command {
  return command.addOption(new Option('--output <format>', 'output format').choices(AUS_FORMATS).default('table'));
}

function withWrites(command: Command): Command {
  return withLogin(command)
    .option('--dry-run', 'show the labels that would change and write nothing')
    .option('-y, --yes', 'do not ask');
}

/** Commands that read a document: by `-`, as the plugin, or by name. */
function withDocuments(command: Command): Command {
  return withWrites(command)
    .argument('[-]', 'read JSON from standard input instead of flags', dash)
    .option('-f, --filename <file>', 'read JSON from this file; - is standard input')
    .option('--dump', 'print the JSON instead of applying it');
}

function dash(text: string): string {
  if (text !== '-') throw new InvalidArgumentError('only - is understood, which is standard input');
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
  const get = aus.command('get').summary('show policies, version blocks, sectors or gates');
  withLogin(get.command('policies').alias('policy'))
    .summary('policies of clusters, as JSON')
    .action(async (flags: AusFlags) => {
      const { getPolicies } = await import('../commands/aus/get-policies.ts');
      finish(await getPolicies(io, flags));
    });
  withLogin(get.command('version-blocks'))
    .summary('versions that the organization blocks, as JSON')
    .action(async (flags: AusFlags) => {
      const { getVersionBlocks } = await import('../commands/aus/get-version-blocks.ts');
      finish(await getVersionBlocks(io, flags));
    });
  withLogin(get.command('sectors'))
    .summary('sectors and what they depend on, as JSON')
    .action(async (flags: AusFlags) => {
      const { getSectors } = await import('../commands/aus/get-sectors.ts');
      finish(await getSectors(io, flags));
    });
  withOutput(withLogin(get.command('gates')))
    .summary('version gates that nobody agreed to')
    .action(async (flags: GetGatesFlags) => {
      const { getGates } = await import('../commands/aus/get-gates.ts');
      finish(await getGates(io, flags));
    });
}

function addApplies(aus: Command, io: Io, finish: Finish, stdin: ReadStdin): void {
  const apply = aus
    .command('apply')
    .summary('create or change policies, version blocks, sectors, inheritance or gates');
  withDocuments(apply.command('policies').alias('policy'))
    .summary('create or change policies of clusters')
    .description(
      'Makes the labels of clusters say what the policies say. The labels that change are shown; others stay.',
    )
    .option('-c, --cluster-name <name>', 'the cluster, by its name or id')
    .option('-s, --schedule <cron>', 'when, as cron in UTC, or weekdays (Monday to Thursday) or anytime')
    .option('-w, --workload <name>', 'what runs on it (repeatable)', collect)
    .option('-d, --soak-days <n>', 'days that a version runs elsewhere first', soakDays, 0)
    .option('--sector <name>', 'the sector that it belongs to')
    .option('-m, --mutex <name>', 'a mutex that it holds while it upgrades (repeatable)', collect)
    .option('-b, --blocked-versions <regex>', 'versions that it never takes (repeatable)', collect)
    .action(async (from: From, flags: ApplyPoliciesFlags) => {
      const { applyPolicies } = await import('../commands/aus/apply-policies.ts');
      finish(await applyPolicies(io, { ...flags, ...fromOf(from) }, stdin));
    });
  withDocuments(apply.command('version-blocks'))
    .summary('block or unblock versions for the organization')
    .option('-b, --block-version <regex>', 'block these versions (repeatable)', collect)
    .option('-u, --unblock-version <regex>', 'do not block them any more (repeatable)', collect)
    .option('--replace', 'only what is blocked here stays blocked')
    .action(async (from: From, flags: ApplyVersionBlocksFlags) => {
      const { applyVersionBlocks } = await import('../commands/aus/apply-version-blocks.ts');
      finish(await applyVersionBlocks(io, { ...flags, ...fromOf(from) }, stdin));
    });
  withDocuments(apply.command('sectors'))
    .summary('say what sectors depend on, and how many clusters upgrade at once')
    .option('-a, --add-dep <a=b,c>', 'sector A depends on B and C; A alone declares it (repeatable)', collect)
    .option('-r, --remove-dep <a=b>', 'A does not depend on B any more; A alone removes it (repeatable)', collect)
    .option('-m, --sector-max-parallel-upgrades <a=n>', 'clusters of A at once, A=2 or A=50% (repeatable)', collect)
    .option('--replace', 'only what is named here stays')
    .action(async (from: From, flags: ApplySectorsFlags) => {
      const { applySectors } = await import('../commands/aus/apply-sectors.ts');
      finish(await applySectors(io, { ...flags, ...fromOf(from) }, stdin));
    });
  withDocuments(apply.command('inheritance'))
    .summary('use the history of other organizations, or let them use this one')
    .option('-i, --inherit-from <ids>', 'use the history of these organizations (repeatable)', collect)
    .option('-p, --publish-to <ids>', 'let these organizations use the history (repeatable)', collect)
    .option('--replace', 'only what is named here stays')
    .action(async (from: From, flags: ApplyInheritanceFlags) => {
      const { applyInheritance } = await import('../commands/aus/apply-inheritance.ts');
      finish(await applyInheritance(io, { ...flags, ...fromOf(from) }, stdin));
    });
  withWrites(apply.command('gate-agreement'))
    .summary('agree to the version gates of a minor')
    .requiredOption('-c, --cluster-name <name>', 'the cluster, by its name or id')
    .requiredOption('--version <minor>', 'the minor version, such as 4.19')
    .action(async (flags: GateAgreementFlags) => {
      const { applyGateAgreement } = await import('../commands/aus/apply-gate-agreement.ts');
      finish(await applyGateAgreement(io, flags));
    });
}

function addDelete(aus: Command, io: Io, finish: Finish): void {
  const remove = aus.command('delete').summary('delete the policy of a cluster');
  withWrites(remove.command('policy').alias('policies'))
    .summary('delete the policy of a cluster')
    .description('Takes away every label of the cluster that is about upgrades; others stay.')
    .requiredOption('-c, --cluster-name <name>', 'the cluster, by its name or id')
    .action(async (flags: DeletePolicyFlags) => {
      const { deletePolicy } = await import('../commands/aus/delete-policy.ts');
      finish(await deletePolicy(io, flags));
    });
}

function addViews(aus: Command, io: Io, finish: Finish): void {
  withOutput(withLogin(aus.command('status')))
    .summary('show the whole configuration of the organization')
    .option('--show-all-clusters', 'also clusters without a policy')
    .action(async (flags: StatusFlags) => {
      const { status } = await import('../commands/aus/status.ts');
      finish(await status(io, flags));
    });
  withOutput(withLogin(aus.command('validate')))
    .summary('check all labels as the scheduler reads them')
    .description(
      'Reads all labels as the scheduler does, and looks for policies that wait for each other for ever and settings without effect. ' +
        'Exits 1 when there are errors.',
    )
    .action(async (flags: AusValidateFlags) => {
      const { ausValidate } = await import('../commands/aus/validate.ts');
      finish(await ausValidate(io, flags));
    });
}
