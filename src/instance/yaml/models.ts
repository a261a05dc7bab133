import { CORE_SCHEMA, constructFromEvents } from 'js-yaml';
import { asFault, eventsOf, refuseBombs } from './yaml11.ts';
import { YAML11 } from './yaml11-types.ts';

/** The parsed documents of a text; of duplicate keys the last one counts. */
export interface YamlModels {
  /** As Echelon reads an instance: YAML 1.1. */
  readonly yaml11: readonly unknown[];
  /** As YAML 1.2 parsers read it; absent where they would reject it. */
  readonly yaml12?: readonly unknown[];
}

/** Throws `YamlFault`. */
export function yamlModels(text: string): YamlModels {
  let original = (offset: number): number => offset;
  try {
    const padded = eventsOf(text);
    original = padded.original;
    const options = { source: padded.text, json: true };
    const yaml11 = constructFromEvents(padded.value, { ...options, schema: YAML11 });
    for (const document of yaml11) refuseBombs(document);
    const yaml12 = attempt(() => constructFromEvents(padded.value, { ...options, schema: CORE_SCHEMA }));
    return yaml12 === undefined ? { yaml11 } : { yaml11, yaml12 };
  } catch (thrown) {
    throw asFault(thrown, original);
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
