import {
  type AnyCommand,
  argument,
  choice,
  command,
  type FlagsOf,
  flag,
  list,
  option,
  other,
  usually,
} from '../../command.ts';
import {
  CAPABILITIES,
  CHANGES,
  CHART,
  DOCUMENT,
  FLEET,
  IMAGES,
  INSTANCE,
  integrations,
  lease,
  ROLLOUTS,
  SCOPE,
  watchUntil,
} from '../../options.ts';

const CHOSEN = integrations('only this integration; removes no file (repeatable)');
const VALUES = { ...INSTANCE, ...SCOPE, ...CAPABILITIES, ...CHOSEN, ...IMAGES, ...DOCUMENT };
const RENDER = {
  ...INSTANCE,
  ...SCOPE,
  ...CAPABILITIES,
  ...CHOSEN,
  ...CHART,
  ...IMAGES,
  ...DOCUMENT,
  out: option('--out <dir>', 'write one file per object below this folder'),
  allowMassRemoval: flag(
    '--allow-mass-removal',
    'with --out: allow removing more than 30 % of the files rendered before',
  ),
};

/** A plan for some integrations never deletes. */
const PLANNED = {
  ...FLEET,
  ...CHANGES,
  ...lease(
    "NAMESPACE/NAME or CLUSTER/NAMESPACE/NAME of the manager's lease, whose holder moves images in waves: apply takes it while it writes",
  ),
  ...integrations('only workloads of this integration; deletes nothing (repeatable)'),
};
const PLAN = {
  ...PLANNED,
  save: option('--save <file>', 'save the plan for apply FILE'),
  detailedExitcode: flag('--detailed-exitcode', 'exit 2 when there are changes'),
};
const APPLY = {
  ...PLANNED,
  yes: flag('-y, --yes', 'skip confirmation'),
  dryRun: flag('--dry-run', 'write nothing: write requests are rejected before they are sent'),
};
const STATUS = {
  ...FLEET,
  ...ROLLOUTS,
  ...watchUntil('all shards are converged, pinned, held or disabled'),
  ...integrations('only shards of this integration (repeatable)'),
};
const BOOTSTRAP = {
  ...CHART,
  ...DOCUMENT,
  format: usually(
    choice('--format <format>', 'OpenShift Template, or plain manifests for any cluster', ['template', 'manifests']),
    'template',
  ),
  namespace: option('-n, --namespace <name>', "the manager's namespace, which the manifests create", {
    group: 'Selection:',
  }),
  deployTo: list('--deploy-to <namespace>', 'another namespace that integrations run in (repeatable)'),
  /** Default: yes for manifests, no for a Template, which is often applied without permission to create cluster roles. */
  clusterRole: flag('--cluster-role', 'grant list in all namespaces, so that left-over objects are found'),
  noClusterRole: other('--no-cluster-role', 'do not grant it'),
  image: option('--image <repository>', 'image repository of the manager', { group: 'Images and chart:' }),
  imageTag: option('--image-tag <tag>', 'image tag of the manager'),
  environmentName: option('-e, --environment-name <name>', 'environment that this manager deploys', {
    group: 'Selection:',
    completes: 'environments',
  }),
  upstream: option('--upstream <url>', 'upstream whose integrations it deploys', { group: 'Selection:' }),
  parameter: IMAGES.parameter,
};

export type ValuesFlags = FlagsOf<typeof VALUES>;
export type RenderFlags = FlagsOf<typeof RENDER>;
export type BootstrapFlags = FlagsOf<typeof BOOTSTRAP>;
export type PlanFlags = FlagsOf<typeof PLAN>;
export type DiffFlags = FlagsOf<typeof PLANNED>;
export type ApplyFlags = FlagsOf<typeof APPLY>;
export type StatusFlags = FlagsOf<typeof STATUS>;

export const manager = command({
  name: 'manager',
  summary: 'deploy integrations: from integration files to workloads',
  description: 'Deploy integrations: from integration files to workloads.',
  commands: [
    command({
      name: 'values',
      summary: 'print the values document of every namespace',
      description: 'Print the values document of every namespace, as passed to the chart.',
      options: VALUES,
      examples: ['echelon manager values -e production'],
      run: async (ctx, flags) => (await import('./render.ts')).values(ctx, flags),
    }),
    command({
      name: 'render',
      summary: 'render the desired Kubernetes objects',
      description:
        'Render the Kubernetes objects that the instance declares: to standard output, or with --out to one file per object, ' +
        'in folders cluster/namespace. Files of an earlier render that this one does not write are removed; other files are kept.',
      options: RENDER,
      examples: ['echelon manager render -e production', 'echelon manager render --out rendered'],
      run: async (ctx, flags) => (await import('./render.ts')).render(ctx, flags),
    }),
    command({
      name: 'plan',
      summary: 'show what apply would do',
      description: 'Compare the instance with the clusters and show what apply would do.',
      options: PLAN,
      examples: ['echelon manager plan -e production', 'echelon manager plan --save plan.json --detailed-exitcode'],
      exits: { 2: 'changes, with --detailed-exitcode' },
      run: async (ctx, flags) => (await import('./apply.ts')).plan(ctx, flags),
    }),
    command({
      name: 'diff',
      summary: 'show what apply would change, as a unified diff',
      description:
        'Show what apply would change, object by object, as a unified diff of YAML; KUBECTL_EXTERNAL_DIFF sets another ' +
        'diff program. Exits 0 without differences, 1 with differences, 2 on errors.',
      options: PLANNED,
      examples: ['echelon manager diff -e production --cluster prod-01', 'echelon manager diff -i terraform-resources'],
      exits: { 0: 'no differences', 1: 'differences', 2: 'the command failed' },
      errorExit: 2,
      run: async (ctx, flags) => (await import('./apply.ts')).diff(ctx, flags),
    }),
    command({
      name: 'apply',
      summary: 'apply the instance to the clusters',
      description:
        'Apply the instance to the clusters, or apply a saved plan. Asks for confirmation on a terminal; elsewhere, ' +
        'such as in CI, --yes is required.',
      arguments: [argument('[plan]', 'a saved plan, applied exactly or not at all')],
      options: APPLY,
      examples: ['echelon manager apply -e production', 'echelon manager apply plan.json --yes'],
      run: async (ctx, flags, file) => (await import('./apply.ts')).apply(ctx, file, flags),
    }),
    command({
      name: 'status',
      summary: 'show every shard with its image and state',
      description:
        'Show every shard with its image and state: converged, pinned, held, lagging, missing, unexpected or ' +
        'disabled. Exits 1 unless all shards are converged, pinned, held or disabled.',
      options: STATUS,
      examples: ['echelon manager status -e production', 'echelon manager status --watch --timeout 10m'],
      exits: { 130: 'interrupted, with --watch while something was waited for' },
      run: async (ctx, flags) => (await import('./apply.ts')).status(ctx, flags),
    }),
    command({
      name: 'bootstrap',
      summary: "print the manager's own deployment",
      description:
        "Print the manager's own deployment, with the accounts and permissions that it and its integrations need.",
      options: BOOTSTRAP,
      examples: [
        'echelon manager bootstrap --format manifests -n reconcilers --image registry.example.com/echelon --image-tag 0.1.0',
      ],
      run: async (ctx, flags) => (await import('./render.ts')).bootstrap(ctx, flags),
    }),
  ],
});

export const COMMANDS: readonly AnyCommand[] = [manager];
