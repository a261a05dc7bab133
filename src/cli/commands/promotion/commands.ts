import { InvalidArgumentError } from 'commander';
import { isImageDigest } from '../../../base/index.ts';
import {
  type AnyCommand,
  argumentOr,
  command,
  type FlagsOf,
  flag,
  list,
  option,
  other,
  parsed,
  unless,
  usually,
} from '../../command.ts';
import {
  CAPABILITIES,
  CHART,
  DATA_FOLDER,
  DEBUG,
  FORGE,
  FORGE_API,
  IMAGES,
  NO_COLOR,
  PRINTED,
  PROGRESS,
  printed,
  ROLLOUT_RECORD,
  runner,
  seconds,
  wholeNumber,
} from '../../options.ts';

const INIT = {
  ...DATA_FOLDER,
  force: flag('--force', 'overwrite an existing promotion.yml'),
  dryRun: flag('--dry-run', 'print the file without writing it'),
  ...PROGRESS,
  ...NO_COLOR,
  ...DEBUG,
};

/** `promote init` and `init promotion`. */
export const PROMOTION_FILE = command({
  name: 'init',
  summary: 'write a first promotion.yml',
  description: 'Find the known locations of versions in an instance and write a first promotion.yml with comments.',
  options: INIT,
  examples: ['echelon promote init --dry-run'],
  run: async (ctx, flags) => (await import('./promote.ts')).init(ctx, flags),
});

const TARGETS = {
  ...ROLLOUT_RECORD,
  ...printed(['table', 'wide', 'json', 'yaml', 'markdown']),
  ...DATA_FOLDER,
  only: list('--only <name>', 'only this target or environment (repeatable)'),
  except: list('--except <name>', 'exclude this target or environment (repeatable)'),
  upstreamClone: { ...IMAGES.upstreamClone, text: 'use this clone of the upstream instead of its forge' },
  schemasClone: option('--schemas-clone <dir>', 'clone of the schemas, to check whether they must be promoted first'),
  offline: flag('--offline', 'use no forge; without a clone --to must be a full commit SHA'),
  checkImage: flag('--check-image', 'check that the registry has the image, and get its digest'),
  image: { ...IMAGES.image, text: 'image repository (default: image of the upstream, else .env)' },
  digest: parsed('--digest <digest>', 'image digest, instead of getting it from the registry', digestText),
  wait: parsed('--wait <duration>', 'with --check-image: how long to wait for the image, such as 10m', seconds),
  detailedExitcode: flag('--detailed-exitcode', 'exit 2 when there are changes'),
};
const VERSION = {
  to: option('--to <ref>', 'commit, branch or release of the upstream (default: head of its default branch)'),
  allowRollback: flag('--allow-rollback', 'allow an older version, or one on another line of history'),
};
const UPSTREAM = { upstream: option('--upstream <name>', 'upstream in promotion.yml (default: the first)') };
const APPLY = {
  yes: flag('--yes', 'skip confirmation'),
  dryRun: flag('--dry-run', 'show everything without writing anything'),
};
const REQUEST = {
  branch: option('--branch <name>', 'branch name (default: promote-UPSTREAM-COMMIT)'),
  targetBranch: option(
    '--target-branch <name>',
    'target branch (default: from promotion.yml, else the default branch of the remote)',
  ),
  label: list('--label <label>', 'additional label for the merge request (repeatable)'),
  remote: usually(option('--remote <name>', 'git remote'), 'origin'),
  ...FORGE,
  forgeUrl: option('--forge-url <url>', 'URL of the repository at the forge (default: that of the remote)'),
  ...FORGE_API,
  fromHead: flag('--from-head', 'start from HEAD instead of the target branch, with its commits, such as pins'),
  push: unless('--no-push', 'create the branch without pushing it'),
};
const PLANNED = { ...TARGETS, ...VERSION };
const SCHEMAS = { ...PLANNED, ...APPLY, ...REQUEST };
const ROLLBACK = {
  ...TARGETS,
  ...APPLY,
  ...REQUEST,
  ...UPSTREAM,
  undoRollback: flag('--undo-rollback', 'take back a change that is a rollback itself'),
};

export type InitFlags = FlagsOf<typeof INIT>;
export type PromoteFlags = FlagsOf<typeof TARGETS> &
  Partial<FlagsOf<typeof VERSION> & FlagsOf<typeof UPSTREAM>> &
  Pick<FlagsOf<typeof ROLLBACK>, 'undoRollback'>;
export type PromoteApplyFlags = PromoteFlags & FlagsOf<typeof APPLY>;
export type MrFlags = PromoteFlags & FlagsOf<typeof REQUEST> & Pick<PromoteApplyFlags, 'dryRun'>;

const VERBS = ['plan', 'apply', 'mr'] as const;
const VERB = argumentOr('[verb]', 'the action', 'plan', VERBS);
const CHANGES = { 2: 'changes, with --detailed-exitcode' };

