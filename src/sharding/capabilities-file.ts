import { EchelonError, isJson, messageOf } from '../base/index.ts';
import { loadYamlDocuments } from '../instance/index.ts';
import type { Capabilities } from './capabilities.ts';

/** A mapping from integration to what it supports. */
export function parseCapabilities(file: string, text: string): Capabilities {
  const value = yamlOf(file, text);
  if (!isJson(value)) throw badCapabilities(file, 'not a mapping');
  return new Map(
    Object.entries(value).map(([name, supported]) => {
      if (!Array.isArray(supported) || !supported.every((one) => typeof one === 'string')) {
        throw badCapabilities(file, `${name} is not a list of capabilities`);
      }
      return [name, supported as string[]];
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
    hint: "write a mapping such as my-integration: ['--account-name', 'SHARDS']",
  });
}
