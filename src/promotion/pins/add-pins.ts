import type { LayoutNode, MappingNode, SequenceNode } from '../../instance/index.ts';
import { changeOf } from '../edit/edit-yaml.ts';
import { refused } from '../edit/locate.ts';
import { type Quotes, scalarText } from '../edit/quoting.ts';
import type { Splice } from '../edit/text-file.ts';
import { entryOf, listIndent, listPath, type OverrideList, overrideAt, overridePath } from './override-list.ts';
import { columnOf, contentEnd, lineBreakOf, lineEnd, lineStart } from './text-lines.ts';

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
export function pinSplices(list: OverrideList, pins: readonly NewPin[]): Splice[] {
  const added = pins.filter(({ index }) => index === undefined);
  return [
    ...pins.flatMap((pin) => (pin.index === undefined ? [] : merged(list, pin.index, pin))),
    ...(added.length === 0 ? [] : appended(list, added)),
  ];
}

function merged(list: OverrideList, index: number, pin: NewPin): Splice[] {
  const override = overrideAt(list, index);
  return entryOf(override, 'imageRef') === undefined
    ? [insertedImage(list, index, override, pin)]
    : replacedImage(list, index, override, pin);
}

function replacedImage(list: OverrideList, index: number, override: MappingNode, pin: NewPin): Splice[] {
  const { text } = list.yaml;
  const { splice } = changeOf(list.yaml, { path: [...overridePath(list, index), 'imageRef'], value: pin.imageRef });
  if (pin.note === undefined) return [splice];
  const end = lineEnd(text, splice.end);
  if (override.style === 'flow' || override.inFlow || !/^\s*(?:#.*)?$/.test(text.slice(splice.end, end))) {
    throw noPlace(list, index, override.start);
  }
  return [splice, { start: splice.end, end, text: ` # ${pin.note}` }];
}

/** After the shard, with the indentation of its key. */
function insertedImage(list: OverrideList, index: number, override: MappingNode, pin: NewPin): Splice {
  const { text } = list.yaml;
  const shard = entryOf(override, 'shard');
  if (shard === undefined) {
    throw refused(list.yaml, overridePath(list, index), { at: override.start, why: 'has no shard' });
  }
  if (override.style === 'flow') {
    if (pin.note !== undefined) throw noPlace(list, index, override.start);
    return { start: shard.value.end, end: shard.value.end, text: `, ${flowImage(list, pin)}` };
  }
  const at = lineEnd(text, contentEnd(text, shard.value));
  const indent = ' '.repeat(columnOf(text, shard.start));
  return { start: at, end: at, text: `${lineBreakOf(text)}${indent}${imageLine(list, pin)}` };
}

function appended(list: OverrideList, pins: readonly NewPin[]): Splice[] {
  const { entry, sharding } = list;
  if (sharding.style === 'flow' || sharding.inFlow) return [appendedInFlow(list, pins)];
  if (entry === undefined) return [newList(list, pins)];
  if (entry.value.style === 'block') return [appendedInBlock(list, entry.value, pins)];
  return entry.value.items.length > 0 ? [appendedInFlow(list, pins)] : filledList(list, entry.value, entry.start, pins);
}

/** New overrides are formatted like the last one in block style. */
function appendedInBlock(list: OverrideList, sequence: SequenceNode, pins: readonly NewPin[]): Splice {
  const { text } = list.yaml;
  const dash = columnOf(text, sequence.start);
  const at = behind(text, sequence, dash);
  const last = sequence.items.findLast((item) => item.kind === 'mapping' && item.style === 'block');
  return { start: at, end: at, text: blockItems(list, dash, pins, last?.kind === 'mapping' ? last : undefined) };
}

/** Comments below the last item that are indented more than its dash belong to it. */
function behind(text: string, sequence: SequenceNode, dash: number): number {
  let at = lineEnd(text, contentEnd(text, sequence));
  for (;;) {
    const next = /^\r?\n( *)#[^\r\n]*/.exec(text.slice(at, lineEnd(text, at + 2)));
    if (next === null || (next[1] ?? '').length <= dash) return at;
    at += next[0].length;
  }
}

function newList(list: OverrideList, pins: readonly NewPin[]): Splice {
  const { text, documents } = list.yaml;
  const column = columnOf(text, list.sharding.start);
  const at = lineEnd(text, contentEnd(text, list.sharding));
  const head = `${lineBreakOf(text)}${' '.repeat(column)}shardSpecOverrides:`;
  const dash = column + listIndent(text, documents[list.document]);
  return { start: at, end: at, text: `${head}${blockItems(list, dash, pins)}` };
}

/** `[]` becomes a list in block style; what follows on the line stays. */
function filledList(list: OverrideList, sequence: SequenceNode, key: number, pins: readonly NewPin[]): Splice[] {
  const { text, documents } = list.yaml;
  if (text.slice(sequence.start, sequence.end).replaceAll(/\s/g, '') !== '[]') {
    throw refused(list.yaml, listPath(list), { at: sequence.start, why: 'is empty except for a comment' });
  }
  const dash = columnOf(text, key) + listIndent(text, documents[list.document]);
  const start = text.slice(0, sequence.start).trimEnd().length;
  const at = lineEnd(text, sequence.end);
  return [
    { start, end: sequence.end, text: '' },
    { start: at, end: at, text: blockItems(list, dash, pins) },
  ];
}

function blockItems(list: OverrideList, dash: number, pins: readonly NewPin[], model?: MappingNode): string {
  const { text } = list.yaml;
  const shape = shapeOf(text, dash, model);
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
  const usual = { key: dash + 2, ref: dash + 4 };
  const shard = model === undefined ? undefined : entryOf(model, 'shard')?.value;
  if (model === undefined || shard === undefined) return usual;
  const lead = text.slice(lineStart(text, model.start) + dash, model.start);
  const key = /^- +$/.test(lead) ? columnOf(text, model.start) : usual.key;
  if (shard.kind !== 'mapping') return { key, ref: key + 2 };
  if (shard.style === 'flow') {
    return { key, ref: key + 2, flow: /^\{\s/.test(text.slice(shard.start)) ? 'padded' : 'tight' };
  }
  const ref = columnOf(text, shard.start) - columnOf(text, model.start);
  return { key, ref: key + Math.max(1, ref) };
}

function imageLine(list: OverrideList, { imageRef, note }: NewPin): string {
  const comment = note === undefined ? '' : ` # ${note}`;
  return `imageRef: ${scalarText(imageRef, quotesOf(list), { inFlow: false, json: list.yaml.json })}${comment}`;
}

/** The quotes of the other images in the list. */
function quotesOf({ entry }: OverrideList): Quotes {
  const images = (entry?.value.items ?? []).flatMap((item) =>
    item.kind === 'mapping' ? [entryOf(item, 'imageRef')?.value] : [],
  );
  const style = images.findLast((value) => value?.kind === 'scalar');
  return style?.kind === 'scalar' && style.style !== 'block' ? style.style : 'plain';
}

function appendedInFlow(list: OverrideList, pins: readonly NewPin[]): Splice {
  const { sharding, entry, yaml } = list;
  if (pins.some(({ note }) => note !== undefined)) throw noPlace(list, undefined, sharding.start);
  const items = pins.map((pin) => flowItem(list, pin)).join(', ');
  const last = entry?.value.items.at(-1);
  if (last !== undefined) return insertion(last, `, ${items}`);
  if (entry !== undefined) return { start: entry.value.start + 1, end: entry.value.start + 1, text: items };
  const sibling = sharding.entries.at(-1)?.value;
  if (sibling === undefined) throw refused(yaml, list.path, { at: sharding.start, why: 'is empty' });
  return insertion(sibling, `, ${flowKey(list, 'shardSpecOverrides')}: [${items}]`);
}

function insertion({ end }: LayoutNode, text: string): Splice {
  return { start: end, end, text };
}

function flowItem(list: OverrideList, pin: NewPin): string {
  const ref = scalarText(pin.ref, 'plain', { inFlow: true, json: list.yaml.json });
  return `{${flowKey(list, 'shard')}: {${flowKey(list, '$ref')}: ${ref}}, ${flowImage(list, pin)}}`;
}

function flowImage(list: OverrideList, { imageRef }: NewPin): string {
  const value = scalarText(imageRef, quotesOf(list), { inFlow: true, json: list.yaml.json });
  return `${flowKey(list, 'imageRef')}: ${value}`;
}

function flowKey({ yaml }: OverrideList, key: string): string {
  return yaml.json ? JSON.stringify(key) : key;
}

function noPlace(list: OverrideList, index: number | undefined, at: number): Error {
  const path = index === undefined ? listPath(list) : overridePath(list, index);
  return refused(list.yaml, path, { at, why: 'is in flow style, which cannot hold a comment' });
}
