import type { EntryNode, KeyPath, LayoutNode, MappingNode, SequenceNode } from '../../instance/index.ts';
import { locate, refused } from '../edit/locate.ts';
import type { YamlText } from '../edit/yaml-text.ts';
import { columnOf } from './text-lines.ts';

/** The overrides of one managed entry, as its file has them. */
export interface OverrideList {
  readonly yaml: YamlText;
  readonly document: number;
  /** Of `sharding`. */
  readonly path: KeyPath;
  readonly sharding: MappingNode;
  /** The key with its list; absent where there is none yet. */
  readonly entry?: EntryNode & { readonly value: SequenceNode };
}

const KEY = 'shardSpecOverrides';

/** Refuses what cannot be changed for this entry alone: aliases, anchors in use, merge keys, keys that stand twice. */
export function overrideList(yaml: YamlText, managed: KeyPath): OverrideList {
  const path = [...managed, 'sharding'];
  const { document, node: sharding } = locate(yaml, path);
  if (sharding.kind !== 'mapping') throw refused(yaml, path, { at: sharding.start, why: 'is no mapping' });
  const isMerged = sharding.entries.some(({ key }) => key === '<<');
  const list = sharding.entries.find(({ key }) => key === KEY);
  const base = { yaml, document, path, sharding };
  if (list === undefined && !isMerged) return base;
  const { node } = locate(yaml, [...path, KEY]);
  if (list === undefined || node.kind !== 'sequence') {
    throw refused(yaml, [...path, KEY], { at: node.start, why: 'is no list' });
  }
  return { ...base, entry: { ...list, value: node } };
}

/** One override, refused where it is no mapping of its own. */
export function overrideAt(list: OverrideList, index: number): MappingNode {
  const path = overridePath(list, index);
  const { node } = locate(list.yaml, path);
  if (node.kind === 'mapping') return node;
  throw refused(list.yaml, path, { at: node.start, why: 'is no mapping' });
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

/** Keys of an override that is there for its image alone. */
export function isOnlyPin({ entries }: MappingNode): boolean {
  return entries.every(({ key }) => key === 'shard' || key === 'imageRef');
}

/** By how much the lists at the top of a text are indented below their keys; 0 where there is none to look at. */
export function listIndent(text: string, root: LayoutNode | undefined): number {
  const entries = root?.kind === 'mapping' ? root.entries : [];
  const list = entries.find(({ value }) => value.kind === 'sequence' && value.style === 'block');
  return list === undefined ? 0 : Math.max(0, columnOf(text, list.value.start) - columnOf(text, list.start));
}
