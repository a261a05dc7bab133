import type { Command } from 'commander';
import { EXIT_HELP } from '../exit-codes.ts';
import { portNumber, seconds } from './options.ts';

/** The variables of the pod contract stand behind the flags. */
export function withRun(command: Command): Command {
  return command
    .option('--dry-run', 'write nothing (default: MANAGER_DRY_RUN or DRY_RUN)')
    .option('--no-dry-run', 'write, whatever the variables say')
    .option('--run-once', 'one pass, and exit with its code (default: RUN_ONCE)')
    .option('--poll <duration>', 'time between looks at the instance (default: SLEEP_DURATION_SECS, else 60s)', seconds)
    .option(
      '--resync <duration>',
      'look at the clusters this often even if the instance is unchanged (default: 10m)',
      seconds,
    )
    .option(
      '--metrics-port <port>',
      'port of /metrics, /healthz and /readyz (default: PROMETHEUS_PORT, else 9090)',
      portNumber,
    )
    .option('--metrics-host <address>', 'address that these are served on (default: all)')
    .option(
      '--lease <place>',
      'NAMESPACE/NAME of the lease, or CLUSTER/NAMESPACE/NAME (default: in a pod, one in its namespace)',
    )
    .option('--no-lease', 'run without a lease')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', EXIT_HELP);
}
