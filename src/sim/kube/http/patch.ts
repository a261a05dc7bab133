import { load } from 'js-yaml';
import { messageOf } from '../../../base/index.ts';
import { checkApplied } from '../apply/check-applied.ts';
import type { Actor } from '../apply/updater.ts';
import { checkTypes } from '../check-types.ts';
import { type FieldValidation, mismatchText, strictErrorsOf, strictText } from '../decode.ts';
import { duplicateKeys } from '../duplicate-keys.ts';
import { jsonError, jsonName } from '../json-errors.ts';
import { type Fields, fieldsAt, isFields, type KubeObject } from '../objects.ts';
import { applyConfig, recordUpdate } from '../ownership.ts';
import { jsonPatch, mergePatch, strategicMergePatch } from '../patches.ts';
import type { Resource } from '../resources.ts';
import { ApiError, badRequest, conflict, internalError, notFound } from '../status.ts';
import type { Produce, Writes } from '../writes.ts';

export type PatchKind = 'apply' | 'json' | 'merge' | 'strategic';

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

export interface PatchRequest {
  readonly kind: PatchKind;
  readonly body: string;
  readonly mode: FieldValidation;
  readonly force: boolean;
  readonly subresource: string;
  /** Told what a strict reader would not take. */
  readonly warnings: string[];
}

export interface PatchTarget {
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

function patchedValue({ kind, body, mode }: PatchRequest, resource: Resource, existing: KubeObject): Fields {
  const value = parse(body, kind === 'strategic');
  if (kind === 'json') return jsonPatch(existing, value);
  if (!isFields(value))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${jsonName(value)} into Go value of type map[string]interface {}`,
    );
  const duplicates = mode === 'Strict' ? duplicateKeys(body) : [];
  if (duplicates.length > 0)
    throw invalidPatch(existing, strictText(duplicates.map((path) => `duplicate field "${path}"`)));
  return (
    kind === 'merge' ? mergePatch(existing, value) : strategicMergePatch(existing, value, resource.type)
  ) as Fields;
}

function parse(body: string, isStrategic: boolean): unknown {
  const error = jsonError(body);
  if (error !== undefined) throw badRequest(isStrategic ? error : `error decoding patch: ${error}`);
  return JSON.parse(body);
}

function checkPatched({ kind, body, mode, warnings }: PatchRequest, resource: Resource, patched: Fields): void {
  const checked = checkTypes(patched, resource.type);
  if (checked.mismatch !== undefined) throw invalidPatch(patched, mismatchText(checked.mismatch));
  const errors =
    mode === 'Ignore' ? [] : [...(kind === 'json' ? unknownInOperations(body) : []), ...strictErrorsOf(body, checked)];
  if (errors.length > 0 && mode === 'Strict') throw invalidPatch(patched, strictText(errors));
  warnings.push(...errors);
}

const OPERATION_FIELDS = ['op', 'path', 'from', 'value'];

function unknownInOperations(body: string): string[] {
  return (JSON.parse(body) as Fields[]).flatMap((operation, i) =>
    Object.keys(operation)
      .filter((field) => !OPERATION_FIELDS.includes(field))
      .map((field) => `json patch unknown field "[${i}].${field}"`),
  );
}

function invalidPatch(patched: unknown, why: string): ApiError {
  const value = JSON.stringify(JSON.stringify(patched));
  return new ApiError(422, 'Invalid', ` "" is invalid: patch: Invalid value: ${value}: ${why}`, {
    causes: [{ reason: 'FieldValueInvalid', message: `Invalid value: ${value}: ${why}`, field: 'patch' }],
  });
}

function applied(patch: PatchRequest, target: PatchTarget, existing: KubeObject | undefined): KubeObject {
  const { resource, name, namespace, actor, writes } = target;
  if (existing === undefined && patch.subresource !== '') throw notFound(resource, name);
  const config = readConfig(patch.body);
  checkConfig(config, resource);
  const merged = applyConfig(resource, existing, config, actor, patch.force);
  checkMerged(merged as Fields, resource, config);
  checkDuplicates(patch);
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

function readConfig(body: string): Fields {
  let value: unknown;
  try {
    value = load(body, { json: true });
  } catch (error) {
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${messageOf(error).split('\n')[0]}`);
  }
  if (isFields(value)) return value;
  const why = `json: cannot unmarshal ${jsonName(value)} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
}

function checkConfig(config: Fields, resource: Resource): void {
  const { apiVersion = '', kind = '' } = config;
  if (kind !== resource.kind || apiVersion !== resource.apiVersion) {
    const version = String(apiVersion);
    throw badRequest(`invalid object type: ${version.includes('/') ? version : `/${version}`}, Kind=${String(kind)}`);
  }
  const problems = checkApplied(config, resource.type);
  if (problems.length === 0) return;
  const text = problems.length === 1 ? problems[0] : `errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
  throw internalError(`failed to create typed patch object (${identityOf(config, resource)}): ${text}`);
}

/** What only shows when the merged object is read: times and quantities that are none. */
function checkMerged(merged: Fields, resource: Resource, config: Fields): void {
  const { mismatch } = checkTypes(merged, resource.type);
  if (mismatch === undefined) return;
  const { apiVersion, kind } = resource;
  const why = `unable to convert unstructured object to ${apiVersion}, Kind=${kind}: ${mismatchText(mismatch)}`;
  throw internalError(`failed to convert new object (${identityOf(config, resource)}) to proper version: ${why}`);
}

function identityOf(config: Fields, { apiVersion, kind }: Resource): string {
  const { namespace = '', name = '' } = fieldsAt(config, 'metadata');
  return `${String(namespace)}/${String(name)}; ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

function checkDuplicates({ body, mode, warnings }: PatchRequest): void {
  if (mode === 'Ignore') return;
  const duplicate = duplicateInYaml(body);
  if (duplicate === undefined) return;
  if (mode === 'Strict')
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${duplicate}`,
    );
  warnings.push(duplicate);
}

/** The first key that is given twice, with its line. */
function duplicateInYaml(body: string): string | undefined {
  try {
    load(body);
    return undefined;
  } catch (error) {
    const at = Number(/\((\d+):\d+\)/.exec(messageOf(error))?.[1] ?? 1);
    const line = body.split('\n')[at - 1] ?? '';
    const isJson = body.trimStart().startsWith('{');
    const key = isJson ? (duplicateKeys(body)[0] ?? '').replace(/^.*\./, '') : line.trim().split(':')[0];
    return `line ${at}: key "${key}" already set in map`;
  }
}
