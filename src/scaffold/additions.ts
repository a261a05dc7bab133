import { posix } from 'node:path';
import { defined, didYouMean, EchelonError } from '../base/index.ts';
import type { Instance, Namespace } from '../instance/index.ts';
import { nameFault, requireValid } from './answers.ts';
import { integrationFile, type NewFiles, scalar } from './datafiles.ts';

export interface IntegrationRequest {
  readonly name: string;
  /** A namespace of the instance; not needed if it has only one. */
  readonly namespace?: string;
  readonly description?: string;
  readonly shards?: number;
  /** The upstream; by default that of the other integrations, if they have one in common. */
  readonly upstream?: string;
}

/** The file of a new integration in an instance. Pure. */
export function newIntegration(instance: Instance, request: IntegrationRequest): NewFiles {
  const { name, description, shards } = request;
  requireValid(nameFault(name), 'NAME');
  const known = instance.integrations.find((integration) => integration.name === name);
  if (known !== undefined) throw exists(name, known.file);
  const { file: namespace, lean } = namespaceFor(instance, request.namespace);
  const folder = posix.dirname(instance.integrations[0]?.file ?? '/integrations/x');
  const upstream = request.upstream ?? commonUpstream(instance);
  const depth = posix.join('data', folder).split('/').length;
  const plan = { name, namespace, full: !lean, depth, ...defined({ description, shards, upstream }) };
  return new Map([[posix.join('data', folder, `${name}.yml`), integrationFile(plan)]]);
}

function namespaceFor({ namespaces }: Instance, name: string | undefined): Namespace {
  const [only, ...others] = name === undefined ? namespaces : namespaces.filter((one) => one.name === name);
  if (only !== undefined && others.length === 0) return only;
  const names = [...new Set(namespaces.map((one) => one.name))];
  if (names.length === 0) throw noNamespace('no namespace in this instance', 'create one with: echelon init');
  const choose = `pass --namespace with one of: ${names.slice(0, MOST_NAMES).join(', ')}`;
  if (name === undefined) throw noNamespace(`this instance has ${namespaces.length} namespaces`, choose);
  throw only === undefined
    ? noNamespace(`no namespace ${name} in this instance`, didYouMean(name, names, choose))
    : noNamespace(`${others.length + 1} namespaces are called ${name}`, 'copy an integration file, and edit its $ref');
}

const MOST_NAMES = 10;

function noNamespace(message: string, hint: string): EchelonError {
  return new EchelonError({ code: 'NAMESPACE_UNKNOWN', message: `${message}. Nothing was written`, hint });
}

/** Integrations of one upstream run one image. */
function commonUpstream({ integrations }: Instance): string | undefined {
  const [first, ...others] = new Set(integrations.map(({ upstream }) => upstream));
  return others.length === 0 ? first : undefined;
}

function exists(name: string, file: string): EchelonError {
  return new EchelonError({
    code: 'INIT_EXISTS',
    message: `an integration ${name} exists in data${file}. Nothing was written`,
    hint: 'choose another name, or edit the file',
  });
}

const HEAD = `# How new images reach shards: wave by wave, each after the one before ran and soaked. All fields: echelon explain rollouts
# What waits and why: echelon rollout status, echelon rollout explain. The manager's lease holder moves shards.
tracks:
`;

/** A first rollouts.yml: for every environment one shard first, then the others. Pure. */
export function newRollouts({ integrations }: Instance): NewFiles {
  const environments = new Map<string, number>();
  for (const { namespace, sharding } of integrations.flatMap(({ managed }) => managed)) {
    const { name } = namespace.environment;
    const shards = sharding?.strategy === 'static' || sharding === undefined ? (sharding?.shards ?? 1) : MANY;
    environments.set(name, (environments.get(name) ?? 0) + shards);
  }
  if (environments.size === 0) {
    throw new EchelonError({
      code: 'INTEGRATION_UNKNOWN',
      message: 'no integration is managed in this instance. Nothing was written',
      hint: 'add one with: echelon init integration NAME',
    });
  }
  const tracks = [...environments].sort().map(([name, shards]) => track(name, shards > 1));
  return new Map([['resources/echelon/rollouts.yml', HEAD + tracks.join('')]]);
}

/** One for each item of the instance. */
const MANY = 2;

function track(environment: string, hasSeveral: boolean): string {
  return [
    `- name: ${scalar(environment)}`,
    `  match: { environments: [${scalar(environment)}] }`,
    '  waves:',
    ...(hasSeveral ? ['  - { name: first, percent: 5, soak: 1h }    # at least one shard'] : []),
    '  - { name: rest, soak: 1h }',
    '  health: { queries: [] }    # PromQL that must hold meanwhile: add it under queries',
    '  onFailure: halt    # or rollback',
    '',
  ].join('\n');
}
