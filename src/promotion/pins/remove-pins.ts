import type { EntryNode, MappingNode, SequenceNode } from '../../instance/index.ts';
import {
  contentEnd,
  type EditedList,
  editRefused,
  joinRemovals,
  lineStart,
  listPath,
  type Splice,
  wholeLines,
} from '../../instance/index.ts';
import { isOnlyPin, overrideAt, overridePath } from './override-list.ts';

/**
 * The splices that remove the images of these overrides: only the image if the override contains more, else the override,
 * and with the last one the list. Comments on their own lines stay unless they are inside a removed override.
 */
export function unpinSplices(list: EditedList, indices: readonly number[]): Splice[] {
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
