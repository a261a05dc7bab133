import { InvalidArgumentError } from 'commander';
import {
  type AnyCommand,
  argument,
  command,
  type FlagsOf,
  flag,
  list,
  option,
  parsed,
  required,
  usually,
} from '../../command.ts';
import { DEBUG, format, INSTANCE, NO_COLOR } from '../../options.ts';

/** Commands for cluster owners, with the verbs and flags of the existing OCM plugin. */
const BACKEND = {
  backend: option('--backend <name>', 'where policies are stored', { choices: ['ocmlabels'], hidden: true }),
};
const LOGIN = {
  orgId: option('-o, --org-id <id>', 'organization (default: that of the login)'),
  ocmUrl: option(
    '--ocm-url <url>',
    'URL of OCM, or production, staging, integration (default: OCM_URL, else that of the login)',
  ),
  token: option('--token <token>', 'offline or access token (default: the ocm login, else OCM_TOKEN)'),
  clientId: option('--client-id <id>', 'client ID to log in with, together with --client-secret'),
  clientSecret: option('--client-secret <secret>', 'client secret (default: OCM_CLIENT_SECRET)'),
  tokenUrl: option('--token-url <url>', 'URL of the token endpoint'),
  ...BACKEND,
  ...NO_COLOR,
  ...DEBUG,
};
/** `-o` is the organization here, as in the plugin. */
const SHOWN = { ...LOGIN, ...format(['table', 'json', 'yaml'], '--output <format>') };
const WRITES = {
  ...LOGIN,
  dryRun: flag('--dry-run', 'show the labels that would change without writing them'),
  yes: flag('-y, --yes', 'skip confirmation'),
};
/** Commands that read a document: from `-`, as in the plugin, or from a file. */
const DOCUMENTS = {
  ...WRITES,
  filename: option('-f, --filename <file>', 'read JSON from this file; - is standard input'),
  dump: flag('--dump', 'print the JSON instead of applying it'),
};
const DASH = argument('[-]', 'read JSON from standard input instead of flags', { parse: dash });
const CLUSTER = { clusterName: required(option('-c, --cluster-name <name>', 'cluster name or id')) };

const POLICIES = {
  ...DOCUMENTS,
  clusterName: option('-c, --cluster-name <name>', 'cluster name or id'),
  schedule: option('-s, --schedule <cron>', 'cron expression in UTC, or weekdays (Monday to Thursday) or anytime'),
  workload: list('-w, --workload <name>', 'workload on the cluster (repeatable)'),
  soakDays: usually(parsed('-d, --soak-days <n>', 'days that a version must soak on other clusters', soakDays), 0),
  sector: option('--sector <name>', 'sector of the cluster'),
  mutex: list('-m, --mutex <name>', 'mutex held during an upgrade (repeatable)'),
  blockedVersions: list('-b, --blocked-versions <regex>', 'versions blocked for the cluster (repeatable)'),
  freeze: list(
    '--freeze <from/until=reason>',
    'no upgrades between these times; others are kept without it (repeatable)',
  ),
};
const VERSION_BLOCKS = {
  ...DOCUMENTS,
  blockVersion: list('-b, --block-version <regex>', 'block these versions (repeatable)'),
  unblockVersion: list('-u, --unblock-version <regex>', 'unblock these versions (repeatable)'),
  replace: flag('--replace', 'replace all existing blocks'),
};
const FREEZES = {
  ...DOCUMENTS,
  freeze: list('--freeze <from/until=reason>', 'no upgrades between these times; the reason is optional (repeatable)'),
  unfreeze: list('--unfreeze <from/until>', 'remove this freeze (repeatable)'),
  replace: flag('--replace', 'replace all existing freezes'),
};
const SECTORS = {
  ...DOCUMENTS,
  addDep: list('-a, --add-dep <a=b,c>', 'make sector A depend on B and C; A alone declares it (repeatable)'),
  removeDep: list('-r, --remove-dep <a=b>', 'remove the dependency of A on B; A alone removes the sector (repeatable)'),
  sectorMaxParallelUpgrades: list(
    '-m, --sector-max-parallel-upgrades <a=n>',
    'parallel upgrades in A, A=2 or A=50% (repeatable)',
  ),
  replace: flag('--replace', 'replace all existing settings'),
};
const INHERITANCE = {
  ...DOCUMENTS,
  inheritFrom: list('-i, --inherit-from <ids>', 'inherit the history of these organizations (repeatable)'),
  publishTo: list('-p, --publish-to <ids>', 'publish the history to these organizations (repeatable)'),
  replace: flag('--replace', 'replace all existing settings'),
};
const AGREEMENT = {
  ...WRITES,
  ...CLUSTER,
  version: required(option('--version <minor>', 'minor version, such as 4.19')),
};
const DELETE = { ...WRITES, ...CLUSTER };
const STATUS = { ...SHOWN, showAllClusters: flag('--show-all-clusters', 'include clusters without a policy') };
const VALIDATE = {
  ...SHOWN,
  configFile: option('--config-file <file>', 'configuration file of the scheduler'),
  data: {
    ...INSTANCE.data,
    text: 'instance of the scheduler: a data repository, a bundle file, or the URL of a qontract-server',
  },
  config: {
    ...INSTANCE.config,
    text: 'config.toml with the token of that server (default: ECHELON_CONFIG, QONTRACT_CONFIG)',
  },
};

