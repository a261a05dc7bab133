import type { MappingNode } from '../../instance/index.ts';
import {
  appendedItems,
  columnOf,
  contentEnd,
  type EditedList,
  editRefused,
  flowKey,
  keyColumn,
  lastMapping,
  lineBreakOf,
  lineEnd,
  listPath,
  type Quotes,
  type Splice,
  scalarChange,
  scalarText,
} from '../../instance/index.ts';
import { entryOf, overrideAt, overridePath } from './override-list.ts';

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
export function pinSplices(list: EditedList, pins: readonly NewPin[]): Splice[] {
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
