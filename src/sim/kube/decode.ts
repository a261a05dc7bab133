import { load } from 'js-yaml';
import { messageOf } from '../../base/index.ts';
import { type Checked, checkTypes, type TypeProblem } from './check-types.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { jsonError, jsonName } from './json-errors.ts';
import { type Fields, isFields } from './objects.ts';
import type { Resource } from './resources.ts';
import { ApiError, badRequest, unsupportedMediaType } from './status.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

const MEDIA_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** What a body says, and what a strict reader would not take. */
export interface Decoded {
  readonly value: Fields;
  readonly strictErrors: readonly string[];
}

/** The body of a create or update. */
export function decodeObject(body: string, contentType: string, resource: Resource, mode: FieldValidation): Decoded {
  const value = parse(body, contentType, resource);
  expectKind(value, resource);
  const checked = checkTypes(value, resource.type);
  if (checked.mismatch !== undefined) throw unreadable(resource, mismatchText(checked.mismatch));
  const strictErrors = mode === 'Ignore' ? [] : strictErrorsOf(body, checked);
  if (mode === 'Strict' && strictErrors.length > 0) throw unreadable(resource, strictText(strictErrors));
  return { value, strictErrors };
}

function parse(body: string, contentType: string, { kind }: Resource): Fields {
  const isYaml = contentType === 'application/yaml';
  if (!isYaml && contentType !== 'application/json' && contentType !== '') throw unsupportedMediaType(MEDIA_TYPES);
  const refuse = (why: string): Error =>
    badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why}`);
  const given = body === '' ? '<empty>' : body.trimStart().startsWith('{') ? body : Buffer.from(body).toString('hex');
  const error = isYaml ? undefined : jsonError(body);
  if (error !== undefined) throw refuse(`couldn't get version/kind; json parse error: ${error} (${given})`);
  try {
    const value: unknown = isYaml ? load(body, { json: true }) : JSON.parse(body);
    if (isFields(value)) return value;
    throw refuse(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonName(value)} into Go value of type struct (${given})`,
    );
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    throw refuse(`yaml: ${messageOf(thrown).split('\n')[0]} (${given})`);
  }
}

function expectKind(value: Fields, resource: Resource): void {
  const { apiVersion = resource.apiVersion, kind = resource.kind } = value;
  if (kind !== resource.kind && kind !== '') {
    const version = String(apiVersion).replace(/^.*\//, '');
    throw badRequest(
      `${String(kind)} in version "${version}" cannot be handled as a ${resource.kind}: unknown conversion`,
    );
  }
  if (apiVersion !== resource.apiVersion && apiVersion !== '')
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${resource.apiVersion})`,
    );
}

export function strictErrorsOf(body: string, { unknown }: Checked): string[] {
  return [
    ...duplicatesOf(body).map((path) => `duplicate field "${path}"`),
    ...unknown.map((path) => `unknown field "${path}"`),
  ];
}

function duplicatesOf(body: string): string[] {
  return body.trimStart().startsWith('{') ? duplicateKeys(body) : [];
}

export function strictText(errors: readonly string[]): string {
  return `strict decoding error: ${errors.join(', ')}`;
}

const QUANTITY = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';

export function mismatchText({ path, wants, owner, value }: TypeProblem): string {
  if (wants === 'quantity') return `quantities must match the regular expression '${QUANTITY}'`;
  if (wants === 'time' || wants === 'microTime') return timeText(String(value), wants);
  if (wants === 'bytes') return 'illegal base64 data at input byte 0';
  const given = jsonName(value);
  const field = `${owner.replace(/^.*\./, '')}.${path.replaceAll(/\[\d+\]/g, '')}`;
  const number = typeof value === 'number' && /^int/.test(wants) ? ` ${value}` : '';
  const type = wants === 'intOrString' ? 'int32' : wants;
  return `json: cannot unmarshal ${given}${number} into Go struct field ${field} of type ${type}`;
}

/** Where the text leaves the layout that Go reads times by. */
function timeText(value: string, wants: string): string {
  const seconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(value)?.[0];
  const layout = wants === 'time' ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00';
  const rest = seconds === undefined ? value : value.slice(seconds.length);
  const isTooLong = /^\.\d{7,}/.test(rest);
  const left = isTooLong ? rest.slice('.000000'.length) : rest;
  const expected = seconds === undefined ? '2006' : wants === 'time' || isTooLong ? 'Z07:00' : '.000000';
  return `parsing time "${value}" as "${layout}": cannot parse "${left}" as "${expected}"`;
}

function unreadable({ kind, version }: Resource, why: string): Error {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}
