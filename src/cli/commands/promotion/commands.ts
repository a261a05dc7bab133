import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { isImageDigest } from '../../../base/index.ts';
import type { Direction } from '../../../promotion/index.ts';
import type { Io } from '../../io.ts';
import {
  collect,
  type Finish,
  progressOption,
  seconds,
  wholeNumber,
  withChart,
  withCommon,
  withImages,
  withRecord,
  withRunner,
} from '../../options.ts';
import type { PrCheckFlags } from './ports.ts';
import type { InitFlags, MrFlags, PromoteApplyFlags, PromoteFlags } from './promote.ts';

const VERBS = ['plan', 'apply', 'mr'] as const;
type Verb = (typeof VERBS)[number];

export function addPromote(promote: Command, io: Io, finish: Finish): void {
  promote.description('Promote a new version of an upstream to the targets in promotion.yml.');
  withPromotionFile(promote.command('init')).action(async (flags: InitFlags) => {
    const { init } = await import('./promote.ts');
    finish(await init(io, flags));
  });
  withUpstreamName(withPlan(promote.command('plan')))
    .summary('show what a promotion would change')
    .description(
      'Show what a promotion would change: values, diff, the commits in between with their authors, which shards move and which ' +
        'stay because of pins. Read-only.',
    )
    .action(async (flags: PromoteFlags) => {
      const { plan } = await import('./promote.ts');
      finish(await plan(io, flags));
    });
  withUpstreamName(withApply(withPlan(promote.command('apply'))))
    .summary('write a promotion to the working tree')
    .description(
      'Plan, ask for confirmation, and write exactly the shown changes to the working tree: all files or none.',
    )
    .action(async (flags: PromoteApplyFlags) => {
      const { apply } = await import('./promote.ts');
      finish(await apply(io, flags));
    });
  withUpstreamName(withRequest(withPlan(promote.command('mr'))))
    .option('--dry-run', 'show everything without changing anything')
    .summary('open or update the merge request for a promotion')
    .description(
      'Create one branch with one commit on top of the remote target branch, push it, and open or update one merge request. ' +
        'The working tree is not changed. Without a forge or a remote only the branch is created.',
    )
    .action(async (flags: MrFlags) => {
      const { mr } = await import('./promote.ts');
      finish(await mr(io, flags));
    });
  addOther(promote, io, finish);
}

/** Also `init promotion`. */
export function withPromotionFile(command: Command): Command {
  return command
    .summary('write a first promotion.yml')
    .description('Find the known locations of versions in an instance and write a first promotion.yml with comments.')
    .option('--data <dir>', 'a data repository (default: ECHELON_DATA, else .)')
    .option('--force', 'overwrite an existing promotion.yml')
    .option('--dry-run', 'print the file without writing it')
    .addOption(progressOption())
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error');
}

function addOther(promote: Command, io: Io, finish: Finish): void {
  withRequest(withApply(withPlan(promote.command('schemas'))))
    .addArgument(new Argument('[verb]', 'the action').choices(VERBS).default('plan'))
    .summary('promote the schemas, before anything that needs them')
    .description('Promote only the schemas: set SCHEMAS_IMAGE_TAG in .env to a commit of SCHEMAS_REPO.')
    .action(async (verb: Verb, flags: MrFlags & PromoteApplyFlags) => {
      finish(await run(io, verb, { ...flags, upstream: 'schemas' }));
    });
  withUpstreamName(withRequest(withApply(withScope(promote.command('rollback')))))
    .addArgument(new Argument('[verb]', 'the action').choices(VERBS).default('plan'))
    .summary('roll back the last promotion')
    .option('--undo-rollback', 'take back a change that is a rollback itself')
    .description(
      'Set the targets that were changed last to their values before that change, whatever else changed since.',
    )
    .action(async (verb: Verb, flags: MrFlags & PromoteApplyFlags) => {
      finish(await run(io, verb, flags, 'back'));
    });
}

async function run(
  io: Io,
  verb: Verb,
  flags: MrFlags & PromoteApplyFlags,
  direction: Direction = 'forward',
): Promise<number> {
  if (verb === 'plan') return (await import('./promote.ts')).plan(io, flags, direction);
  if (verb === 'apply') return (await import('./promote.ts')).apply(io, flags, direction);
  return (await import('./promote.ts')).mr(io, flags, direction);
}

function withUpstreamName(command: Command): Command {
  return command.option('--upstream <name>', 'upstream in promotion.yml (default: the first)');
}

function withPlan(command: Command): Command {
  return withScope(command)
    .option('--to <ref>', 'commit, branch or release of the upstream (default: head of its default branch)')
    .option('--allow-rollback', 'allow an older version, or one on another line of history');
}

