/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: not an array or null, whose `typeof` is `object` too. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value, to spread into an object whose optional fields are absent rather than undefined. */
export function defined<T extends object>(fields: T): Defined<T> {
  const present: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) present[key] = fields[key];
  return present as Defined<T>;
}

declare const brand: unique symbol;

/** A validated value, or an id that must not be confused with another kind of id. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** The SHA-256 of a text in hexadecimal digits. Loads `node:crypto` when it is first asked: every command loads this room. */
export function sha256Of(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}

/** Common file systems limit file names to 255 bytes. */
const LONGEST_PART = 80;
const HASH_LETTERS = 8;

/** A text as part of a file name: unchanged if safe, else its safe characters and a hash of the whole. */
export function fileNamePart(text: string): string {
  const safe = text.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[.-]+|[.-]+$/g, '');
  if (safe === text && safe !== '' && text.length <= LONGEST_PART) return text;
  const hash = sha256Of(text).slice(0, HASH_LETTERS);
  const prefix = safe.slice(0, LONGEST_PART - HASH_LETTERS - 1);
  return prefix === '' ? hash : `${prefix}-${hash}`;
}
