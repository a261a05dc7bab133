import { INSTANCE_QUESTIONS, type InstanceAnswers } from '../../../scaffold/index.ts';
import {
  type AnyCommand,
  argument,
  argumentOr,
  choice,
  command,
  type FlagsOf,
  flag,
  type OptionSpec,
  option,
  parsed,
  required,
  unless,
  usually,
} from '../../command.ts';
import {
  CAPABILITIES,
  CHART,
  DATA_FOLDER,
  DEBUG,
  environments,
  INSTANCE,
  integrations,
  NO_COLOR,
  PRINTED,
  wholeNumber,
} from '../../options.ts';
import { PROMOTION_FILE } from '../promotion/commands.ts';

/** Accepted for one minor version: nothing is remembered between runs. */
const NO_CACHE = { cache: unless('--no-cache', 'has no effect', { hidden: true, group: 'Images and chart:' }) };

export const VALIDATE = {
  ...INSTANCE,
  ...CAPABILITIES,
  schemas: option(
    '--schemas <dir>',
    'validate against the JSON schemas in this folder (default for a bundle: its own schemas)',
  ),
  rollouts: option('--rollouts <file>', 'check this file instead of resources/echelon/rollouts.yml'),
  chart: {
    ...CHART.chart,
    text: 'the chart in use; its object names are checked by manager render (default: built-in)',
  },
  ...NO_CACHE,
  ...PRINTED,
};

const validate = command({
  name: 'validate',
  summary: 'check an instance and report all problems',
  description:
    'Check an instance and report all problems, each with its file, line and column, ' +
    'the rule and a hint. Exits 1 on errors; warnings alone exit 0.',
  options: VALIDATE,
  examples: ['echelon validate', 'echelon validate --data ~/instance --schemas schemas -o markdown'],
  run: async (ctx, flags) => (await import('./instance.ts')).validate(ctx, flags),
});

const LISTED = { ...INSTANCE, ...environments(''), ...integrations(''), ...NO_CACHE, ...CAPABILITIES, ...PRINTED };
/** The options of `get`; each kind has those that narrow it. */
export type ListedOptions = typeof LISTED;

function listed(
  kind: string,
  summary: string,
  example: string,
  { environment, integration }: { readonly environment?: string; readonly integration: string },
): AnyCommand {
  /** Organizations are in environments of OCM. */
  const areDeclared = kind !== 'organizations';
  const byEnvironment = environment === undefined ? {} : environments(`${environment} (repeatable)`, areDeclared);
  return command({
    name: kind,
    summary,
    description: `List ${summary}.`,
    arguments: [argument('[names...]', '', { completes: kind as 'shards' })],
    options: {
      ...(kind === 'shards' ? CAPABILITIES : {}),
      ...INSTANCE,
      ...byEnvironment,
      ...integrations(`${integration} (repeatable)`),
      ...NO_CACHE,
      ...PRINTED,
    } as ListedOptions,
    examples: [example],
    run: async (ctx, flags, names) => (await import('./instance.ts')).get(ctx, kind, names, flags),
  });
}

const get = command({
  name: 'get',
  summary: 'show the contents of an instance',
  description: 'Show the contents of an instance.',
  commands: [
    listed('integrations', 'integrations and where they run', 'echelon get integrations -e production', {
      environment: 'only where they run in this environment',
      integration: 'only this integration',
    }),
    listed(
      'shards',
      'shards of integrations, with image and resources',
      'echelon get shards -i terraform-resources -o wide',
      {
        environment: 'only shards that run in this environment',
        integration: 'only shards of this integration',
      },
    ),
    listed('environments', 'environments and the integrations in them', 'echelon get environments -o name', {
      environment: 'only this environment',
      integration: 'only environments that this integration runs in',
    }),
    listed('clusters', 'OpenShift clusters', 'echelon get clusters -i openshift-resources', {
      environment: 'only clusters with a namespace of this environment',
      integration: 'only clusters that this integration runs on',
    }),
    listed('accounts', 'AWS accounts', 'echelon get accounts payments payments-ci -o yaml', {
      integration: 'only accounts for which this integration is not disabled',
    }),
    listed('organizations', 'OCM organizations', 'echelon get organizations -o json', {
      environment: 'only organizations of this OCM environment',
      integration: 'only organizations for which this integration is not disabled',
    }),
  ],
});

async function kinds(): Promise<readonly string[]> {
  const { KINDS } = await import('../../../fields/index.ts');
  return KINDS.map(({ name }) => name);
}

const EXPLAIN = { ...PRINTED, recursive: flag('--recursive', 'show all fields below, without their meaning') };
export type ExplainFlags = FlagsOf<typeof EXPLAIN>;

