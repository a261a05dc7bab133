import { load } from 'js-yaml';
import { messageOf } from '../../base/index.ts';
import { type Fields, isFields } from './objects.ts';
import type { Resource } from './resources.ts';
import { badRequest, unsupportedMediaType } from './status.ts';
import { unknownFields } from './unknown-fields.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

const MEDIA_TYPES = ['application/json', 'application/yaml'];

/** What a body says, and what a strict reader would not take. */
interface Decoded {
  readonly value: Fields;
  readonly strictErrors: readonly string[];
}

/** The body of a create or update. */
export function decodeObject(body: string, contentType: string, resource: Resource, mode: FieldValidation): Decoded {
  if (contentType !== '' && !MEDIA_TYPES.includes(contentType)) throw unsupportedMediaType(MEDIA_TYPES);
  const value = parseFields(body);
  expectKind(value, resource);
  const strictErrors = mode === 'Ignore' ? [] : strictErrorsOf(value, resource);
  if (mode === 'Strict' && strictErrors.length > 0) throw unreadable(resource, strictText(strictErrors));
  return { value, strictErrors };
}

/** A mapping in JSON, or in YAML. */
export function parseFields(body: string): Fields {
  const value = parse(body);
  if (isFields(value)) return value;
  throw badRequest('the object provided is unrecognized: it is not a mapping');
}

export function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return parseYaml(body);
  }
}

function parseYaml(body: string): unknown {
  try {
    return load(body, { json: true });
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: ${messageOf(error).split('\n')[0]}`);
  }
}

function expectKind(value: Fields, resource: Resource): void {
  const { apiVersion = resource.apiVersion, kind = resource.kind } = value;
  if (kind !== resource.kind && kind !== '') throw unreadable(resource, `it is a ${String(kind)}`);
  if (apiVersion !== resource.apiVersion && apiVersion !== '')
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${resource.apiVersion})`,
    );
}

export function strictErrorsOf(value: Fields, { type }: Resource): string[] {
  return unknownFields(value, type).map((path) => `unknown field "${path}"`);
}

export function strictText(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`;
}

function unreadable({ kind, version }: Resource, why: string): Error {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}