export type AusFlags = FlagsOf<typeof LOGIN>;
export type AusShownFlags = FlagsOf<typeof SHOWN>;
export type AusWriteFlags = FlagsOf<typeof WRITES>;
export type AusDocumentFlags = FlagsOf<typeof DOCUMENTS> & {
  /** The argument of the command: `-` is standard input. */
  readonly from?: string;
};
export type ApplyPoliciesFlags = FlagsOf<typeof POLICIES> & AusDocumentFlags;
export type ApplyListFlags = AusDocumentFlags & Partial<FlagsOf<typeof VERSION_BLOCKS> & FlagsOf<typeof FREEZES>>;
export type ApplySectorsFlags = FlagsOf<typeof SECTORS> & AusDocumentFlags;
export type ApplyInheritanceFlags = FlagsOf<typeof INHERITANCE> & AusDocumentFlags;
export type GateAgreementFlags = FlagsOf<typeof AGREEMENT>;
export type DeletePolicyFlags = FlagsOf<typeof DELETE>;
export type AusStatusFlags = FlagsOf<typeof STATUS>;
export type AusValidateFlags = FlagsOf<typeof VALIDATE>;

function dash(text: string): string {
  if (text !== '-') throw new InvalidArgumentError('it must be -, for standard input');
  return text;
}

function soakDays(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('it must be a whole number of days, 0 or more');
  return Number(text);
}

function fromOf(from: string | undefined): { readonly from?: string } {
  return from === undefined ? {} : { from };
}

const get = command({
  name: 'get',
  summary: 'show policies, version blocks, freezes, sectors or gates',
  commands: [
    command({
      name: 'policies',
      aliases: ['policy'],
      summary: 'cluster policies, as JSON',
      options: LOGIN,
      examples: ['echelon aus get policies'],
      run: async (ctx, flags) => (await import('./views.ts')).getPolicies(ctx, flags),
    }),
    command({
      name: 'version-blocks',
      summary: 'versions blocked by the organization, as JSON',
      options: LOGIN,
      examples: ['echelon aus get version-blocks'],
      run: async (ctx, flags) => (await import('./views.ts')).getJson(ctx, 'versionBlocks', flags),
    }),
    command({
      name: 'freezes',
      summary: 'times without upgrades of the organization, as JSON',
      options: LOGIN,
      examples: ['echelon aus get freezes'],
      run: async (ctx, flags) => (await import('./views.ts')).getJson(ctx, 'freezes', flags),
    }),
    command({
      name: 'sectors',
      summary: 'sectors and their dependencies, as JSON',
      options: LOGIN,
      examples: ['echelon aus get sectors'],
      run: async (ctx, flags) => (await import('./views.ts')).getJson(ctx, 'sectors', flags),
    }),
    command({
      name: 'gates',
      summary: 'version gates without an agreement',
      options: SHOWN,
      examples: ['echelon aus get gates'],
      run: async (ctx, flags) => (await import('./views.ts')).getGates(ctx, flags),
    }),
  ],
});

