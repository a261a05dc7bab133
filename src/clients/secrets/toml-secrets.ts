import { isJson, type Json } from '../../base/index.ts';
import { tellSecrets } from './secret-field.ts';
import {
  pathElements,
  type SecretReader,
  type SecretReaderOptions,
  type SecretRef,
  scalarText,
  secretNotFound,
} from './secret-reader.ts';

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
