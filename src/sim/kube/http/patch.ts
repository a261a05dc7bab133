import type { Actor } from '../apply/updater.ts';
import { type FieldValidation, parse, parseFields, strictErrorsOf, strictText } from '../decode.ts';
import { type Fields, fieldsAt, isFields, type KubeObject } from '../objects.ts';
import { applyConfig, recordUpdate } from '../ownership.ts';
import { jsonPatch, mergePatch, strategicMergePatch } from '../patches.ts';
import type { Resource } from '../resources.ts';
import { ApiError, badRequest, conflict, internalError, notFound } from '../status.ts';
import { unknownFields } from '../unknown-fields.ts';
import type { Produce, Writes } from '../writes.ts';

type PatchKind = 'apply' | 'json' | 'merge' | 'strategic';

const KINDS: Readonly<Record<string, PatchKind>> = {
  'application/apply-patch+yaml': 'apply',
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

export function patchKind(contentType: string): PatchKind {
  const kind = KINDS[contentType];
  if (kind === undefined) throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  return kind;
}

interface PatchRequest {
  readonly kind: PatchKind;
  readonly body: string;
  readonly mode: FieldValidation;
  readonly force: boolean;
  /** Gets what a strict reader would not take. */
  readonly warnings: string[];
}

interface PatchTarget {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly writes: Writes;
  readonly actor: Actor;
}

/** How a patch makes the new object of the one that is there. */
export function producePatched(patch: PatchRequest, target: PatchTarget): Produce {
  const { resource, name } = target;
  if (patch.kind === 'apply') return (existing) => applied(patch, target, existing);
  return (existing) => {
    if (existing === undefined) throw notFound(resource, name);
    const patched = patchedValue(patch, resource, existing);
    checkPatched(patch, resource, patched);
    const next = target.writes.read(resource, patched);
    const managedFields = recordUpdate(resource, existing, next, target.actor);
    const { managedFields: _, ...metadata } = next.metadata;
    return { ...next, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
  };
}

function patchedValue({ kind, body }: PatchRequest, { type }: Resource, existing: KubeObject): Fields {
  const value = parse(body);
  if (kind === 'json') return jsonPatch(existing, value);
  if (!isFields(value)) throw badRequest('error decoding patch: it is not a mapping');
  return (kind === 'merge' ? mergePatch(existing, value) : strategicMergePatch(existing, value, type)) as Fields;
}

function checkPatched({ mode, warnings }: PatchRequest, resource: Resource, patched: Fields): void {
  const errors = mode === 'Ignore' ? [] : strictErrorsOf(patched, resource);
  if (errors.length > 0 && mode === 'Strict')
    throw new ApiError(422, 'Invalid', ` "" is invalid: patch: ${strictText(errors)}`);
  warnings.push(...errors);
}

function applied(patch: PatchRequest, target: PatchTarget, existing: KubeObject | undefined): KubeObject {
  const { resource, name, namespace, actor, writes } = target;
  const config = parseFields(patch.body);
  checkConfig(config, resource);
  const merged = applyConfig(resource, existing, config, actor, patch.force);
  const { managedFields } = merged.metadata;
  const next = writes.read(resource, merged as Fields);
  if (managedFields !== undefined) next.metadata.managedFields = managedFields;
  if (existing !== undefined) return next;
  const { uid } = next.metadata;
  if (uid !== undefined)
    throw conflict(
      resource,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  writes.requireNamespace(resource, namespace, name);
  return next;
}

/** An apply is refused for a field that the kind does not have, whatever fieldValidation says. */
function checkConfig(config: Fields, { apiVersion, kind, type }: Resource): void {
  if (config['kind'] !== kind || config['apiVersion'] !== apiVersion)
    throw badRequest(`invalid object type: ${String(config['apiVersion'])}, Kind=${String(config['kind'])}`);
  const [unknown] = unknownFields(config, type);
  if (unknown === undefined) return;
  const { namespace = '', name = '' } = fieldsAt(config, 'metadata');
  const identity = `${String(namespace)}/${String(name)}; ${apiVersion}, Kind=${kind}`;
  throw internalError(`failed to create typed patch object (${identity}): .${unknown}: field not declared in schema`);
}
