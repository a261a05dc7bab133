import { didYouMean, EchelonError } from '../../base/index.ts';

/** Where a secret is kept, as the data of an instance writes it; never the secret. */
export interface SecretRef {
  /** Elements separated by `/`. */
  readonly path: string;
  readonly field: string;
  /** Of the field's value; plain when absent. */
  readonly format?: 'plain' | 'base64';
  /** For stores that keep versions; the newest when absent. */
  readonly version?: number;
}

export type SecretFields = ReadonlyMap<string, string>;

export interface SecretReader {
  /** A file, a folder or an address; for messages. */
  readonly name: string;
  /**
   * All fields of a secret, as they are stored. Throws SECRET_NOT_FOUND when there is no secret at the path; a secret that
   * lacks the field of the reference is still returned, because some references mean all of its fields.
   */
  read(ref: SecretRef): Promise<SecretFields>;
}

/** Told every secret value, so that no output ever shows it. Called again for the same value. */
export type OnSecret = (value: string) => void;

export interface SecretReaderOptions {
  readonly onSecret?: OnSecret;
}

/** The elements of a path. None can climb out of a folder or of an address. */
export function pathElements({ path }: SecretRef): string[] {
  const elements = path.split('/');
  if (path.isWellFormed() && elements.every(isElement)) return elements;
  throw new EchelonError({
    code: 'SECRET_PATH_INVALID',
    message: `${JSON.stringify(path)} is not a valid secret path`,
    hint: 'use names separated by single slashes, without . and ..',
  });
}

function isElement(element: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse.
  return element !== '' && element !== '.' && element !== '..' && !/[\x00-\x1f\x7f\\]/.test(element);
}

/** A value as text; undefined for what has none, such as a date or null. */
export function scalarText(value: unknown): string | undefined {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value) ? String(value) : undefined;
}

function describeRef({ path, field, version }: SecretRef): string {
  return `the secret ${path}${version === undefined ? '' : `, version ${version}`}, field ${field}`;
}

export function secretNotFound(ref: SecretRef, where: string, hint: string): EchelonError {
  return new EchelonError({ code: 'SECRET_NOT_FOUND', message: `${describeRef(ref)}, is not in ${where}`, hint });
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The value that a reference stands for, decoded. */
export async function secretField(reader: SecretReader, ref: SecretRef): Promise<string> {
  const fields = await reader.read(ref);
  const value = fields.get(ref.field);
  if (value === undefined) {
    const hint = didYouMean(ref.field, fields.keys(), 'correct the field of the reference, or add it to the secret');
    throw secretNotFound(ref, reader.name, hint);
  }
  if (ref.format !== 'base64') return value;
  const decoded = decodeBase64(value);
  if (decoded !== undefined) return decoded;
  throw new EchelonError({
    code: 'SECRET_NOT_BASE64',
    message: `${describeRef(ref)}, in ${reader.name} is not valid base64 text`,
    hint: 'store it in base64, or remove format: base64 from the reference',
  });
}

/** Tells all values, and what the reference makes of its own. An empty one is no secret. */
export function tellSecrets(fields: SecretFields, ref: SecretRef, onSecret: OnSecret | undefined): SecretFields {
  if (onSecret === undefined) return fields;
  const own = ref.format === 'base64' ? decodeBase64(fields.get(ref.field) ?? '') : undefined;
  for (const value of [...fields.values(), own]) {
    if (value) onSecret(value);
  }
  return fields;
}

/** Line breaks and blanks are not part of it; undefined when it is not base64 of UTF-8. */
function decodeBase64(value: string): string | undefined {
  const packed = value.replace(/\s+/g, '');
  if (!BASE64.test(packed)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(packed, 'base64'));
  } catch {
    return undefined;
  }
}
