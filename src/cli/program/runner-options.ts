import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunnerName } from '../../promotion/index.ts';
import { collect, seconds } from './options.ts';

/** Repeated here so that help does not load the runners. */
const RUNNERS: readonly RunnerName[] = ['podman', 'docker', 'process'];
const LONGEST_SECONDS = 24 * 60 * 60;

/** How dry runs are started on this machine. */
export function withRunner(command: Command, more: readonly 'kubernetes'[] = []): Command {
  const what = ['run containers', ...more.map(() => 'Jobs in the cluster of the shard'), 'or a local command'].join(
    ', ',
  );
  return command
    .addOption(new Option('--runner <name>', what).choices([...RUNNERS, ...more]).default('podman'))
    .option('--command <words>', 'program that gets the integration command as arguments; required by process')
    .option('--shell', 'with --runner process: --command is a shell script, the arguments are "$@"')
    .option(
      '--env <name[=value]>',
      'variable for the runs; without a value, from this environment (repeatable)',
      collect,
    )
    .option('--engine-arg <arg>', 'additional argument for podman run or docker run (repeatable)', collect)
    .option('--timeout <duration>', 'timeout of a run, such as 90s or 15m', limitedSeconds, 900);
}

function limitedSeconds(text: string): number {
  const duration = seconds(text);
  if (duration < 1 || duration > LONGEST_SECONDS) throw new InvalidArgumentError('it must be from 1s to 24h');
  return duration;
}
