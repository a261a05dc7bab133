import { EchelonError } from '../../base/index.ts';
import { type SecretFields, type SecretReader, type SecretRef, secretNotFound } from './secret-reader.ts';

/**
 * The first reader that has the secret with its field; else the first that has the secret. A reader that fails for another
 * reason ends the search: what a later one has may not be what is meant.
 */
export function firstOf(readers: readonly SecretReader[]): SecretReader {
  const name = readers.map((reader) => reader.name).join(', ') || 'any secret store';
  return {
    name,
    read: async (ref) => {
      const without: SecretFields[] = [];
      const hints: string[] = [];
      for (const reader of readers) {
        const found = await readIfThere(reader, ref);
        if (found instanceof EchelonError) hints.push(found.hint);
        else if (found.has(ref.field)) return found;
        else without.push(found);
      }
      if (without[0] !== undefined) return without[0];
      throw secretNotFound(ref, name, hints.join('; or ') || 'pass a directory of secrets with --secrets-dir');
    },
  };
}

async function readIfThere(reader: SecretReader, ref: SecretRef): Promise<SecretFields | EchelonError> {
  try {
    return await reader.read(ref);
  } catch (thrown) {
    if (thrown instanceof EchelonError && thrown.code === 'SECRET_NOT_FOUND') return thrown;
    throw thrown;
  }
}
