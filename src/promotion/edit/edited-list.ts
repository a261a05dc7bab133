import type { EntryNode, KeyPath, LayoutNode, MappingNode, SequenceNode } from '../../instance/index.ts';
import { locate, refused } from './locate.ts';
import { columnOf } from './text-lines.ts';
import type { YamlText } from './yaml-text.ts';

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
  const { document, node: parent } = locate(yaml, path);
  if (parent.kind !== 'mapping') throw refused(yaml, path, { at: parent.start, why: 'is not a mapping' });
  const isMerged = parent.entries.some((entry) => entry.key === '<<');
  const list = parent.entries.find((entry) => entry.key === key);
  const base = { yaml, document, path, parent, key };
  if (list === undefined && !isMerged) return base;
  const { node } = locate(yaml, [...path, key]);
  if (list === undefined || node.kind !== 'sequence') {
    throw refused(yaml, [...path, key], { at: node.start, why: 'is not a list' });
  }
  return { ...base, entry: { ...list, value: node } };
}

export function listPath({ path, key }: EditedList): KeyPath {
  return [...path, key];
}

/** The indentation of top-level lists below their keys; 0 if the text has none. */
export function listIndent(text: string, root: LayoutNode | undefined): number {
  const entries = root?.kind === 'mapping' ? root.entries : [];
  const list = entries.find(({ value }) => value.kind === 'sequence' && value.style === 'block');
  return list === undefined ? 0 : Math.max(0, columnOf(text, list.value.start) - columnOf(text, list.start));
}
