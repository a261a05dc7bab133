import { type Command, Option } from 'commander';
import { INSTANCE_QUESTIONS } from '../../../scaffold/index.ts';
import type { Io } from '../../io.ts';
import {
  collect,
  type Finish,
  wholeNumber,
  withCapabilities,
  withCommon,
  withInstance,
  withOtherName,
} from '../../options.ts';
import { withPromotionFile } from '../promotion/commands.ts';
import type { InitFlags } from '../promotion/promote.ts';
import type { InitInstanceFlags, InitIntegrationFlags } from './init.ts';
import type { ExplainFieldFlags, GetFlags, ShardOfFlags, ValidateFlags } from './instance.ts';

export function addValidate(command: Command, io: Io, finish: Finish): void {
  withCommon(
    withCapabilities(
      withInstance(
        command.description(
          'Check an instance and report all problems, each with its file, line and column, ' +
            'the rule and a hint. Exits 1 on errors; warnings alone exit 0.',
        ),
      ),
    )
      .option(
        '--schemas <dir>',
        'validate against the JSON schemas in this folder (default for a bundle: its own schemas)',
      )
      .option('--rollouts <file>', 'check this file instead of resources/echelon/rollouts.yml')
      .option('--chart <dir>', 'the chart in use; its object names are checked by manager render (default: built-in)')
      .addOption(noCache()),
  ).action(async (flags: ValidateFlags) => {
    const { validate } = await import('./instance.ts');
    finish(await validate(io, flags));
  });
}

/** Accepted for one minor version: nothing is remembered between runs. */
function noCache(): Option {
  return new Option('--no-cache', 'has no effect').hideHelp();
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
    summary: 'shards of integrations, with image and resources',
    environment: 'only shards that run in this environment',
    integration: 'only shards of this integration',
  },
  {
    kind: 'environments',
    summary: 'environments and the integrations in them',
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
    integration: 'only accounts for which this integration is not disabled',
  },
  {
    kind: 'organizations',
    summary: 'OCM organizations',
    environment: 'only organizations of this OCM environment',
    integration: 'only organizations for which this integration is not disabled',
  },
];

export function addGet(get: Command, io: Io, finish: Finish): void {
  get.description('Show the contents of an instance.');
  for (const kind of KINDS) {
    const command = get.command(`${kind.kind} [names...]`).summary(kind.summary).description(`List ${kind.summary}.`);
    if (kind.kind === 'shards') withCapabilities(command);
    withCommon(withFilters(withInstance(command), kind).addOption(noCache())).action(
      async (names: string[], flags: GetFlags) => {
        const { get: run } = await import('./instance.ts');
        finish(await run(io, kind.kind, names, flags));
      },
    );
  }
}

export function addShardOf(command: Command, io: Io, finish: Finish): void {
  withCommon(
    command
      .argument('<keys...>', 'keys that shards share by hash, such as cluster/namespace')
      .description('Show which shard owns a key: MD5 modulo the number of shards, as the shards themselves compute it.')
      .requiredOption('--shards <n>', 'number of shards', wholeNumber)
      .addOption(
        new Option('--membership <kind>', 'how keys are assigned to shards')
          .choices(['md5', 'rendezvous'])
          .default('md5'),
      ),
  ).action(async (keys: string[], flags: ShardOfFlags) => {
    const { shardOf } = await import('./instance.ts');
    finish(await shardOf(io, keys, flags));
  });
}

function withFilters(command: Command, { environment, integration }: Kind): Command {
  if (environment !== undefined) {
    withOtherName(
      command.option('-e, --environment <name>', `${environment} (repeatable)`, collect),
      'environment',
      'environment-name',
    );
  }
  return command.option('-i, --integration <name>', `${integration} (repeatable)`, collect);
}

export function addExplain(command: Command, io: Io, finish: Finish): void {
  withCommon(command)
    .argument('[field]', 'a kind of file, or a field of it: KIND[.FIELD…]')
    .description(
      'Show the fields of a kind of file: type, whether required, default, meaning, example. Without an argument, list the ' +
        'kinds. Positions in lists and names of your choice are left out of the path: integration.managed.spec.',
    )
    .option('--recursive', 'show all fields below, without their meaning')
    .action(async (path: string | undefined, flags: ExplainFieldFlags) => {
      const { explainField } = await import('./instance.ts');
      finish(await explainField(io, path, flags));
    });
}

export function addSchema(command: Command, io: Io, finish: Finish): void {
  command
    .argument('<kind>', 'a kind of file, as listed by: echelon explain')
    .description(
      'Print the JSON Schema (draft 7) of a kind of file, for editors and validators. It accepts what Echelon reads; what only ' +
        'Echelon checks is listed by: echelon explain KIND. The same files are in schemas/ of the package.',
    )
    .option('--debug', 'print the stack of an error')
    .action(async (kind: string) => {
      const { schema } = await import('./instance.ts');
      finish(await schema(io, kind));
    });
}

export function addInit(init: Command, io: Io, finish: Finish): void {
  init
    .enablePositionalOptions()
    .argument('[dir]', 'folder of the new instance', '.')
    .description(
      'Write the smallest complete instance: a cluster, an environment and an integration, with comments, a README, and files for CI. ' +
        'Asks on a terminal what no flag says. Never overwrites: all files are written, or none.',
    )
    .option('--full', 'a file for everything, as the published schemas of existing instances require')
    .option('-y, --yes', 'ask nothing: use the defaults');
  for (const { name, text } of INSTANCE_QUESTIONS) init.option(`--${name} <${name}>`, lowered(text));
  withWrite(init).action(async (folder: string, flags: InitInstanceFlags) => {
    const { initInstance } = await import('./init.ts');
    finish(await initInstance(io, folder, flags));
  });
  withWrite(init.command('integration <name>'))
    .summary('add an integration to an instance')
    .description('Write the file of a new integration into an instance.')
    .option('--data <dir>', 'a data repository (default: ECHELON_DATA, else .)')
    .option('-n, --namespace <name>', 'the namespace that it runs in (default: the only one)')
    .option('--shards <n>', 'number of shards', wholeNumber)
    .option('--description <text>', 'what it reconciles')
    .option('--upstream <url>', 'its source repository (default: that of the others)')
    .action(async (name: string, flags: InitIntegrationFlags) => {
      const { initIntegration } = await import('./init.ts');
      finish(await initIntegration(io, name, flags));
    });
  withWrite(init.command('rollouts'))
    .summary('write a first rollouts.yml')
    .description('Write a first resources/echelon/rollouts.yml: in every environment one shard first, then the others.')
    .option('--data <dir>', 'a data repository (default: ECHELON_DATA, else .)')
    .action(async (flags: { data?: string; dryRun?: boolean }) => {
      const { initRollouts } = await import('./init.ts');
      finish(await initRollouts(io, flags));
    });
  withPromotionFile(init.command('promotion')).action(async (flags: InitFlags) => {
    const { init: write } = await import('../promotion/promote.ts');
    finish(await write(io, flags));
  });
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function withWrite(command: Command): Command {
  return command
    .option('--dry-run', 'print the files without writing them')
    .option('--no-color', 'no colour (also NO_COLOR)')
    .option('--debug', 'print the stack of an error');
}