const explain = command({
  name: 'explain',
  summary: 'show the fields of a kind of file: type, default, meaning, example',
  description:
    'Show the fields of a kind of file: type, whether required, default, meaning, example. Without an argument, list the ' +
    'kinds. Positions in lists and names of your choice are left out of the path: integration.managed.spec.',
  arguments: [argument('[field]', 'a kind of file, or a field of it: KIND[.FIELD…]', { completes: kinds })],
  options: EXPLAIN,
  examples: ['echelon explain', 'echelon explain integration.managed.spec', 'echelon explain rollouts --recursive'],
  run: async (ctx, flags, path) => (await import('./instance.ts')).explainField(ctx, path, flags),
});

const schema = command({
  name: 'schema',
  summary: 'print the JSON Schema of a kind of file, for editors',
  description:
    'Print the JSON Schema (draft 7) of a kind of file, for editors and validators. It accepts what Echelon reads; what only ' +
    'Echelon checks is listed by: echelon explain KIND. The same files are in schemas/ of the package.',
  arguments: [argument('<kind>', 'a kind of file, as listed by: echelon explain', { completes: kinds })],
  options: DEBUG,
  examples: ['echelon schema rollouts'],
  run: async (ctx, _, kind) => (await import('./instance.ts')).schema(ctx, kind),
});

const SHARD_OF = {
  shards: required(parsed('--shards <n>', 'number of shards', wholeNumber)),
  membership: usually(choice('--membership <kind>', 'how keys are assigned to shards', ['md5', 'rendezvous']), 'md5'),
  ...PRINTED,
};
export type ShardOfFlags = FlagsOf<typeof SHARD_OF>;

const shardOf = command({
  name: 'shard-of',
  summary: 'show which shard owns a key',
  description: 'Show which shard owns a key: MD5 modulo the number of shards, as the shards themselves compute it.',
  arguments: [argument('<keys...>', 'keys that shards share by hash, such as cluster/namespace')],
  options: SHARD_OF,
  examples: ['echelon shard-of prod-01/my-namespace --shards 5'],
  run: async (ctx, flags, keys) => (await import('./instance.ts')).shardOf(ctx, keys, flags),
});

const WRITTEN = { dryRun: flag('--dry-run', 'print the files without writing them'), ...NO_COLOR, ...DEBUG };

/** A flag for each question that init asks. */
const ANSWERS = Object.fromEntries(
  INSTANCE_QUESTIONS.map(({ name, text }) => [
    name,
    option(`--${name} <${name}>`, text.charAt(0).toLowerCase() + text.slice(1)),
  ]),
) as Readonly<Record<keyof InstanceAnswers, OptionSpec<string, false>>>;

const init = command({
  name: 'init',
  summary: 'write a new instance, or add an integration, rollouts or a promotion to one',
  description:
    'Write the smallest complete instance: a cluster, an environment and an integration, with comments, a README, and files for CI. ' +
    'Asks on a terminal what no flag says. Never overwrites: all files are written, or none.',
  arguments: [argumentOr<string>('[dir]', 'folder of the new instance', '.')],
  options: {
    full: flag('--full', 'a file for everything, as the published schemas of existing instances require'),
    yes: flag('-y, --yes', 'ask nothing: use the defaults'),
    ...ANSWERS,
    ...WRITTEN,
  },
  examples: ['echelon init demo'],
  run: async (ctx, flags, folder) => (await import('./init.ts')).initInstance(ctx, folder, flags),
  commands: [
    command({
      name: 'integration',
      summary: 'add an integration to an instance',
      description: 'Write the file of a new integration into an instance.',
      arguments: [argument('<name>', '')],
      options: {
        ...WRITTEN,
        ...DATA_FOLDER,
        namespace: option('-n, --namespace <name>', 'the namespace that it runs in (default: the only one)'),
        shards: parsed('--shards <n>', 'number of shards', wholeNumber),
        description: option('--description <text>', 'what it reconciles'),
        upstream: option('--upstream <url>', 'its source repository (default: that of the others)'),
      },
      examples: ['echelon init integration my-labels'],
      run: async (ctx, flags, name) => (await import('./init.ts')).initIntegration(ctx, name, flags),
    }),
    command({
      name: 'rollouts',
      summary: 'write a first rollouts.yml',
      description:
        'Write a first resources/echelon/rollouts.yml: in every environment one shard first, then the others.',
      options: { ...WRITTEN, ...DATA_FOLDER },
      examples: ['echelon init rollouts'],
      run: async (ctx, flags) => (await import('./init.ts')).initRollouts(ctx, flags),
    }),
    { ...PROMOTION_FILE, name: 'promotion', examples: ['echelon init promotion'] },
  ],
});

export const COMMANDS: readonly AnyCommand[] = [init, validate, get, explain, schema, shardOf];
