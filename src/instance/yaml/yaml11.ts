import {
  boolYaml11Tag,
  CORE_SCHEMA,
  constructFromEvents,
  defineScalarTag,
  EVENT_ID,
  type Event,
  floatYaml11Tag,
  intYaml11Tag,
  loadAll,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  parseEvents,
  Schema,
  seqTag,
  strTag,
} from 'js-yaml';
import { messageOf } from '../../base/index.ts';
import { leastNodes, type Padded, readPadded } from './flow-indent.ts';

/** The deepest nesting of a datafile, also as the YAML library reads it. */
export const MAX_NESTING = 100;

/**
 * The most nodes in one file after its aliases are expanded. A real datafile has a few thousand;
 * a "billion laughs" file gets 10^9 out of ten lines.
 */
export const MAX_EXPANDED_NODES = 200_000;

/** Why a text cannot be parsed; `offset` counts UTF-16 units from the start of the text. */
export class YamlFault extends Error {
  readonly offset: number | undefined;

  constructor(message: string, offset: number | undefined) {
    super(message);
    this.name = 'YamlFault';
    this.offset = offset;
  }
}

interface LoadedYaml {
  /** The last of two equal keys wins, as in the existing toolchain. */
  readonly value: unknown;
  /** Some mapping has a key twice; `duplicateKeys` finds it. */
  readonly hasDuplicateKeys: boolean;
}

/** The value of a single-document text; throws `YamlFault`. */
export function loadYaml(text: string): LoadedYaml {
  const loaded = loadStrictly(text);
  if (text.includes('&') && text.includes('*')) refuseBombs(loaded.value);
  return loaded;
}

/** Every document of generated text, such as a rendered chart; throws `YamlFault`. */
export function loadYamlDocuments(text: string): unknown[] {
  try {
    return loadAll(text, { schema: YAML11 });
  } catch (thrown) {
    throw asFault(thrown, (offset) => offset);
  }
}

function loadStrictly(text: string): LoadedYaml {
  let original = (offset: number): number => offset;
  try {
    const events = eventsOf(text);
    original = events.original;
    return constructed(events);
  } catch (thrown) {
    throw asFault(thrown, original);
  }
}

/** Padding only concerns the grammar: errors in the values of a padded text are reported unchanged. */
function constructed({ text, value: events }: Padded<Event[]>): LoadedYaml {
  const options = { source: text, schema: YAML11 };
  try {
    return { value: onlyOne(constructFromEvents(events, { ...options, json: false })), hasDuplicateKeys: false };
  } catch (thrown) {
    if (!messageOf(thrown).startsWith('duplicated mapping key')) throw thrown;
    return { value: onlyOne(constructFromEvents(events, { ...options, json: true })), hasDuplicateKeys: true };
  }
}

/**
 * The most nodes written in one text, keys and ends of collections included. An ordinary file of the largest size has
 * fewer, and reading so many holds up everything else that a manager does.
 */
const MAX_WRITTEN_NODES = 200_000;

/** The grammar of a text; throws the library's error, or `YamlFault` when it has too many nodes. */
export function eventsOf(text: string): Padded<Event[]> {
  /** A node takes two characters at least. What has far too many is refused before it is parsed, which takes much longer. */
  const least = text.length > 2 * MAX_WRITTEN_NODES ? leastNodes(text) : 0;
  if (least > MAX_WRITTEN_NODES) throw tooManyNodes(least);
  const padded = readPadded(text, (candidate) => parseEvents(candidate, {}));
  const { value: events } = padded;
  /** A field takes three characters at least. */
  if (text.length >= MAX_FIELDS * 3 && events.length <= MAX_WRITTEN_NODES) refuseFields(widestMapping(events));
  if (events.length <= MAX_WRITTEN_NODES) return padded;
  throw tooManyNodes(events.length);
}

function tooManyNodes(count: number): YamlFault {
  return new YamlFault(`the file has ${count} nodes, more than the limit of ${MAX_WRITTEN_NODES}`, undefined);
}

/** Fields of one mapping: locating one of them reads all, and making it takes longer than reading it. */
export const MAX_FIELDS = 20_000;

/** Throws `YamlFault` for a mapping with so many fields. */
function refuseFields(count: number): void {
  if (count <= MAX_FIELDS) return;
  throw new YamlFault(`the file has a mapping with ${count} fields; the limit is ${MAX_FIELDS}`, undefined);
}

