import { type Command, Option } from 'commander';
import type { GetFlags } from '../commands/get/get.ts';
import type { ShardOfFlags } from '../commands/shard-of.ts';
import type { ValidateFlags } from '../commands/validate.ts';
import type { Io } from '../io.ts';
import { collect, type Finish, wholeNumber, withCommon, withInstance } from './options.ts';

export function addValidate(program: Command, io: Io, finish: Finish): void {
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
    const { validate } = await import('../commands/validate.ts');
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

export function addGet(program: Command, io: Io, finish: Finish, whole: boolean): void {
  const get = program
    .command('get')
    .summary('show what an instance declares')
    .description('Shows what an instance declares.');
  if (!whole) return;
  for (const kind of KINDS) {
    const command = get.command(`${kind.kind} [names...]`).summary(kind.summary).description(`Lists ${kind.summary}.`);
    withCommon(withFilters(withInstance(command), kind)).action(async (names: string[], flags: GetFlags) => {
      const { get: run } = await import('../commands/get/get.ts');
      finish(await run(io, kind.kind, names, flags));
    });
  }
}

export function addShardOf(program: Command, io: Io, finish: Finish): void {
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
    const { shardOf } = await import('../commands/shard-of.ts');
    finish(await shardOf(io, keys, flags));
  });
}

function withFilters(command: Command, { environment, integration }: Kind): Command {
  if (environment !== undefined) {
    command.option('-e, --environment <name>', `${environment} (repeatable)`, collect);
  }
  return command.option('-i, --integration <name>', `${integration} (repeatable)`, collect);
}
