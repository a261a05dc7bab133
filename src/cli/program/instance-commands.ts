import { type Command, Option } from 'commander';
import type { ValidateFlags } from '../commands/check.ts';
import type { GetFlags } from '../commands/get/list.ts';
import type { ShardOfFlags } from '../commands/shard-of.ts';
import type { Io } from '../io.ts';
import {
  collect,
  type Finish,
  wholeNumber,
  withCapabilities,
  withCommon,
  withInstance,
  withOtherName,
} from './options.ts';

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
    const { validate } = await import('../commands/validate.ts');
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
        const { get: run } = await import('../commands/get/get.ts');
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
    const { shardOf } = await import('../commands/shard-of.ts');
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
