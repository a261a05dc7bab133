import type { KeyPath } from '../problem.ts';
import type { EntryNode, LayoutNode, MappingNode, SequenceNode } from '../yaml/layout.ts';
import { columnOf, contentEnd, lineBreakOf, lineEnd, lineStart, type Splice } from './text-edits.ts';
import { editableNode, editRefused, type YamlText } from './yaml-document.ts';

/** A list of a mapping in its file's layout. */
export interface EditedList {
  readonly yaml: YamlText;
  readonly document: number;
  /** Of the mapping that has the list. */
  readonly path: KeyPath;
  readonly parent: MappingNode;
  readonly key: string;
  /** The key with its list; absent if there is none yet. */
  readonly entry?: EntryNode & { readonly value: SequenceNode };
}

/** Rejects what cannot be changed for this mapping alone: aliases, anchors in use, merge keys, duplicate keys. */
export function editedList(yaml: YamlText, path: KeyPath, key: string): EditedList {
  const { document, node: parent } = editableNode(yaml, path);
  if (parent.kind !== 'mapping') throw editRefused(yaml, path, { at: parent.start, why: 'is not a mapping' });
  const isMerged = parent.entries.some((entry) => entry.key === '<<');
  const list = parent.entries.find((entry) => entry.key === key);
  const base = { yaml, document, path, parent, key };
  if (list === undefined && !isMerged) return base;
  const { node } = editableNode(yaml, [...path, key]);
  if (list === undefined || node.kind !== 'sequence') {
    throw editRefused(yaml, [...path, key], { at: node.start, why: 'is not a list' });
  }
  return { ...base, entry: { ...list, value: node } };
}

export function listPath({ path, key }: EditedList): KeyPath {
  return [...path, key];
}

/** The indentation of top-level lists below their keys; 0 if the text has none. */
function listIndent(text: string, root: LayoutNode | undefined): number {
  const entries = root?.kind === 'mapping' ? root.entries : [];
  const list = entries.find(({ value }) => value.kind === 'sequence' && value.style === 'block');
  return list === undefined ? 0 : Math.max(0, columnOf(text, list.value.start) - columnOf(text, list.start));
}

/** New items as they are written. */
interface NewItems {
  /** Items in block style, each with a line break before it; `dash` is the column of their dashes. */
  readonly block: (dash: number) => string;
  /** Items in flow style, separated by commas. */
  readonly flow: () => string;
}

/** The splices that append items to a list, which is added if there is none; order and comments stay. */
export function appendedItems(list: EditedList, items: NewItems): Splice[] {
  const { entry, parent } = list;
  if (parent.style === 'flow' || parent.inFlow) return [appendedInFlow(list, items)];
  if (entry === undefined) return [newList(list, items)];
  if (entry.value.style === 'block') return [appendedInBlock(list, entry.value, items)];
  return entry.value.items.length > 0
    ? [appendedInFlow(list, items)]
    : filledList(list, entry.value, entry.start, items);
}

function appendedInBlock({ yaml: { text } }: EditedList, sequence: SequenceNode, { block }: NewItems): Splice {
  const dash = columnOf(text, sequence.start);
  return insertion(behind(text, sequence, dash), block(dash));
}

/** Comments below a node that are indented more than its column belong to it. */
function behind(text: string, node: LayoutNode, column: number): number {
  let at = lineEnd(text, contentEnd(text, node));
  for (;;) {
    const next = /^\r?\n( *)#[^\r\n]*/.exec(text.slice(at, lineEnd(text, at + 2)));
    if (next === null || (next[1] ?? '').length <= column) return at;
    at += next[0].length;
  }
}

function newList({ yaml: { text, documents }, document, parent, key }: EditedList, { block }: NewItems): Splice {
  const column = columnOf(text, parent.start);
  const head = `${lineBreakOf(text)}${' '.repeat(column)}${key}:`;
  return insertion(behind(text, parent, column), `${head}${block(column + listIndent(text, documents[document]))}`);
}

/** `[]` becomes a list in block style; what follows on the line stays. */
function filledList(list: EditedList, sequence: SequenceNode, key: number, { block }: NewItems): Splice[] {
  const { text, documents } = list.yaml;
  if (text.slice(sequence.start, sequence.end).replaceAll(/\s/g, '') !== '[]') {
    throw editRefused(list.yaml, listPath(list), { at: sequence.start, why: 'is empty except for a comment' });
  }
  const dash = columnOf(text, key) + listIndent(text, documents[list.document]);
  const start = text.slice(0, sequence.start).trimEnd().length;
  return [{ start, end: sequence.end, text: '' }, insertion(lineEnd(text, sequence.end), block(dash))];
}

function appendedInFlow(list: EditedList, { flow }: NewItems): Splice {
  const { parent, entry, yaml, key } = list;
  const items = flow();
  const last = entry?.value.items.at(-1);
  if (last !== undefined) return insertion(last.end, `, ${items}`);
  if (entry !== undefined) return insertion(entry.value.start + 1, items);
  const sibling = parent.entries.at(-1)?.value;
  if (sibling === undefined) throw editRefused(yaml, list.path, { at: parent.start, why: 'is empty' });
  return insertion(sibling.end, `, ${flowKey(list, key)}: [${items}]`);
}

function insertion(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

export function flowKey({ yaml }: EditedList, key: string): string {
  return yaml.json ? JSON.stringify(key) : key;
}

/** The last item that is a mapping, of one style or any: new ones are formatted like it. */
export function lastMapping({ entry }: EditedList, style?: MappingNode['style']): MappingNode | undefined {
  const items = entry?.value.items ?? [];
  return items.findLast(
    (item): item is MappingNode => item.kind === 'mapping' && (style === undefined || item.style === style),
  );
}

/** The column of the keys of an item in block style. */
export function keyColumn(text: string, dash: number, model: MappingNode | undefined): number {
  if (model === undefined) return dash + 2;
  const lead = text.slice(lineStart(text, model.start) + dash, model.start);
  return /^- +$/.test(lead) ? columnOf(text, model.start) : dash + 2;
}
