import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PrCheckFlags } from '../commands/pr-check/flags.ts';
import type { Io } from '../io.ts';
import { type Finish, wholeNumber, withChart, withCommon, withImages, withRecord } from './options.ts';
import { withRunner } from './runner-options.ts';

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
      const { prCheck } = await import('../commands/pr-check/pr-check.ts');
      finish(await prCheck(io, flags));
    });
}

function withCommits(command: Command): Command {
  return withRecord(command)
    .option('--data <dir>', 'the instance, in a git repository (default: ECHELON_DATA, else .)')
    .option('--base <ref>', 'commit before the change (default: merge base with the default branch of the remote)')
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
