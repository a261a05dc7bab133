import type { EntryNode, KeyPath, MappingNode } from '../../instance/index.ts';
import {
  type EditedList,
  editableNode,
  editedList,
  editRefused,
  listPath,
  type YamlText,
} from '../../instance/index.ts';

/** The overrides of one managed entry, in the layout of its file. */
export function overrideList(yaml: YamlText, managed: KeyPath): EditedList {
  return editedList(yaml, [...managed, 'sharding'], 'shardSpecOverrides');
}

/** One override; throws if it is not a mapping of its own. */
export function overrideAt(list: EditedList, index: number): MappingNode {
  const path = overridePath(list, index);
  const { node } = editableNode(list.yaml, path);
  if (node.kind === 'mapping') return node;
  throw editRefused(list.yaml, path, { at: node.start, why: 'is not a mapping' });
}

export function overridePath(list: EditedList, index: number): KeyPath {
  return [...listPath(list), index];
}

export function entryOf({ entries }: MappingNode, key: string): EntryNode | undefined {
  return entries.find((entry) => entry.key === key);
}

/** Whether an override contains nothing but its image. */
export function isOnlyPin({ entries }: MappingNode): boolean {
  return entries.every(({ key }) => key === 'shard' || key === 'imageRef');
}
