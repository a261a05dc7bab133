import { isJson, type Json } from '../../base/index.ts';
import {
  appendedItems,
  columnOf,
  contentEnd,
  type EditedList,
  type EntryNode,
  editableNode,
  editedList,
  editRefused,
  encodeText,
  flowKey,
  joinRemovals,
  type KeyPath,
  keyColumn,
  lastMapping,
  lineBreakOf,
  lineEnd,
  lineStart,
  listPath,
  type MappingNode,
  type Quotes,
  readYaml,
  type SequenceNode,
  type Splice,
  scalarChange,
  scalarText,
  spliced,
  valueAtPath,
  verifyEdit,
  wholeLines,
  withValue,
  type YamlText,
} from '../../instance/index.ts';

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

/** A shard to pin to an image. */
export interface NewPin {
  /** The index of the shard's existing override. */
  readonly index?: number;
  /** Path of the shard's datafile, for a new override. */
  readonly ref: string;
  readonly imageRef: string;
  /** Written as a comment after the image. */
  readonly note?: string;
}

/** The splices that set these images; the order of overrides and all comments stay. */
function pinSplices(list: EditedList, pins: readonly NewPin[]): Splice[] {
  const added = pins.filter(({ index }) => index === undefined);
  return [
    ...pins.flatMap((pin) => (pin.index === undefined ? [] : merged(list, pin.index, pin))),
    ...(added.length === 0 ? [] : appended(list, added)),
  ];
}

function merged(list: EditedList, index: number, pin: NewPin): Splice[] {
  const override = overrideAt(list, index);
  return entryOf(override, 'imageRef') === undefined
    ? [insertedImage(list, index, override, pin)]
    : replacedImage(list, index, override, pin);
}

