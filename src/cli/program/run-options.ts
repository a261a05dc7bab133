import type { Command } from 'commander';
import { portNumber, seconds } from './options.ts';

/** Of every loop. Flags override the variables of the pod contract. */
function withLoop(command: Command, poll: string): Command {
  return command
    .option('--dry-run', 'write nothing (default: MANAGER_DRY_RUN or DRY_RUN)')
    .option('--no-dry-run', 'write, even if the variables are set')
    .option('--run-once', 'run one pass and exit with its code (default: RUN_ONCE)')
    .option('--poll <duration>', `${poll} (default: SLEEP_DURATION_SECS, else 60s)`, seconds)
    .option(
      '--metrics-port <port>',
      'port of /metrics, /healthz and /readyz (default: PROMETHEUS_PORT, else 9090)',
      portNumber,
    )
    .option('--metrics-host <address>', 'listen address of the endpoints (default: METRICS_HOST, else all)');
}

/** Of a command that runs as an integration. */
export function withCommand(command: Command): Command {
  return withLoop(command, 'interval between runs')
    .option('--name <name>', 'name of the integration (default: INTEGRATION_NAME, else that of the program)')
    .option('--timeout <duration>', 'stop a run that takes longer (default: RUN_TIMEOUT_SECS, else 30m)', seconds)
    .option('--grace <duration>', 'kill a run that does not end this long after SIGTERM (default: 20s)', seconds)
    .option('--debug', 'print the stack of an error');
}

/** Of Echelon's own integrations. */
export function withRun(command: Command): Command {
  return withLoop(command, 'interval of polling the instance')
    .option('--resync <duration>', 'interval of full passes when the instance is unchanged (default: 10m)', seconds)
    .option(
      '--lease <place>',
      'NAMESPACE/NAME of the lease, or CLUSTER/NAMESPACE/NAME (default: in a pod, one in its namespace)',
    )
    .option('--no-lease', 'run without a lease')
    .option('--debug', 'print the stack of an error');
}
