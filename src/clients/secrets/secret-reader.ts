import { EchelonError } from '../../base/index.ts';

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

export function describeRef({ path, field, version }: SecretRef): string {
  return `the secret ${path}${version === undefined ? '' : `, version ${version}`}, field ${field}`;
}

export function secretNotFound(ref: SecretRef, where: string, hint: string): EchelonError {
  return new EchelonError({ code: 'SECRET_NOT_FOUND', message: `${describeRef(ref)}, is not in ${where}`, hint });
}