function replacedImage(list: EditedList, index: number, override: MappingNode, pin: NewPin): Splice[] {
  const { text } = list.yaml;
  const { splice } = scalarChange(list.yaml, { path: [...overridePath(list, index), 'imageRef'], value: pin.imageRef });
  if (pin.note === undefined) return [splice];
  const end = lineEnd(text, splice.end);
  if (override.style === 'flow' || override.inFlow || !/^\s*(?:#.*)?$/.test(text.slice(splice.end, end))) {
    throw noPlace(list, index, override.start);
  }
  return [splice, { start: splice.end, end, text: ` # ${pin.note}` }];
}

/** After the shard, with the indentation of its key. */
function insertedImage(list: EditedList, index: number, override: MappingNode, pin: NewPin): Splice {
  const { text } = list.yaml;
  const shard = entryOf(override, 'shard');
  if (shard === undefined) {
    throw editRefused(list.yaml, overridePath(list, index), { at: override.start, why: 'has no shard' });
  }
  if (override.style === 'flow') {
    if (pin.note !== undefined) throw noPlace(list, index, override.start);
    return { start: shard.value.end, end: shard.value.end, text: `, ${flowImage(list, pin)}` };
  }
  const at = lineEnd(text, contentEnd(text, shard.value));
  const indent = ' '.repeat(columnOf(text, shard.start));
  return { start: at, end: at, text: `${lineBreakOf(text)}${indent}${imageLine(list, pin)}` };
}

function appended(list: EditedList, pins: readonly NewPin[]): Splice[] {
  return appendedItems(list, {
    block: (dash) => blockItems(list, dash, pins),
    flow: () => {
      if (pins.some(({ note }) => note !== undefined)) throw noPlace(list, undefined, list.parent.start);
      return pins.map((pin) => flowItem(list, pin)).join(', ');
    },
  });
}

/** New overrides are formatted like the last one in block style. */
function blockItems(list: EditedList, dash: number, pins: readonly NewPin[]): string {
  const { text } = list.yaml;
  const shape = shapeOf(text, dash, lastMapping(list, 'block'));
  const eol = lineBreakOf(text);
  const [lead, inner] = [' '.repeat(dash), ' '.repeat(shape.key)];
  return pins
    .flatMap((pin) => {
      const ref = scalarText(pin.ref, 'plain', { inFlow: shape.flow !== undefined, json: list.yaml.json });
      const pad = shape.flow === 'padded' ? ' ' : '';
      const shard =
        shape.flow === undefined
          ? ['shard:', `${eol}${' '.repeat(shape.ref)}$ref: ${ref}`].join('')
          : `shard: {${pad}$ref: ${ref}${pad}}`;
      return [`${eol}${lead}-${' '.repeat(shape.key - dash - 1)}${shard}`, `${eol}${inner}${imageLine(list, pin)}`];
    })
    .join('');
}

interface ItemShape {
  /** Columns of the keys of an override and of the `$ref` below its shard. */
  readonly key: number;
  readonly ref: number;
  readonly flow?: 'padded' | 'tight';
}

function shapeOf(text: string, dash: number, model: MappingNode | undefined): ItemShape {
  const shard = model === undefined ? undefined : entryOf(model, 'shard')?.value;
  if (model === undefined || shard === undefined) return { key: dash + 2, ref: dash + 4 };
  const key = keyColumn(text, dash, model);
  if (shard.kind !== 'mapping') return { key, ref: key + 2 };
  if (shard.style === 'flow') {
    return { key, ref: key + 2, flow: /^\{\s/.test(text.slice(shard.start)) ? 'padded' : 'tight' };
  }
  const ref = columnOf(text, shard.start) - columnOf(text, model.start);
  return { key, ref: key + Math.max(1, ref) };
}

function imageLine(list: EditedList, { imageRef, note }: NewPin): string {
  const comment = note === undefined ? '' : ` # ${note}`;
  return `imageRef: ${scalarText(imageRef, quotesOf(list), { inFlow: false, json: list.yaml.json })}${comment}`;
}

/** The quotes of the other images in the list. */
function quotesOf({ entry }: EditedList): Quotes {
  const images = (entry?.value.items ?? []).flatMap((item) =>
    item.kind === 'mapping' ? [entryOf(item, 'imageRef')?.value] : [],
  );
  const style = images.findLast((value) => value?.kind === 'scalar');
  return style?.kind === 'scalar' && style.style !== 'block' ? style.style : 'plain';
}

function flowItem(list: EditedList, pin: NewPin): string {
  const ref = scalarText(pin.ref, 'plain', { inFlow: true, json: list.yaml.json });
  return `{${flowKey(list, 'shard')}: {${flowKey(list, '$ref')}: ${ref}}, ${flowImage(list, pin)}}`;
}

function flowImage(list: EditedList, { imageRef }: NewPin): string {
  const value = scalarText(imageRef, quotesOf(list), { inFlow: true, json: list.yaml.json });
  return `${flowKey(list, 'imageRef')}: ${value}`;
}

function noPlace(list: EditedList, index: number | undefined, at: number): Error {
  const path = index === undefined ? listPath(list) : overridePath(list, index);
  return editRefused(list.yaml, path, { at, why: 'is in flow style, which cannot hold a comment' });
}

/**
 * The splices that remove the images of these overrides: only the image if the override contains more, else the override,
 * and with the last one the list. Comments on their own lines stay unless they are inside a removed override.
 */
function unpinSplices(list: EditedList, indices: readonly number[]): Splice[] {
  const { entry } = list;
  if (entry === undefined || indices.length === 0) return [];
  const overrides = indices.map((index) => ({ index, override: overrideAt(list, index) }));
  const whole = overrides.filter(({ override }) => isOnlyPin(override)).map(({ index }) => index);
  const images = overrides.filter(({ override }) => !isOnlyPin(override));
  const removals = [
    ...images.flatMap(({ index, override }) => withoutImage(list, index, override)),
    ...(whole.length === entry.value.items.length
      ? withoutList(list, entry)
      : withoutItems(list, entry.value, new Set(whole))),
  ];
  return joinRemovals(list.yaml.text, removals);
}

function withoutImage(list: EditedList, index: number, override: MappingNode): Splice[] {
  const at = override.entries.findIndex(({ key }) => key === 'imageRef');
  const image = override.entries[at];
  if (image === undefined) return [];
  if (override.style === 'flow') return flowRemovals(parts(override), new Set([at]));
  const { text } = list.yaml;
  const next = override.entries[at + 1];
  if (isFirstOnLine(text, image.start)) return [wholeLines(text, image.start, contentEnd(text, image.value))];
  const gap = next === undefined ? '#' : text.slice(image.value.end, next.start).replace(/^[^\r\n]*/, '');
  if (next === undefined || gap.includes('#')) {
    throw editRefused(list.yaml, overridePath(list, index), {
      at: image.start,
      why: 'starts with its image and a comment',
    });
  }
  return [{ start: image.start, end: next.start, text: '' }];
}

/** Line by line, so that comments between the overrides stay. */
function withoutList(list: EditedList, entry: EntryNode & { readonly value: SequenceNode }): Splice[] {
  const { yaml, parent } = list;
  const { text } = yaml;
  if (parent.style === 'flow') {
    const at = parent.entries.findIndex(({ key }) => key === entry.key);
    return flowRemovals(parts(parent), new Set([at]));
  }
  if (!isFirstOnLine(text, entry.start)) {
    throw editRefused(yaml, listPath(list), { at: entry.start, why: 'does not start its line' });
  }
  if (entry.value.style === 'flow') return [wholeLines(text, entry.start, entry.value.end)];
  const all = new Set(entry.value.items.keys());
  return [wholeLines(text, entry.start, entry.start), ...withoutItems(list, entry.value, all)];
}

function withoutItems(list: EditedList, sequence: SequenceNode, indices: ReadonlySet<number>): Splice[] {
  if (sequence.style === 'flow') return flowRemovals(sequence.items, indices);
  const { text } = list.yaml;
  return sequence.items.flatMap((item, index) => {
    if (!indices.has(index)) return [];
    const dash = text.lastIndexOf('-', item.start - 1);
    if (!/^-(?:\s|#.*)*(?:&\S+\s+)?$/.test(text.slice(dash, item.start)) || !isFirstOnLine(text, dash)) {
      throw editRefused(list.yaml, overridePath(list, index), { at: item.start, why: 'does not start its line' });
    }
    return [wholeLines(text, dash, contentEnd(text, item))];
  });
}

interface Part {
  readonly start: number;
  readonly end: number;
}

function parts({ entries }: MappingNode): Part[] {
  return entries.map(({ start, value }) => ({ start, end: value.end }));
}

/** Includes the comma after the item, or the one before if an earlier item stays. */
function flowRemovals(all: readonly Part[], indices: ReadonlySet<number>): Splice[] {
  let kept: Part | undefined;
  return all.flatMap((part, index) => {
    if (!indices.has(index)) {
      kept = part;
      return [];
    }
    const previous = all[index - 1];
    if (kept !== undefined && previous !== undefined) return [{ start: previous.end, end: part.end, text: '' }];
    return [{ start: part.start, end: all[index + 1]?.start ?? part.end, text: '' }];
  });
}

function isFirstOnLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}

/** The overrides of one managed entry, in the layout of its file. */
function overrideList(yaml: YamlText, managed: KeyPath): EditedList {
  return editedList(yaml, [...managed, 'sharding'], 'shardSpecOverrides');
}

/** One override; throws if it is not a mapping of its own. */
function overrideAt(list: EditedList, index: number): MappingNode {
  const path = overridePath(list, index);
  const { node } = editableNode(list.yaml, path);
  if (node.kind === 'mapping') return node;
  throw editRefused(list.yaml, path, { at: node.start, why: 'is not a mapping' });
}

function overridePath(list: EditedList, index: number): KeyPath {
  return [...listPath(list), index];
}

function entryOf({ entries }: MappingNode, key: string): EntryNode | undefined {
  return entries.find((entry) => entry.key === key);
}

/** Whether an override contains nothing but its image. */
function isOnlyPin({ entries }: MappingNode): boolean {
  return entries.every(({ key }) => key === 'shard' || key === 'imageRef');
}