const apply = command({
  name: 'apply',
  summary: 'create or change policies, version blocks, freezes, sectors, inheritance or gate agreements',
  commands: [
    command({
      name: 'policies',
      aliases: ['policy'],
      summary: 'create or change cluster policies',
      description: 'Set the labels of clusters from policies. Shows the labels that change; other labels are kept.',
      arguments: [DASH],
      options: POLICIES,
      examples: ['echelon aus apply policies -c prod-01 -s weekdays -w payments -d 7 --sector production'],
      run: async (ctx, flags, from) => (await import('./apply.ts')).applyPolicies(ctx, { ...flags, ...fromOf(from) }),
    }),
    command({
      name: 'version-blocks',
      summary: 'block or unblock versions for the organization',
      arguments: [DASH],
      options: VERSION_BLOCKS,
      examples: ["echelon aus apply version-blocks -b '^4\\.16\\.3$'"],
      run: async (ctx, flags, from) =>
        (await import('./apply.ts')).applyList(ctx, 'version-blocks', { ...flags, ...fromOf(from) }),
    }),
    command({
      name: 'freezes',
      summary: 'freeze the clusters of the organization for a time, or unfreeze them',
      arguments: [DASH],
      options: FREEZES,
      examples: ['echelon aus apply freezes --freeze 2026-12-20T00:00:00Z/2027-01-03T00:00:00Z'],
      run: async (ctx, flags, from) =>
        (await import('./apply.ts')).applyList(ctx, 'freezes', { ...flags, ...fromOf(from) }),
    }),
    command({
      name: 'sectors',
      summary: 'set sector dependencies, and how many clusters upgrade in parallel',
      arguments: [DASH],
      options: SECTORS,
      examples: ['echelon aus apply sectors -a production=stage -m production=25%'],
      run: async (ctx, flags, from) => (await import('./apply.ts')).applySectors(ctx, { ...flags, ...fromOf(from) }),
    }),
    command({
      name: 'inheritance',
      summary: 'inherit the version history of other organizations, or publish it to them',
      arguments: [DASH],
      options: INHERITANCE,
      examples: ['echelon aus apply inheritance -i 1QfZcT8mLwKpR2vN9sXdY4hB6gJ'],
      run: async (ctx, flags, from) =>
        (await import('./apply.ts')).applyInheritance(ctx, { ...flags, ...fromOf(from) }),
    }),
    command({
      name: 'gate-agreement',
      summary: 'acknowledge the version gates of a minor version',
      options: AGREEMENT,
      examples: ['echelon aus apply gate-agreement -c prod-01 --version 4.17'],
      run: async (ctx, flags) => (await import('./apply.ts')).applyGateAgreement(ctx, flags),
    }),
  ],
});

export const aus = command({
  name: 'aus',
  summary: 'manage upgrade policies as OCM labels',
  description: 'Manage when and under which conditions clusters are upgraded, as OCM labels.',
  options: { ...BACKEND, debug: flag('--debug', 'print the stack of an error') },
  commands: [
    get,
    apply,
    command({
      name: 'delete',
      summary: 'delete the policy of a cluster',
      commands: [
        command({
          name: 'policy',
          aliases: ['policies'],
          summary: 'delete the policy of a cluster',
          description: 'Remove all upgrade labels of the cluster; other labels are kept.',
          options: DELETE,
          examples: ['echelon aus delete policy -c prod-01'],
          run: async (ctx, flags) => (await import('./apply.ts')).deletePolicy(ctx, flags),
        }),
      ],
    }),
    command({
      name: 'status',
      summary: 'show the whole configuration of the organization',
      options: STATUS,
      examples: ['echelon aus status --show-all-clusters'],
      run: async (ctx, flags) => (await import('./views.ts')).status(ctx, flags),
    }),
    command({
      name: 'validate',
      summary: 'validate all labels as the scheduler reads them',
      description:
        'Read all labels as the scheduler does, and check for policies that deadlock and settings without effect. ' +
        'With the configuration of the scheduler also for inherited histories that never come. ' +
        'Exits 1 when there are errors.',
      options: VALIDATE,
      examples: ['echelon aus validate --config-file upgrades.yml'],
      run: async (ctx, flags) => (await import('./views.ts')).ausValidate(ctx, flags),
    }),
  ],
});

export const COMMANDS: readonly AnyCommand[] = [aus];
