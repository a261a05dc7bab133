import { isJson, type Json, sha256Of } from '../../base/index.ts';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { withoutIdentity } from '../desired/identity.ts';

/** Annotations by which existing managers recognise their objects; they are not part of an object's content. */
export const ANNOTATION = {
  integration: 'qontract.integration',
  version: 'qontract.integration_version',
  sha256sum: 'qontract.sha256sum',
  update: 'qontract.update',
  caller: 'qontract.caller_name',
} as const;

const SERVER_METADATA = new Set([
  'creationTimestamp',
  'resourceVersion',
  'generation',
  'selfLink',
  'uid',
  'namespace',
  'managedFields',
]);
const SERVER_ANNOTATIONS: Readonly<Record<string, readonly string[]>> = {
  '': ['kubectl.kubernetes.io/last-applied-configuration', ...Object.values(ANNOTATION)],
  Deployment: ['deployment.kubernetes.io/revision'],
};

/**
 * The hash that existing managers write on their objects, over what the chart rendered: without fields added by the server
 * and without the shard identity, which existing managers do not set.
 */
export function objectHash(object: Json): string {
  return sha256Of(canonicalText(withoutServerParts(withoutIdentity(object as KubeObject))));
}

/**
 * A hash over an object's whole content, ownership labels and annotations included, to detect later changes. Annotations
 * that controllers maintain do not count.
 */
export function fingerprint(object: Json): string {
  const metadata = isJson(object['metadata']) ? object['metadata'] : {};
  const annotations = Object.entries(isJson(metadata['annotations']) ? metadata['annotations'] : {});
  const content = {
    uid: metadata['uid'],
    labels: metadata['labels'],
    annotations: Object.fromEntries(annotations.filter(([key]) => key !== 'deployment.kubernetes.io/revision')),
    spec: object['spec'],
  };
  return sha256Of(canonicalText(content));
}

function withoutServerParts(object: Json): Json {
  const { status: _, ...rest } = object;
  const kind = String(object['kind']);
  const metadata = isJson(object['metadata']) ? object['metadata'] : {};
  const dropped = new Set([...(SERVER_ANNOTATIONS[''] ?? []), ...(SERVER_ANNOTATIONS[kind] ?? [])]);
  const annotations = Object.entries(isJson(metadata['annotations']) ? metadata['annotations'] : {});
  return {
    ...rest,
    metadata: {
      ...Object.fromEntries(Object.entries(metadata).filter(([key]) => !SERVER_METADATA.has(key))),
      annotations: Object.fromEntries(annotations.filter(([key]) => !dropped.has(key))),
    },
    ...(kind === 'Service' && isJson(object['spec']) ? { spec: withoutServiceDefaults(object['spec']) } : {}),
  };
}

function withoutServiceDefaults(spec: Json): Json {
  return Object.fromEntries(
    Object.entries(spec).filter(
      ([key, value]) =>
        !(key === 'sessionAffinity' && value === 'None') && !(key === 'clusterIP' && spec['type'] === 'ClusterIP'),
    ),
  );
}

/** JSON with sorted keys, a space after separators and non-ASCII escaped, as the existing hash is computed. */
function canonicalText(value: unknown): string {
  return ascii(sortedText(value));
}

/** By concatenation: lists of parts for every field of a thousand objects cost more than the hash. */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${sortedItems(value)}]`;
  return isJson(value) ? `{${sortedFields(value)}}` : JSON.stringify(value ?? null);
}

function sortedItems(items: readonly unknown[]): string {
  let text = '';
  for (const item of items) text += text === '' ? sortedText(item) : `, ${sortedText(item)}`;
  return text;
}

function sortedFields(fields: Json): string {
  let text = '';
  for (const key of Object.keys(fields).sort()) {
    if (fields[key] === undefined) continue;
    const field = `${JSON.stringify(key)}: ${sortedText(fields[key])}`;
    text += text === '' ? field : `, ${field}`;
  }
  return text;
}

function ascii(text: string): string {
  return text.replaceAll(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
