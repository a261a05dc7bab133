import type { EntryNode, KeyPath, LayoutNode, MappingNode, SequenceNode } from '../../instance/index.ts';
import { locate, refused } from '../edit/locate.ts';
import type { YamlText } from '../edit/yaml-text.ts';
import { columnOf } from './text-lines.ts';

/** The overrides of one managed entry in its file's layout. */
export interface OverrideList {
  readonly yaml: YamlText;
  readonly document: number;
  /** Of `sharding`. */
  readonly path: KeyPath;
  readonly sharding: MappingNode;
  /** The key with its list; absent if there is none yet. */
  readonly entry?: EntryNode & { readonly value: SequenceNode };
}

const KEY = 'shardSpecOverrides';

/** Rejects what cannot be changed for this entry alone: aliases, anchors in use, merge keys, duplicate keys. */
export function overrideList(yaml: YamlText, managed: KeyPath): OverrideList {
  const path = [...managed, 'sharding'];
  const { document, node: sharding } = locate(yaml, path);
  if (sharding.kind !== 'mapping') throw refused(yaml, path, { at: sharding.start, why: 'is not a mapping' });
  const isMerged = sharding.entries.some(({ key }) => key === '<<');
  const list = sharding.entries.find(({ key }) => key === KEY);
  const base = { yaml, document, path, sharding };
  if (list === undefined && !isMerged) return base;
  const { node } = locate(yaml, [...path, KEY]);
  if (list === undefined || node.kind !== 'sequence') {
    throw refused(yaml, [...path, KEY], { at: node.start, why: 'is not a list' });
  }
  return { ...base, entry: { ...list, value: node } };
}

/** One override; throws if it is not a mapping of its own. */
export function overrideAt(list: OverrideList, index: number): MappingNode {
  const path = overridePath(list, index);
  const { node } = locate(list.yaml, path);
  if (node.kind === 'mapping') return node;
  throw refused(list.yaml, path, { at: node.start, why: 'is not a mapping' });
}

export function overridePath({ path }: OverrideList, index: number): KeyPath {
  return [...path, KEY, index];
}

export function listPath({ path }: OverrideList): KeyPath {
  return [...path, KEY];
}

export function entryOf({ entries }: MappingNode, key: string): EntryNode | undefined {
  return entries.find((entry) => entry.key === key);
}

/** Whether an override contains nothing but its image. */
export function isOnlyPin({ entries }: MappingNode): boolean {
  return entries.every(({ key }) => key === 'shard' || key === 'imageRef');
}

/** The indentation of top-level lists below their keys; 0 if the text has none. */
export function listIndent(text: string, root: LayoutNode | undefined): number {
  const entries = root?.kind === 'mapping' ? root.entries : [];
  const list = entries.find(({ value }) => value.kind === 'sequence' && value.style === 'block');
  return list === undefined ? 0 : Math.max(0, columnOf(text, list.value.start) - columnOf(text, list.start));
}
