import type { FieldError } from '../status.ts';
import { invalidValue, tooLong } from './field-errors.ts';

const SUBDOMAIN_LIMIT = 253;
const LABEL_LIMIT = 63;
const PORT_NAME_LIMIT = 15;
const MAX_PORT = 65_535;

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const NAME_PART =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const PREFIX_HINT = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const LABEL_VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

export type NameCheck = (field: string, name: string) => FieldError[];

function check(form: RegExp, limit: number, detail: string): NameCheck {
  return (field, name) => [
    ...(name.length > limit ? [invalidValue(field, name, `must be no more than ${limit} bytes`)] : []),
    ...(form.test(name) ? [] : [invalidValue(field, name, detail)]),
  ];
}

const LABEL_FORM = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

export const checkSubdomain = check(new RegExp(`^${LABEL_FORM}(\\.${LABEL_FORM})*$`), SUBDOMAIN_LIMIT, SUBDOMAIN);
const checkLabelForm = check(new RegExp(`^${LABEL_FORM}$`), LABEL_LIMIT, LABEL);

/** Of a name that would be valid with its dots, only they are told. */
export const checkLabelName: NameCheck = (field, name) =>
  checkLabelForm(field, name).map((error) =>
    error.body.endsWith(LABEL) && checkSubdomain('', name).length === 0
      ? invalidValue(field, name, 'must not contain dots')
      : error,
  );
export const checkLabel1035 = check(/^[a-z]([-a-z0-9]*[a-z0-9])?$/, LABEL_LIMIT, LABEL_1035);

/** A name, or a name after a domain. */
export function checkQualifiedName(field: string, key: string, noun = 'a qualified name'): FieldError[] {
  const parts = key.split('/');
  if (parts.length > 2) return [invalidValue(field, key, `${noun} ${NAME_PART} ${PREFIX_HINT}`)];
  const name = parts.at(-1) ?? '';
  return [
    ...(parts.length === 2 ? checkPrefix(field, key, parts[0] ?? '') : []),
    ...(name === '' ? [invalidValue(field, key, 'name part must be non-empty')] : []),
    ...(name.length > LABEL_LIMIT ? [invalidValue(field, key, 'name part must be no more than 63 bytes')] : []),
    ...(/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)
      ? []
      : [invalidValue(field, key, `name part ${NAME_PART}`)]),
  ];
}

function checkPrefix(field: string, key: string, prefix: string): FieldError[] {
  if (prefix === '') return [invalidValue(field, key, 'prefix part must be non-empty')];
  return checkSubdomain('', prefix).map(({ body }) =>
    invalidValue(field, key, `prefix part ${body.replace(/^.*?": /, '')}`),
  );
}

export function checkLabels(field: string, labels: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...checkQualifiedName(field, key, 'a valid label key'),
    ...checkLabelValue(field, value),
  ]);
}

export function checkLabelValue(field: string, value: string): FieldError[] {
  return [
    ...(value.length > LABEL_LIMIT ? [invalidValue(field, value, 'must be no more than 63 bytes')] : []),
    ...(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value) ? [] : [invalidValue(field, value, LABEL_VALUE)]),
  ];
}

const ANNOTATIONS_LIMIT = 256 * 1024;

export function checkAnnotations(field: string, annotations: Readonly<Record<string, string>>): FieldError[] {
  const keys = Object.keys(annotations).flatMap((key) => checkQualifiedName(field, key.toLowerCase()));
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return size > ANNOTATIONS_LIMIT ? [...keys, tooLong(field, ANNOTATIONS_LIMIT)] : keys;
}

/** A key of a config map or secret. */
export function checkConfigKey(field: string, key: string): FieldError[] {
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) return [invalidValue(field, key, CONFIG_KEY)];
  if (key.length > SUBDOMAIN_LIMIT) return [invalidValue(field, key, `must be no more than ${SUBDOMAIN_LIMIT} bytes`)];
  if (key === '.') return [invalidValue(field, key, "must not be '.'")];
  if (key === '..') return [invalidValue(field, key, "must not be '..'")];
  return key.startsWith('..') ? [invalidValue(field, key, "must not start with '..'")] : [];
}

export function checkPortNumber(field: string, port: number): FieldError[] {
  return port >= 1 && port <= MAX_PORT
    ? []
    : [invalidValue(field, port, `must be between 1 and ${MAX_PORT}, inclusive`)];
}

export function checkPortName(field: string, name: string): FieldError[] {
  const errors = [
    name.length > PORT_NAME_LIMIT ? `must be no more than ${PORT_NAME_LIMIT} characters` : '',
    /^[-a-z0-9]+$/.test(name) ? '' : 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    /[a-z]/.test(name) ? '' : 'must contain at least one letter (a-z)',
    name.includes('--') ? 'must not contain consecutive hyphens' : '',
    /^-|-$/.test(name) ? 'must not begin or end with a hyphen' : '',
  ];
  return errors.filter((error) => error !== '').map((error) => invalidValue(field, name, error));
}

/** Where a port may be given by its name. */
export function checkPortReference(field: string, port: unknown): FieldError[] {
  return typeof port === 'string' ? checkPortName(field, port) : checkPortNumber(field, Number(port ?? 0));
}
