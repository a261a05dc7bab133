import { type Command, Option } from 'commander';
import { wholeNumber } from './options.ts';

/** The options of existing managers that have another name here, or no effect. */
export function withManagerPod(command: Command): Command {
  alias(command, '-i <repository>', 'image');
  alias(command, '-u <url>', 'upstream');
  alias(command, '--thread-pool-size <n>', 'concurrency', wholeNumber);
  return ignoring(command, ['--use-jump-host', '--no-use-jump-host']);
}

/** Existing schedulers upgrade AWS roles by a job; here no job runs for a gate or an upgrade. */
export function withJobs(command: Command): Command {
  return ignoring(command, [
    '--job-controller-cluster <name>',
    '--job-controller-namespace <name>',
    '--rosa-job-service-account <name>',
    '--rosa-role <arn>',
    '--rosa-job-image <image>',
  ]);
}

/** Of an option and its alias the last one wins, as in existing pods. */
function alias(command: Command, flags: string, name: string, parse: (text: string) => unknown = (text) => text): void {
  const set = (text: string): unknown => {
    command.setOptionValueWithSource(name, parse(text), 'cli');
    return undefined;
  };
  command.addOption(new Option(flags, `the same as --${name}`).argParser(set));
}

/** The integration logs which of them were given. */
function ignoring(command: Command, all: readonly string[]): Command {
  for (const flags of all) {
    const option = new Option(flags, 'accepted for existing fleets and ignored');
    const note = (): void => {
      const noted = (command.getOptionValue('ignored') ?? []) as readonly string[];
      command.setOptionValue('ignored', [...new Set([...noted, option.long])]);
    };
    command.addOption(option).on(`option:${option.name()}`, note);
  }
  return command;
}
