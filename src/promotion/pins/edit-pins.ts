import { isJson, type Json } from '../../base/index.ts';
import type { KeyPath } from '../../instance/index.ts';
import {
  type EditedList,
  encodeText,
  listPath,
  readYaml,
  type Splice,
  spliced,
  valueAtPath,
  verifyEdit,
  withValue,
  type YamlText,
} from '../../instance/index.ts';
import { type NewPin, pinSplices } from './add-pins.ts';
import { overrideList } from './override-list.ts';
import { unpinSplices } from './remove-pins.ts';

/** The changes of one managed entry. */
export interface EntryPins {
  /** Keys of the entry, such as `['managed', 0]`. */
  readonly managed: KeyPath;
  readonly pins?: readonly NewPin[];
  /** Indices of overrides to unpin. */
  readonly unpins?: readonly number[];
}

interface EditedPins {
  /** The same object as the input if nothing changes. */
  readonly bytes: Uint8Array;
  /** The parsed content after the edit. */
  readonly content: unknown;
}

/**
 * Adds and removes pins in the text of an integration file line by line; every other byte stays. Parsing the result must
 * give exactly the expected overrides, otherwise an error names the place and nothing is changed.
 */
export function editPins(file: string, bytes: Uint8Array, entries: readonly EntryPins[]): EditedPins {
  const yaml = readYaml(file, bytes);
  const edits = entries.map((entry) => ({ entry, list: overrideList(yaml, entry.managed) }));
  const text = spliced(yaml.text, edits.flatMap(splicesOf));
  const expected = (models: readonly unknown[]): readonly unknown[] => edits.reduce(withPins, models);
  const after = verifyEdit(yaml, text, expected);
  return { bytes: encodeText(text, yaml.text, bytes), content: contentOf(after) };
}

interface PinEdit {
  readonly entry: EntryPins;
  readonly list: EditedList;
}

function splicesOf({ entry, list }: PinEdit): Splice[] {
  return [...pinSplices(list, entry.pins ?? []), ...unpinSplices(list, entry.unpins ?? [])];
}

function contentOf({ models }: YamlText): unknown {
  return models.yaml11[0];
}

function withPins(models: readonly unknown[], { entry, list }: PinEdit): readonly unknown[] {
  const model = models[list.document];
  const before = valueAtPath(model, listPath(list));
  const overrides = afterwards(Array.isArray(before) ? before : [], entry);
  if (overrides.length > 0) return models.with(list.document, withValue(model, listPath(list), overrides));
  const sharding = valueAtPath(model, list.path);
  const { shardSpecOverrides, ...rest } = isJson(sharding) ? sharding : ({} as Json);
  const untouched = (entry.unpins ?? []).length === 0;
  const left = untouched && shardSpecOverrides !== undefined ? { ...rest, shardSpecOverrides } : rest;
  return models.with(list.document, withValue(model, list.path, left));
}

function afterwards(before: readonly unknown[], { pins = [], unpins = [] }: EntryPins): unknown[] {
  const images = new Map(pins.map(({ index, imageRef }) => [index, imageRef]));
  const removed = new Set(unpins);
  const kept = before.flatMap((override, index) => {
    if (!isJson(override)) return [override];
    const imageRef = images.get(index);
    if (imageRef !== undefined) return [{ ...override, imageRef }];
    if (!removed.has(index)) return [override];
    const { imageRef: _, ...rest } = override;
    return Object.keys(rest).every((key) => key === 'shard') ? [] : [rest];
  });
  const added = pins.filter(({ index }) => index === undefined);
  return [...kept, ...added.map(({ ref, imageRef }) => ({ shard: { $ref: ref }, imageRef }))];
}
