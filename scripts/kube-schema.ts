import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type GoFieldOf, goFields } from './kube-go-types.ts';

/**
 * Writes src/sim/kube/schema.json, what the simulated Kubernetes API knows of its kinds:
 *
 *     node scripts/kube-schema.ts --go DIR_OF_K8S_IO_MODULES --out FILE DOCUMENT...
 *
 * A document is a file of an OpenAPI v3 document of a kube-apiserver (`/openapi/v3/apis/apps/v1`), or its URL.
 * The Go modules k8s.io/api and k8s.io/apimachinery of the same release tell what OpenAPI does not: which fields are
 * left out when empty, and their numbers in protobuf, which `kubectl create` sends.
 */

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, Definition>> };
}

export interface Definition {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly additionalProperties?: Definition;
  readonly items?: Definition;
  readonly allOf?: readonly Definition[];
  readonly $ref?: string;
  readonly default?: unknown;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

const ROOTS = [
  ...['Namespace', 'ConfigMap', 'Secret', 'Service', 'ServiceAccount', 'Pod', 'Event'].map((kind) => `core.v1.${kind}`),
  ...['Deployment', 'StatefulSet', 'ReplicaSet'].map((kind) => `apps.v1.${kind}`),
  ...['CronJob', 'Job'].map((kind) => `batch.v1.${kind}`),
  'coordination.v1.Lease',
];

/** Definitions that are a scalar on the wire. */
const SCALARS: Readonly<Record<string, string>> = {
  'meta.v1.Time': 'time',
  'meta.v1.MicroTime': 'microTime',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'meta.v1.FieldsV1': 'any',
  'runtime.RawExtension': 'any',
};

export type Definitions = ReadonlyMap<string, Definition>;

/** Sources of volumes that charts of integrations do not use; each is one opaque value. */
const OPAQUE =
  /\.(?:AWS|Azure|Ceph|Cinder|CSI|FC|Flex|Flocker|GCE|Git|Glusterfs|ISCSI|NFS|Photon|Portworx|Quobyte|RBD|ScaleIO|StorageOS|Vsphere)\w*VolumeSource$/;

function scalarName(definition: string): string | undefined {
  return OPAQUE.test(definition) ? 'any' : SCALARS[definition];
}

/** `io.k8s.api.apps.v1.Deployment` as `apps.v1.Deployment`. */
function shortName(name: string): string {
  return name
    .replace(/^.*\.pkg\.(?:apis|api|util)\./, '')
    .replace(/^(?:io\.k8s\.api\.|io\.k8s\.apimachinery\.pkg\.)/, '');
}

function refOf(definition: Definition): string | undefined {
  const ref = definition.$ref ?? definition.allOf?.[0]?.$ref;
  return ref === undefined ? undefined : shortName(ref.replace('#/components/schemas/', ''));
}

/** `[name]core.v1.EnvVar`, `{}string`, `int32`: see src/sim/kube/schema.ts for how it is read. */
function notation(definition: Definition, all: Definitions): string {
  const ref = refOf(definition);
  if (ref !== undefined) return scalarName(ref) ?? ref;
  if (definition.type === 'array') return `[${listStyle(definition, all)}]${notation(definition.items ?? {}, all)}`;
  if (definition.type === 'object') {
    if (definition.additionalProperties === undefined) return 'any';
    const style = definition['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : '';
    return `{${style}}${notation(definition.additionalProperties, all)}`;
  }
  return scalar(definition);
}

function scalar({ type, format }: Definition): string {
  if (type === 'string') return format === 'byte' ? 'bytes' : 'string';
  if (type === 'integer') return format ?? 'int64';
  return type ?? 'any';
}

/** Empty for an atomic list, `set`, or the keys of its items with their defaults. */
function listStyle(definition: Definition, all: Definitions): string {
  const type = definition['x-kubernetes-list-type'];
  if (type === 'set') return 'set';
  if (type === 'map') return keysOf(definition['x-kubernetes-list-map-keys'] ?? [], definition, all);
  if (type !== undefined || definition['x-kubernetes-patch-strategy'] !== 'merge') return '';
  const key = definition['x-kubernetes-patch-merge-key'];
  return key === undefined ? 'set' : keysOf([key], definition, all);
}

function keysOf(keys: readonly string[], definition: Definition, all: Definitions): string {
  const item = all.get(refOf(definition.items ?? {}) ?? '');
  return keys
    .map((key) => {
      const value = item?.properties?.[key]?.default;
      return value === undefined ? key : `${key}=${String(value)}`;
    })
    .join(',');
}

/** The fields of a definition in the notation of schema.json. */
export function compact(
  name: string,
  definition: Definition,
  all: Definitions,
  goField: GoFieldOf,
): Record<string, string> {
  const fields = Object.entries(definition.properties ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, of]) => {
      const { number, presence } = goField(name, field);
      return [field, `${number === '' ? '' : `${number}:`}${notation(of, all)}${presence}`];
    });
  const atomic = definition['x-kubernetes-map-type'] === 'atomic' ? { '*': 'atomic' } : {};
  return { ...atomic, ...Object.fromEntries(fields) };
}

function reachable(all: Definitions): string[] {
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name) || scalarName(name) !== undefined) return;
    const definition = all.get(name);
    if (definition === undefined) throw new Error(`no document defines ${name}`);
    seen.add(name);
    for (const ref of refsOf(definition)) visit(ref);
  };
  for (const root of ROOTS) visit(root);
  return [...seen].sort();
}

function refsOf(definition: Definition): string[] {
  const ref = refOf(definition);
  const below = [
    ...Object.values(definition.properties ?? {}),
    ...(definition.items === undefined ? [] : [definition.items]),
    ...(definition.additionalProperties === undefined ? [] : [definition.additionalProperties]),
  ];
  return [...(ref === undefined ? [] : [ref]), ...below.flatMap(refsOf)];
}

async function load(source: string): Promise<OpenApi> {
  const text = /^https?:/.test(source) ? await (await fetch(source)).text() : readFileSync(source, 'utf8');
  return JSON.parse(text) as OpenApi;
}

export async function kubeSchema(sources: readonly string[], goModules: string): Promise<string> {
  const documents = await Promise.all(sources.map(load));
  const all: Definitions = new Map(
    documents.flatMap(({ components }) =>
      Object.entries(components.schemas).map(([name, definition]) => [shortName(name), definition] as const),
    ),
  );
  const goField = goFields(goModules);
  const definitions = reachable(all).map((name) => [name, compact(name, all.get(name) ?? {}, all, goField)]);
  return `${JSON.stringify(Object.fromEntries(definitions), null, 2)}\n`;
}

if (import.meta.main) {
  const out = join(import.meta.dirname, '../src/sim/kube/schema.json');
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { go: { type: 'string' }, out: { type: 'string', default: out } },
  });
  if (values.go === undefined || positionals.length === 0) {
    console.error('usage: node scripts/kube-schema.ts --go DIR_OF_K8S_IO_MODULES [--out FILE] DOCUMENT...');
    process.exit(2);
  }
  writeFileSync(values.out, await kubeSchema(positionals, values.go));
}