const promote = command({
  name: 'promote',
  summary: 'promote a new version to all or some targets of an instance',
  description: 'Promote a new version of an upstream to the targets in promotion.yml.',
  commands: [
    PROMOTION_FILE,
    command({
      name: 'plan',
      summary: 'show what a promotion would change',
      description:
        'Show what a promotion would change: values, diff, the commits in between with their authors, which shards move and which ' +
        'stay because of pins. Read-only.',
      options: { ...PLANNED, ...UPSTREAM },
      examples: ['echelon promote plan', 'echelon promote plan --to v1.2.0 --only production'],
      exits: CHANGES,
      run: async (ctx, flags) => (await import('./promote.ts')).plan(ctx, flags),
    }),
    command({
      name: 'apply',
      summary: 'write a promotion to the working tree',
      description:
        'Plan, ask for confirmation, and write exactly the shown changes to the working tree: all files or none.',
      options: { ...PLANNED, ...APPLY, ...UPSTREAM },
      examples: ['echelon promote apply --only stage'],
      run: async (ctx, flags) => (await import('./promote.ts')).apply(ctx, flags),
    }),
    command({
      name: 'mr',
      summary: 'open or update the merge request for a promotion',
      description:
        'Create one branch with one commit on top of the remote target branch, push it, and open or update one merge request. ' +
        'The working tree is not changed. Without a forge or a remote only the branch is created.',
      options: {
        ...PLANNED,
        ...REQUEST,
        ...UPSTREAM,
        dryRun: flag('--dry-run', 'show everything without changing anything'),
      },
      examples: ['echelon promote mr --only production'],
      run: async (ctx, flags) => (await import('./promote.ts')).mr(ctx, flags),
    }),
    command({
      name: 'schemas',
      summary: 'promote the schemas, before anything that needs them',
      description: 'Promote only the schemas: set SCHEMAS_IMAGE_TAG in .env to a commit of SCHEMAS_REPO.',
      arguments: [VERB],
      options: SCHEMAS,
      examples: ['echelon promote schemas', 'echelon promote schemas mr'],
      run: async (ctx, flags, verb) => (await import('./promote.ts'))[verb](ctx, { ...flags, upstream: 'schemas' }),
    }),
    command({
      name: 'rollback',
      summary: 'roll back the last promotion',
      description:
        'Set the targets that were changed last to their values before that change, whatever else changed since.',
      arguments: [VERB],
      options: ROLLBACK,
      examples: ['echelon promote rollback mr'],
      run: async (ctx, flags, verb) => (await import('./promote.ts'))[verb](ctx, flags, 'back'),
    }),
  ],
});

function digestText(text: string): string {
  if (isImageDigest(text)) return text;
  throw new InvalidArgumentError('it must be sha256: followed by 64 hex digits');
}

const MOST_JOBS = 64;

function jobs(text: string): number {
  const number = wholeNumber(text);
  if (number > MOST_JOBS) throw new InvalidArgumentError(`it must be at most ${MOST_JOBS}`);
  return number;
}

const PR_CHECK = {
  ...ROLLOUT_RECORD,
  data: option('--data <dir>', 'the instance, in a git repository (default: ECHELON_DATA, else .)'),
  base: option(
    '--base <ref>',
    'branch or commit that the change is based on: its merge base with the head is compared (default: the default branch of the remote)',
  ),
  head: option('--head <ref>', 'commit with the change; . is the working tree (default: HEAD)'),
  worktree: flag('--worktree', 'check the changes in the working tree'),
  remote: usually(option('--remote <name>', 'git remote that defines the default branch and the forge'), 'origin'),
  schemas: option('--schemas <path>', 'JSON schemas to validate against: a folder or a bundle'),
  upstream: option(
    '--upstream <url>',
    'render only integrations of this upstream (default: INTEGRATIONS_MANAGER_UPSTREAM, else all)',
  ),
  ...CAPABILITIES,
  render: unless('--no-render', 'do not compare workloads'),
  selectStrict: flag(
    '--select-strict',
    'a changed integration file affects every integration that declares the integration schema',
  ),
  ...CHART,
  ...IMAGES,
  run: flag('--run', 'execute the dry runs'),
  ...runner(),
  shadow: flag(
    '--shadow',
    'compare what the images that the change introduces would do with those at base, in dry run',
  ),
  maxShadows: usually(
    parsed('--max-shadows <n>', 'shards to compare at most, one of every integration first', wholeNumber),
    20,
  ),
  jobs: usually(parsed('-j, --jobs <n>', 'number of parallel runs', jobs), 4),
  logDir: usually(option('--log-dir <dir>', 'folder for the logs of the runs'), 'pr-check-logs'),
  compareSha: option('--compare-sha <sha>', 'bundle to compare with for early exit (default: EARLY_EXIT_COMPARE_SHA)'),
  markdown: option('--markdown <file>', 'also write the report as Markdown'),
  junit: option('--junit <file>', 'also write the report as JUnit XML'),
  comment: parsed('--comment <number>', 'post the report to this merge request, replacing an earlier one', wholeNumber),
  forgeUrl: option('--forge-url <url>', 'URL of the repository of that merge request (default: that of the remote)'),
  repository: other('--repository <url>', 'the same as --forge-url', {
    as: 'forgeUrl',
    deprecated: '--forge-url',
    hidden: true,
  }),
  ...FORGE,
  ...FORGE_API,
  ...PRINTED,
};
export type PrCheckFlags = FlagsOf<typeof PR_CHECK>;

const prCheck = command({
  name: 'pr-check',
  summary: 'show the effect of a change to the instance, and dry-run the affected integrations',
  description:
    'Compare two commits of a data repository: new problems, changed workloads in all environments, the affected ' +
    'integrations with the reason for each, and the dry runs they need, one per image. With --run, execute ' +
    'the dry runs. With --shadow, compare what new images would do. Exits 1 when the change introduces errors, a run fails, or a new image would not do the same.\n\n' +
    'An integration is affected when it declares the schema of a changed datafile, or of a datafile that uses a changed ' +
    'resource; when its own file changes; when the image in .env changes; or always, if declared so. An ' +
    'integration reads only its own integration file, so the file of another one does not affect it.',
  options: PR_CHECK,
  examples: ['echelon pr-check --base origin/main', 'echelon pr-check --run --comment 42'],
  run: async (ctx, flags) => (await import('./pr-check.ts')).prCheck(ctx, flags),
});

export const COMMANDS: readonly AnyCommand[] = [prCheck, promote];