/** How many fields the widest mapping has, equal keys included. */
function widestMapping(events: readonly Event[]): number {
  let most = 0;
  /** The nodes of every open collection so far, a mapping's keys included; those of others do not count. */
  const open: number[] = [];
  for (const { type } of events) {
    if (type === EVENT_ID.POP) most = Math.max(most, (open.pop() ?? 0) >> 1);
    else if (open.length > 0) open[open.length - 1] = (open.at(-1) ?? 0) + 1;
    if (type === EVENT_ID.MAPPING) open.push(0);
    if (type === EVENT_ID.SEQUENCE || type === EVENT_ID.DOCUMENT) open.push(Number.NEGATIVE_INFINITY);
  }
  return most;
}

function onlyOne(documents: readonly unknown[]): unknown {
  if (documents.length === 1) return documents[0];
  throw new YamlFault(
    documents.length === 0
      ? 'expected a document, but the input is empty'
      : 'expected a single document in the stream, but found more',
    undefined,
  );
}

/** The library's error, with the offset in the original text. */
function asFault(thrown: unknown, original: (offset: number) => number): YamlFault {
  if (thrown instanceof YamlFault) return thrown;
  if (thrown instanceof Error && 'reason' in thrown) {
    const { position } = (('mark' in thrown ? thrown.mark : undefined) as { position?: number } | undefined) ?? {};
    return new YamlFault(String(thrown.reason), position === undefined ? undefined : original(position));
  }
  return new YamlFault(thrown instanceof Error ? thrown.message : String(thrown), undefined);
}

/** Rejects a value whose expanded aliases exceed the limit; throws `YamlFault`. */
function refuseBombs(value: unknown): void {
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  const sizeOf = (node: unknown): number => {
    if (typeof node !== 'object' || node === null) return 1;
    const known = sizes.get(node);
    if (known !== undefined) return known;
    if (open.has(node)) throw new YamlFault('an alias refers to a node that contains it', undefined);
    if (open.size > MAX_NESTING) throw new YamlFault(`its aliases nest deeper than ${MAX_NESTING}`, undefined);
    open.add(node);
    let size = 1;
    for (const child of Object.values(node)) size += sizeOf(child);
    open.delete(node);
    sizes.set(node, size);
    return size;
  };
  const size = sizeOf(value);
  if (size > MAX_EXPANDED_NODES) {
    throw new YamlFault(
      `its aliases expand to ${size.toExponential(1)} nodes, more than the limit of ${MAX_EXPANDED_NODES}`,
      undefined,
    );
  }
}

/** The parsed documents of a text; of duplicate keys the last one counts. */
export interface YamlModels {
  /** The value as Echelon reads an instance: YAML 1.1. */
  readonly yaml11: readonly unknown[];
  /** The value as YAML 1.2 parsers read it; absent where they would reject it. */
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

const BOOLEANS = /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;

/** `y` and `n` stay text: the YAML 1.1 types include them, the loader of existing instances does not. */
const bool = defineScalarTag(boolYaml11Tag.tagName, {
  ...boolYaml11Tag,
  resolve: (source, isExplicit, tagName) =>
    BOOLEANS.test(source) ? boolYaml11Tag.resolve(source, isExplicit, tagName) : NOT_RESOLVED,
});

/** An integer that a double cannot hold stays text, digit for digit, instead of being rounded silently. */
const int = defineScalarTag(intYaml11Tag.tagName, {
  ...intYaml11Tag,
  resolve: (source, isExplicit, tagName) => {
    if (/^[-+]?0[\d_]*:/.test(source)) return NOT_RESOLVED;
    const value = intYaml11Tag.resolve(source, isExplicit, tagName);
    return Number.isSafeInteger(value) ? value : NOT_RESOLVED;
  },
});

const float = defineScalarTag(floatYaml11Tag.tagName, {
  ...floatYaml11Tag,
  resolve: (source, isExplicit, tagName) =>
    /^(?:[-+]\.[\d_]|\._)/.test(source) ? NOT_RESOLVED : floatYaml11Tag.resolve(source, isExplicit, tagName),
});

/**
 * YAML 1.1 as the existing toolchain reads it (a libyaml "safe" loader), except what JSON cannot represent:
 * dates stay text; binary, set, omap and pairs are rejected.
 */
const YAML11: Schema = new Schema([nullYaml11Tag, bool, int, float, mergeTag, strTag, seqTag, mapTag]);

/** The key that a plain scalar becomes in a mapping: `yes` and `true` are one key, as are `16` and `0x10`. */
export function keyOf(plain: string): string {
  for (const { resolve, tagName } of TYPED) {
    const value = resolve(plain, false, tagName);
    if (value !== NOT_RESOLVED) return String(value);
  }
  return plain;
}

const TYPED = [nullYaml11Tag, bool, int, float];
