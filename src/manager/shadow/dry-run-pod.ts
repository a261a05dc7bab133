import { EchelonError, isJson, type Json, shellText } from '../../base/index.ts';
import { dryRunWords, SHADOW_VARIABLES } from '../../shadow/index.ts';

/** Variables that a dry run must not have, whatever comes from a secret with them. */
const LEFT_OUT = /^(?:PUSHGATEWAY_|SENTRY_)/;
const ARGUMENTS = 'INTEGRATION_EXTRA_ARGS';
/** Of a container that runs once, and serves nobody. */
const OF_A_SERVER = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle', 'ports'];
/** Fields that tie a pod to a node, to a name, or to how often it starts. */
const OF_A_PLACE = ['nodeName', 'hostname', 'subdomain', 'hostNetwork', 'restartPolicy', 'activeDeadlineSeconds'];

export interface DryRunOptions {
  readonly image: string;
  readonly integration: string;
  /** Claims of a StatefulSet, which its own pods have mounted. */
  readonly claims: readonly string[];
  /** For integrations that name what they create by it. */
  readonly jobSuffix: string;
}

/**
 * The spec of a pod that runs a shard's integration once, without effect: one container, the image given, dry run, a file
 * system of its own. Throws SHADOW_NOT_DRY or SHADOW_REFUSED for one that cannot be kept from writing.
 */
export function dryRunPod(template: Json, options: DryRunOptions): Json {
  const spec = isJson(template['spec']) ? template['spec'] : {};
  const [own] = listOf(spec['containers']);
  if (own === undefined) throw notDry('its pod has no container');
  refuseCommand(own);
  const container = dryRunContainer(own, options);
  const mounted = mountsOf(own);
  // The others prepare what a sidecar needs.
  const prepares = (one: Json): boolean => one['restartPolicy'] === undefined && mountsOf(one).some(isIn(mounted));
  const first = listOf(spec['initContainers']).filter(prepares);
  const used = new Set([...mounted, ...first.flatMap(mountsOf)]);
  const { containers: _, initContainers: __, volumes, ...rest } = without(spec, OF_A_PLACE);
  return {
    ...rest,
    restartPolicy: 'Never',
    ...(first.length === 0 ? {} : { initContainers: first }),
    containers: [container],
    volumes: ownVolumes(listOf(volumes), options.claims, used),
  };
}

function dryRunContainer(own: Json, { image, integration, jobSuffix }: DryRunOptions): Json {
  const isKept = ({ name }: Json): boolean =>
    !LEFT_OUT.test(String(name)) && !Object.hasOwn(SHADOW_VARIABLES, String(name));
  const env = listOf(own['env']).filter(isKept);
  return {
    ...without(own, OF_A_SERVER),
    image,
    env: [
      ...env.map((variable) => withOwnArguments(variable, integration, jobSuffix)),
      ...Object.entries(SHADOW_VARIABLES).map(([name, value]) => ({ name, value })),
    ],
  };
}

/** A command of its own need not read DRY_RUN. */
function refuseCommand(container: Json): void {
  const words = [container['command'], container['args']].flatMap((list) =>
    Array.isArray(list) ? list.map(String) : [],
  );
  if (words.length > 0 && !words.includes('--dry-run')) throw notDry('its container has a command without --dry-run');
  if (words.some((word) => /^--no-dry-run(?:=|$)/.test(word))) throw notDry('it is started with --no-dry-run');
}

function withOwnArguments(variable: Json, integration: string, jobSuffix: string): Json {
  const { name, value } = variable;
  if (name !== ARGUMENTS || typeof value !== 'string') return variable;
  const [, ...words] = dryRunWords(integration, value, jobSuffix);
  return { ...variable, value: shellText(words) };
}

/** What other pods may have mounted is an empty folder here. */
function ownVolumes(volumes: readonly Json[], claims: readonly string[], used: ReadonlySet<string>): Json[] {
  const claimed = new Set(claims);
  const declared = volumes.filter(({ name }) => used.has(String(name)) && !claimed.has(String(name)));
  return [
    ...declared.map((volume) => (isShared(volume) ? { name: volume['name'], emptyDir: {} } : volume)),
    ...claims.filter((name) => used.has(name)).map((name) => ({ name, emptyDir: {} })),
  ];
}

function isShared(volume: Json): boolean {
  return ['persistentVolumeClaim', 'hostPath', 'nfs', 'ephemeral'].some((source) => volume[source] !== undefined);
}

function mountsOf(container: Json): string[] {
  return listOf(container['volumeMounts']).map(({ name }) => String(name));
}

function isIn(names: readonly string[]): (name: string) => boolean {
  const known = new Set(names);
  return (name) => known.has(name);
}

function without(object: Json, fields: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

function notDry(why: string): EchelonError {
  return new EchelonError({
    code: 'SHADOW_NOT_DRY',
    message: `the shard cannot be run without effect: ${why}`,
    hint: 'let the image read DRY_RUN from its environment, or declare that it writes in dry run',
  });
}
