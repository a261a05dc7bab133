import { EchelonError, isJson, messageOf } from '../../base/index.ts';
import { loadYamlDocuments } from '../../instance/index.ts';
import type { Capabilities } from '../../sharding/index.ts';

/** A mapping from integration to the flags that it supports. */
export function parseCapabilities(file: string, text: string): Capabilities {
  const value = yamlOf(file, text);
  if (!isJson(value)) throw badCapabilities(file, 'not a mapping');
  return new Map(
    Object.entries(value).map(([name, flags]) => {
      if (!Array.isArray(flags) || !flags.every((flag) => typeof flag === 'string')) {
        throw badCapabilities(file, `${name} is not a list of flags`);
      }
      return [name, flags as string[]];
    }),
  );
}

function yamlOf(file: string, text: string): unknown {
  try {
    return loadYamlDocuments(text)[0];
  } catch (thrown) {
    throw badCapabilities(file, messageOf(thrown));
  }
}

export function badCapabilities(file: string, why: string): EchelonError {
  return new EchelonError({
    code: 'CAPABILITIES_INVALID',
    message: `invalid capabilities file ${file}: ${why}`,
    hint: "write a mapping such as my-integration: ['--account-name']",
  });
}
