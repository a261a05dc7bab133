import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Direction } from '../../promotion/index.ts';
import type { InitFlags } from '../commands/promote/init.ts';
import type { MrFlags, PromoteApplyFlags, PromoteFlags } from '../commands/promote/promote-flags.ts';
import type { Io } from '../io.ts';
import { collect, type Finish, progressOption, seconds, withCommon } from './options.ts';

const VERBS = ['plan', 'apply', 'mr'] as const;
type Verb = (typeof VERBS)[number];

export function addPromote(program: Command, io: Io, finish: Finish, whole: boolean): void {
  const promote = program
    .command('promote')
    .summary('promote a new version to all or some places of an instance')
    .description('Promotes a new version of an upstream to the places that promotion.yml lists.');
  if (!whole) return;
  promote
    .command('init')
    .summary('write a first promotion.yml')
    .description(
      'Looks for the known places of versions in an instance and writes a first promotion.yml with comments.',
    )
    .option('--data <dir>', 'a data repository (default: ECHELON_DATA, else .)')
    .option('--force', 'write over a promotion.yml that exists')
    .option('--dry-run', 'print it and write nothing')
    .addOption(progressOption())
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error')
    .action(async (flags: InitFlags) => {
      const { init } = await import('../commands/promote/init.ts');
      finish(await init(io, flags));
    });
  withUpstreamName(withPlan(promote.command('plan')))
    .summary('show what a promotion would change')
    .description(
      'Shows what a promotion would change: values, diff, the commits between and who wrote them, which shards move and which ' +
        'stay because of pins. Nothing is written anywhere.',
    )
    .action(async (flags: PromoteFlags) => {
      const { plan } = await import('../commands/promote/plan.ts');
      finish(await plan(io, flags));
    });
  withUpstreamName(withApply(withPlan(promote.command('apply'))))
    .summary('write a promotion into the working tree')
    .description('Plans, asks, and writes exactly what was shown into the working tree: all files or none.')
    .action(async (flags: PromoteApplyFlags) => {
      const { apply } = await import('../commands/promote/apply.ts');
      finish(await apply(io, flags));
    });
  withUpstreamName(withRequest(withPlan(promote.command('mr'))))
    .option('--dry-run', 'show everything and make nothing')
    .summary('open or update the merge request of a promotion')
    .description(
      'Makes one branch with one commit from the target branch of the remote, pushes it, and opens or updates one merge request. ' +
        'The working tree stays as it is. Without a forge or a remote it ends with the branch.',
    )
    .action(async (flags: MrFlags) => {
      const { mr } = await import('../commands/promote/mr.ts');
      finish(await mr(io, flags));
    });
  addOther(promote, io, finish);
}

function addOther(promote: Command, io: Io, finish: Finish): void {
  withRequest(withApply(withPlan(promote.command('schemas'))))
    .addArgument(new Argument('[verb]', 'what to do').choices(VERBS).default('plan'))
    .summary('promote the schemas, alone and first')
    .description('The same for the schemas, by themselves: SCHEMAS_IMAGE_TAG of .env to a commit of SCHEMAS_REPO.')
    .action(async (verb: Verb, flags: MrFlags & PromoteApplyFlags) => {
      finish(await run(io, verb, { ...flags, upstream: 'schemas' }));
    });
  withUpstreamName(withRequest(withApply(withScope(promote.command('rollback')))))
    .addArgument(new Argument('[verb]', 'what to do').choices(VERBS).default('plan'))
    .summary('undo the last promotion')
    .description(
      'Brings the targets of the last promotion back to what they were before it, whatever else was changed since.',
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
  if (verb === 'plan') return (await import('../commands/promote/plan.ts')).plan(io, flags, direction);
  if (verb === 'apply') return (await import('../commands/promote/apply.ts')).apply(io, flags, direction);
  return (await import('../commands/promote/mr.ts')).mr(io, flags, direction);
}

function withUpstreamName(command: Command): Command {
  return command.option('--upstream <name>', 'which upstream of promotion.yml (default: the first)');
}

function withPlan(command: Command): Command {
  return withScope(command)
    .option('--to <ref>', 'a commit, branch or release of the upstream (default: newest of its default branch)')
    .option('--allow-rollback', 'go back, or to another line of history');
}

/** Also for what goes back to where it was. */
function withScope(command: Command): Command {
  return withCommon(command)
    .option('--data <dir>', 'a data repository (default: ECHELON_DATA, else .)')
    .option('--only <name>', 'only this target or environment (repeatable)', collect)
    .option('--except <name>', 'not this target or environment (repeatable)', collect)
    .option('--upstream-clone <dir>', 'ask this clone of the upstream instead of its forge')
    .option('--schemas-clone <dir>', 'a clone of the schemas, to see whether they must be promoted first')
    .option('--offline', 'ask no forge; --to must be a whole commit then, unless there is a clone')
    .option('--check-image', 'ask the registry for the image, and for its digest')
    .option('--image <repository>', 'repository of the image (default: image of the upstream, else .env)')
    .option('--digest <digest>', 'digest of the image, instead of asking for it', digestText)
    .option('--wait <duration>', 'with --check-image: wait so long for the image, such as 10m', seconds)
    .option('--detailed-exitcode', 'exit 2 when there is something to change');
}

function withApply(command: Command): Command {
  return command.option('--yes', 'do not ask').option('--dry-run', 'show everything and write nothing');
}

function withRequest(command: Command): Command {
  return command
    .option('--branch <name>', 'name of the branch (default: promote-UPSTREAM-COMMIT)')
    .option('--target-branch <name>', 'branch that it goes to (default: promotion.yml, else that of the remote)')
    .option('--label <label>', 'label of the merge request, beside those of promotion.yml (repeatable)', collect)
    .option('--remote <name>', 'the remote', 'origin')
    .addOption(new Option('--forge <kind>', 'where the address does not say').choices(['gitlab', 'github']))
    .option('--forge-url <url>', 'address of the repository at the forge (default: that of the remote)')
    .option('--forge-api <url>', 'address of the API of the forge')
    .option('--from-head', 'start from what is checked out instead of the target branch')
    .option('--no-push', 'end with the branch');
}

function digestText(text: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(text)) return text;
  throw new InvalidArgumentError('it must be sha256: and 64 characters');
}
