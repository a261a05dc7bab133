import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PrCheckFlags, RunnerName } from '../commands/pr-check/flags.ts';
import type { Io } from '../io.ts';
import { collect, type Finish, seconds, wholeNumber, withChart, withCommon, withImages } from './options.ts';

/** Written out here so that help needs none of what runs them. */
const RUNNERS: readonly RunnerName[] = ['podman', 'docker', 'process'];
const MOST_JOBS = 64;
const LONGEST_SECONDS = 24 * 60 * 60;

export function addPrCheck(program: Command, io: Io, finish: Finish): void {
  withCommon(withRuns(withImages(withChart(withCommits(program.command('pr-check'))))))
    .summary('show what a change of the instance does, and dry-run what it concerns')
    .description(
      'Compares two commits of a data repository: new problems, workloads that change in all environments, the integrations that ' +
        'the change concerns with the reason for each, and the dry runs that they need, one for each image. With --run it ' +
        'carries them out. Exits 1 when the change brings errors or a run fails.\n\n' +
        'An integration is concerned when it declares to read the schema of a changed datafile, or of a datafile that uses a changed ' +
        'resource; when its own file changes; when the image of .env changes; or always, when it says so. What every ' +
        'integration reads of integration files is its own, so that the file of another one does not concern it.',
    )
    .action(async (flags: PrCheckFlags) => {
      const { prCheck } = await import('../commands/pr-check/pr-check.ts');
      finish(await prCheck(io, flags));
    });
}

function withCommits(command: Command): Command {
  return command
    .option('--data <dir>', 'the instance, in a git repository (default: ECHELON_DATA, else .)')
    .option(
      '--base <ref>',
      'the commit before the change (default: where the head left the default branch of the remote)',
    )
    .option('--head <ref>', 'the commit with the change; . is the working tree (default: HEAD)')
    .option('--worktree', 'the change is what is in the working tree')
    .option('--remote <name>', 'the remote whose default branch and forge count', 'origin')
    .option('--schemas <path>', 'JSON schemas to validate against: a folder or a bundle')
    .option(
      '--upstream <url>',
      'render only integrations of this upstream (default: INTEGRATIONS_MANAGER_UPSTREAM, else all)',
    )
    .option('--capabilities <file>', 'flags that integrations understand, as a YAML mapping')
    .option('--no-render', 'do not compare workloads')
    .option(
      '--select-strict',
      'a changed integration file concerns every integration that declares the schema of integrations',
    );
}

function withRuns(command: Command): Command {
  return command
    .option('--run', 'carry out the dry runs')
    .addOption(
      new Option('--runner <name>', 'containers, or a command on this machine').choices(RUNNERS).default('podman'),
    )
    .option('--command <words>', 'the program that gets the command of the integration as arguments; process needs it')
    .option('--shell', 'with --runner process: --command is a shell script, the arguments are "$@"')
    .option('--engine-arg <arg>', 'a further argument of podman run or docker run (repeatable)', collect)
    .option('-j, --jobs <n>', 'runs at the same time', jobs, 4)
    .option('--timeout <duration>', 'end a run after this time, such as 90s or 15m', limitedSeconds, 900)
    .option('--log-dir <dir>', 'where the logs of runs go', 'pr-check-logs')
    .option('--compare-sha <sha>', 'bundle to compare with, for early exit (default: EARLY_EXIT_COMPARE_SHA)')
    .option('--markdown <file>', 'also write the report as Markdown')
    .option('--junit <file>', 'also write the report as JUnit XML')
    .option('--comment <number>', 'write the report to this merge request, in place of an earlier one', wholeNumber)
    .option('--repository <url>', 'where that merge request is (default: the address of the remote)')
    .addOption(
      new Option('--forge <kind>', 'what hosts it, where the address does not say').choices(['gitlab', 'github']),
    )
    .option('--forge-api <url>', 'address of its API');
}

function jobs(text: string): number {
  const number = wholeNumber(text);
  if (number > MOST_JOBS) throw new InvalidArgumentError(`${MOST_JOBS} are the most`);
  return number;
}

function limitedSeconds(text: string): number {
  const duration = seconds(text);
  if (duration < 1 || duration > LONGEST_SECONDS) throw new InvalidArgumentError('it must be from 1s to 24h');
  return duration;
}
