import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { EchelonError, humanBytes, isJson, type Json } from '../../base/index.ts';
import {
  pathElements,
  type SecretFields,
  type SecretReader,
  type SecretReaderOptions,
  type SecretRef,
  scalarText,
  secretNotFound,
  tellSecrets,
} from './secret-reader.ts';

const MAX_FIELDS = 1_000;
/** What a Kubernetes Secret may hold. */
const MAX_FIELD_BYTES = 1024 * 1024;
/** Where Kubernetes keeps what a mounted Secret holds now; replaced as a whole. */
const CURRENT = '..data';

/**
 * Secrets as files: `<folder>/<path>/<field>`, the way Kubernetes mounts them. Read again every time, all fields of one
 * secret from the same state of it. A trailing line break is not part of a value.
 */
export function folderSecrets(folder: string, options: SecretReaderOptions = {}): SecretReader {
  return {
    name: folder,
    read: async (ref) => {
      const elements = pathElements(ref);
      const root = await realpath(folder).catch((thrown: unknown) => {
        throw unreadable(folder, thrown);
      });
      const place = join(folder, ...elements);
      // The second time for a Secret that was replaced during the first.
      const fields = (await fieldsIn(root, place)) ?? (await fieldsIn(root, place));
      if (fields !== undefined) return tellSecrets(fields, ref, options.onSecret);
      throw secretNotFound(ref, folder, `write it to a file named ${ref.field} in ${place}`);
    },
  };
}

/** Undefined when the folder, or a file that it had, is not there. */
async function fieldsIn(root: string, place: string): Promise<SecretFields | undefined> {
  try {
    const current = await currentOf(place);
    inside(root, current, place);
    const names = (await readdir(current)).filter((name) => !name.startsWith('..'));
    if (names.length > MAX_FIELDS) throw tooLarge(place, `has more than ${MAX_FIELDS} files`);
    const fields = new Map<string, string>();
    for (const name of names) {
      const value = await valueIn(root, join(current, name), join(place, name));
      if (value !== undefined) fields.set(name, value);
    }
    return fields;
  } catch (thrown) {
    if (thrown instanceof EchelonError) throw thrown;
    if (isMissing(thrown)) return undefined;
    throw unreadable(place, thrown);
  }
}

async function currentOf(place: string): Promise<string> {
  const real = await realpath(place);
  try {
    return await realpath(join(real, CURRENT));
  } catch (thrown) {
    if (isMissing(thrown)) return real;
    throw thrown;
  }
}

/** Undefined for what is no file. */
async function valueIn(root: string, location: string, name: string): Promise<string | undefined> {
  const real = await realpath(location);
  inside(root, real, name);
  const file = await stat(real);
  if (!file.isFile()) return undefined;
  if (file.size > MAX_FIELD_BYTES) throw tooLarge(name, `is larger than ${humanBytes(MAX_FIELD_BYTES)}`);
  return (await readFile(real, 'utf8')).replace(/\r?\n$/, '');
}

function inside(root: string, real: string, name: string): void {
  if (real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return;
  throw new EchelonError({
    code: 'SECRET_PATH_INVALID',
    message: `${name} is a symbolic link out of the secrets directory`,
    hint: 'copy the file itself into the directory',
  });
}

function isMissing(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '');
}

function tooLarge(name: string, why: string): EchelonError {
  return new EchelonError({
    code: 'SECRET_TOO_LARGE',
    message: `${name} ${why}`,
    hint: 'keep only secrets in the secrets directory',
  });
}

function unreadable(name: string, thrown: unknown): EchelonError {
  return new EchelonError({
    code: 'SECRET_UNREADABLE',
    message: `cannot read ${name}: ${(thrown as NodeJS.ErrnoException).code}`,
    hint: 'set the secrets directory with --secrets-dir or ECHELON_SECRETS_DIR, and make it readable',
  });
}

/** Secrets in a parsed config.toml: the path walks its tables, and the keys of the last one are the fields. */
export function tomlSecrets(config: Json, options: SecretReaderOptions = {}): SecretReader {
  const name = 'config.toml';
  return {
    name,
    read: async (ref) => {
      const table = tableAt(config, ref);
      if (table === undefined) throw secretNotFound(ref, name, `add it to the table ${tableName(ref)} in config.toml`);
      const fields = Object.entries(table).flatMap(([key, value]) => {
        const text = scalarText(value);
        return text === undefined ? [] : [[key, text] as const];
      });
      return tellSecrets(new Map(fields), ref, options.onSecret);
    },
  };
}

function tableAt(config: Json, ref: SecretRef): Json | undefined {
  let at: unknown = config;
  for (const element of pathElements(ref)) {
    at = isJson(at) && Object.hasOwn(at, element) ? at[element] : undefined;
  }
  return isJson(at) && !(at instanceof Date) ? at : undefined;
}

function tableName(ref: SecretRef): string {
  const keys = pathElements(ref).map((element) => (/^[\w-]+$/.test(element) ? element : JSON.stringify(element)));
  return `[${keys.join('.')}]`;
}
