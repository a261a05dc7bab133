import type { LayoutNode, MappingNode, SequenceNode } from '../../instance/index.ts';
import { type EditedList, listIndent, listPath } from './edited-list.ts';
import { refused } from './locate.ts';
import type { Splice } from './text-file.ts';
import { columnOf, contentEnd, lineBreakOf, lineEnd, lineStart } from './text-lines.ts';

/** New items as they are written. */
export interface NewItems {
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
    throw refused(list.yaml, listPath(list), { at: sequence.start, why: 'is empty except for a comment' });
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
  if (sibling === undefined) throw refused(yaml, list.path, { at: parent.start, why: 'is empty' });
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