/** Also used by rollback. */
function withScope(command: Command): Command {
  return withCommon(withRecord(command))
    .option('--data <dir>', 'a data repository (default: ECHELON_DATA, else .)')
    .option('--only <name>', 'only this target or environment (repeatable)', collect)
    .option('--except <name>', 'exclude this target or environment (repeatable)', collect)
    .option('--upstream-clone <dir>', 'use this clone of the upstream instead of its forge')
    .option('--schemas-clone <dir>', 'clone of the schemas, to check whether they must be promoted first')
    .option('--offline', 'use no forge; without a clone --to must be a full commit SHA')
    .option('--check-image', 'check that the registry has the image, and get its digest')
    .option('--image <repository>', 'image repository (default: image of the upstream, else .env)')
    .option('--digest <digest>', 'image digest, instead of getting it from the registry', digestText)
    .option('--wait <duration>', 'with --check-image: how long to wait for the image, such as 10m', seconds)
    .option('--detailed-exitcode', 'exit 2 when there are changes');
}

function withApply(command: Command): Command {
  return command.option('--yes', 'skip confirmation').option('--dry-run', 'show everything without writing anything');
}

function withRequest(command: Command): Command {
  return command
    .option('--branch <name>', 'branch name (default: promote-UPSTREAM-COMMIT)')
    .option(
      '--target-branch <name>',
      'target branch (default: from promotion.yml, else the default branch of the remote)',
    )
    .option('--label <label>', 'additional label for the merge request (repeatable)', collect)
    .option('--remote <name>', 'git remote', 'origin')
    .addOption(
      new Option('--forge <kind>', 'kind of forge, where the URL does not show it').choices(['gitlab', 'github']),
    )
    .option('--forge-url <url>', 'URL of the repository at the forge (default: that of the remote)')
    .option('--forge-api <url>', 'API URL of the forge')
    .option('--from-head', 'start from HEAD instead of the target branch, with its commits, such as pins')
    .option('--no-push', 'create the branch without pushing it');
}

function digestText(text: string): string {
  if (isImageDigest(text)) return text;
  throw new InvalidArgumentError('it must be sha256: followed by 64 hex digits');
}

const MOST_JOBS = 64;

export function addPrCheck(command: Command, io: Io, finish: Finish): void {
  withCommon(withRuns(withImages(withChart(withCommits(command)))))
    .description(
      'Compare two commits of a data repository: new problems, changed workloads in all environments, the affected ' +
        'integrations with the reason for each, and the dry runs they need, one per image. With --run, execute ' +
        'the dry runs. With --shadow, compare what new images would do. Exits 1 when the change introduces errors, a run fails, or a new image would not do the same.\n\n' +
        'An integration is affected when it declares the schema of a changed datafile, or of a datafile that uses a changed ' +
        'resource; when its own file changes; when the image in .env changes; or always, if declared so. An ' +
        'integration reads only its own integration file, so the file of another one does not affect it.',
    )
    .action(async (flags: PrCheckFlags) => {
      const { prCheck } = await import('./pr-check.ts');
      finish(await prCheck(io, flags));
    });
}

function withCommits(command: Command): Command {
  return withRecord(command)
    .option('--data <dir>', 'the instance, in a git repository (default: ECHELON_DATA, else .)')
    .option(
      '--base <ref>',
      'branch or commit that the change is based on: its merge base with the head is compared (default: the default branch of the remote)',
    )
    .option('--head <ref>', 'commit with the change; . is the working tree (default: HEAD)')
    .option('--worktree', 'check the changes in the working tree')
    .option('--remote <name>', 'git remote that defines the default branch and the forge', 'origin')
    .option('--schemas <path>', 'JSON schemas to validate against: a folder or a bundle')
    .option(
      '--upstream <url>',
      'render only integrations of this upstream (default: INTEGRATIONS_MANAGER_UPSTREAM, else all)',
    )
    .option('--capabilities <file>', 'what integrations support, as a YAML mapping')
    .option('--no-render', 'do not compare workloads')
    .option(
      '--select-strict',
      'a changed integration file affects every integration that declares the integration schema',
    );
}

function withRuns(command: Command): Command {
  return withRunner(command.option('--run', 'execute the dry runs'))
    .option('--shadow', 'compare what the images that the change introduces would do with those at base, in dry run')
    .option('--max-shadows <n>', 'shards to compare at most, one of every integration first', wholeNumber, 20)
    .option('-j, --jobs <n>', 'number of parallel runs', jobs, 4)
    .option('--log-dir <dir>', 'folder for the logs of the runs', 'pr-check-logs')
    .option('--compare-sha <sha>', 'bundle to compare with for early exit (default: EARLY_EXIT_COMPARE_SHA)')
    .option('--markdown <file>', 'also write the report as Markdown')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option('--comment <number>', 'post the report to this merge request, replacing an earlier one', wholeNumber)
    .option('--repository <url>', 'repository of that merge request (default: URL of the remote)')
    .addOption(
      new Option('--forge <kind>', 'kind of forge, where the URL does not show it').choices(['gitlab', 'github']),
    )
    .option('--forge-api <url>', 'API URL of the forge');
}

function jobs(text: string): number {
  const number = wholeNumber(text);
  if (number > MOST_JOBS) throw new InvalidArgumentError(`it must be at most ${MOST_JOBS}`);
  return number;
}
