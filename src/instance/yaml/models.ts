import { CORE_SCHEMA, constructFromEvents, parseEvents } from 'js-yaml';
import { readPadded } from './flow-indent.ts';
import { asFault, refuseBombs, YAML11 } from './yaml11.ts';

/** What the documents of a text are; of two equal keys the last counts. */
export interface YamlModels {
  /** As this instance is read. */
  readonly yaml11: readonly unknown[];
  /** As readers of YAML 1.2 see it; absent where they would refuse it. */
  readonly yaml12?: readonly unknown[];
}

/** Throws `YamlFault`. */
export function yamlModels(text: string): YamlModels {
  let original = (offset: number): number => offset;
  try {
    const padded = readPadded(text, (candidate) => parseEvents(candidate, {}));
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
