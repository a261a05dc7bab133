import { constructFromEvents, EVENT_ID, type Event, loadAll, parseEvents } from 'js-yaml';
import { messageOf } from '../../base/index.ts';
import { MAX_NESTING } from '../nesting.ts';
import { type Padded, readPadded } from './flow-indent.ts';
import { leastNodes } from './flow-lines.ts';
import { YAML11 } from './yaml11-types.ts';

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
export const MAX_WRITTEN_NODES = 200_000;

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
export function asFault(thrown: unknown, original: (offset: number) => number): YamlFault {
  if (thrown instanceof YamlFault) return thrown;
  if (thrown instanceof Error && 'reason' in thrown) {
    const { position } = (('mark' in thrown ? thrown.mark : undefined) as { position?: number } | undefined) ?? {};
    return new YamlFault(String(thrown.reason), position === undefined ? undefined : original(position));
  }
  return new YamlFault(thrown instanceof Error ? thrown.message : String(thrown), undefined);
}

/** Rejects a value whose expanded aliases exceed the limit; throws `YamlFault`. */
export function refuseBombs(value: unknown): void {
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
