import { danglingRef } from '../domain/reading.ts';
import type { Finding } from '../problem.ts';
import type { Datafile, Snapshot } from '../snapshot.ts';
import { refPath } from '../snapshot.ts';
import type { KeyPath } from '../yaml/source-tree.ts';

/** Every `$ref` of every datafile must lead to a datafile. */
export function danglingReferences(snapshot: Snapshot): Finding[] {
  return [...snapshot.datafiles.values()].flatMap((file) => danglingIn(snapshot, file));
}

function danglingIn(snapshot: Snapshot, file: Datafile): Finding[] {
  const findings: Finding[] = [];
  eachReference(file.content, [], (target, keys) => {
    if (snapshot.datafiles.has(target) || snapshot.unreadable.has(target)) return;
    findings.push({
      severity: 'error',
      path: file.path,
      keys: [...keys, '$ref'],
      ...danglingRef(target, snapshot.datafiles.keys()),
    });
  });
  return findings;
}

function eachReference(value: unknown, keys: KeyPath, report: (target: string, keys: KeyPath) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (typeof item === 'object') eachReference(item, [...keys, index], report);
    }
    return;
  }
  const target = refPath(value);
  if (target !== undefined) report(target, keys);
  for (const [key, child] of Object.entries(value)) {
    if (typeof child === 'object') eachReference(child, [...keys, key], report);
  }
}
