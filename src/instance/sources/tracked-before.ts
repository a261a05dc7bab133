import { hash } from 'node:crypto';
import type { Names } from './instance-names.ts';
import { areTracked } from './tracked-names.ts';
import type { TreeMemory } from './tree-before.ts';

/**
 * Whether all names are among the tracked ones. That some were among others is so for ever, whatever becomes of the files:
 * it is remembered by the hash of both.
 */
export function areTrackedAsBefore(
  names: Names | undefined,
  tracked: string,
  key: string,
  memory: Pick<TreeMemory, 'store' | 'code'> | undefined,
): boolean {
  if (names === undefined) return false;
  const fact = hash('sha256', JSON.stringify([memory?.code, names.print(), hash('sha256', tracked)]), 'buffer');
  if (memory?.store.getBytes(key)?.equals(fact) === true) return true;
  const are = areTracked(names.all(), tracked);
  if (are) memory?.store.setBytes(key, fact);
  return are;
}
