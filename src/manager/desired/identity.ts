import { isJson, type Json } from '../../base/index.ts';
import type { KubeObject } from './desired-namespace.ts';

/** The shard that an object belongs to. */
export interface ShardIdentity {
  readonly integration: string;
  readonly shard: string;
  readonly environment: string;
}

/** The identity annotations: on the workload, and on its pods if that does not restart them. */
const IDENTITY_ANNOTATION = {
  integration: 'echelon/integration',
  shard: 'echelon/shard',
  environment: 'echelon/environment',
} as const;

const KEYS: ReadonlySet<string> = new Set(Object.values(IDENTITY_ANNOTATION));

const WORKLOAD_KINDS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'CronJob']);

export function isWorkload({ kind }: Pick<KubeObject, 'kind'>): boolean {
  return WORKLOAD_KINDS.has(kind);
}

/** The identity in an object's annotations; undefined if it has none, as with objects of other managers. */
export function identityOf({ metadata }: KubeObject): ShardIdentity | undefined {
  const annotations = isJson(metadata['annotations']) ? metadata['annotations'] : {};
  const { integration, shard, environment } = IDENTITY_ANNOTATION;
  const values = [annotations[integration], annotations[shard], annotations[environment]];
  if (!values.every((value) => typeof value === 'string')) return undefined;
  const [own = '', part = '', place = ''] = values as string[];
  return { integration: own, shard: part, environment: place };
}

/** The identity annotations on a workload itself. */
export function identityAnnotations({ metadata }: KubeObject): Json {
  const annotations = isJson(metadata['annotations']) ? metadata['annotations'] : {};
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => KEYS.has(key)));
}

/** The workload with identity annotations, also on its pods. */
export function withIdentity(object: KubeObject, identity: ShardIdentity): KubeObject {
  const annotations = {
    [IDENTITY_ANNOTATION.integration]: identity.integration,
    [IDENTITY_ANNOTATION.shard]: identity.shard,
    [IDENTITY_ANNOTATION.environment]: identity.environment,
  };
  const workload = { ...object, metadata: annotated(object.metadata, annotations) as KubeObject['metadata'] };
  return withPodTemplate(workload, (template) => withTemplateAnnotations(template, annotations));
}

/** The object without identity annotations. */
export function withoutIdentity(object: KubeObject): KubeObject {
  const metadata = stripped(object.metadata) ?? {};
  return withPodTemplate({ ...object, metadata: metadata as KubeObject['metadata'] }, withoutTemplateIdentity);
}

/** The identity annotations on a workload's pods. */
export function podIdentity(object: KubeObject): Json {
  const metadata = podTemplateOf(object)?.['metadata'];
  const annotations = isJson(metadata) && isJson(metadata['annotations']) ? metadata['annotations'] : {};
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => KEYS.has(key)));
}

/** The workload with these identity annotations on its pods, replacing its own. */
export function withPodIdentity(object: KubeObject, annotations: Json): KubeObject {
  return withPodTemplate(object, (template) => {
    const bare = withoutTemplateIdentity(template);
    return Object.keys(annotations).length === 0 ? bare : withTemplateAnnotations(bare, annotations);
  });
}

export function podTemplateOf(object: KubeObject): Json | undefined {
  const spec = child(object, 'spec');
  const job = object.kind === 'CronJob' ? child(child(spec, 'jobTemplate'), 'spec') : spec;
  return child(job, 'template');
}

/** The image of the container that runs the integration, which is the first. */
export function firstImage(object: KubeObject): string | undefined {
  const containers = child(podTemplateOf(object), 'spec')?.['containers'];
  const first: unknown = Array.isArray(containers) ? containers[0] : undefined;
  return isJson(first) && typeof first['image'] === 'string' ? first['image'] : undefined;
}

function child(parent: Json | undefined, key: string): Json | undefined {
  const value = parent?.[key];
  return isJson(value) ? value : undefined;
}

/** Leaves empty metadata alone: after removing the identity, empty and absent would be indistinguishable. */
function withTemplateAnnotations(template: Json, annotations: Json): Json {
  const { metadata } = template;
  if (metadata === undefined) return { metadata: { annotations }, ...template };
  if (!isJson(metadata) || isEmpty(metadata) || isEmpty(metadata['annotations'])) return template;
  return { ...template, metadata: annotated(metadata, annotations) };
}

function withoutTemplateIdentity(template: Json): Json {
  const { metadata, ...rest } = template;
  if (!isJson(metadata)) return template;
  const bare = stripped(metadata);
  return bare === undefined ? rest : { ...template, metadata: bare };
}

function annotated(metadata: Json, annotations: Json): Json {
  const own = isJson(metadata['annotations']) ? metadata['annotations'] : {};
  return { ...metadata, annotations: { ...own, ...annotations } };
}

/** Metadata without identity; undefined if nothing else is left. */
function stripped(metadata: Json): Json | undefined {
  const { annotations, ...rest } = metadata;
  if (!isJson(annotations) || !Object.keys(annotations).some((key) => KEYS.has(key))) return metadata;
  const others = Object.entries(annotations).filter(([key]) => !KEYS.has(key));
  if (others.length > 0) return { ...metadata, annotations: Object.fromEntries(others) };
  return isEmpty(rest) ? undefined : rest;
}

function isEmpty(value: unknown): boolean {
  return value === null || (isJson(value) && Object.keys(value).length === 0);
}

export function withPodTemplate(object: KubeObject, change: (template: Json) => Json): KubeObject {
  const template = podTemplateOf(object);
  if (template === undefined) return object;
  const changed = change(template);
  if (changed === template) return object;
  const spec = child(object, 'spec') ?? {};
  if (object.kind !== 'CronJob') return { ...object, spec: { ...spec, template: changed } };
  const job = child(spec, 'jobTemplate') ?? {};
  return { ...object, spec: { ...spec, jobTemplate: { ...job, spec: { ...child(job, 'spec'), template: changed } } } };
}
