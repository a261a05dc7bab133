import { danglingRef } from '../domain/reading.ts';
import type { Finding } from '../problem.ts';
import type { Datafile, Snapshot } from '../snapshot.ts';
import { refPath } from '../snapshot.ts';

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

/** `keys` is one stack for the whole walk, since most of what is walked is right: copy it to keep it. */
function eachReference(
  value: object,
  keys: (string | number)[],
  report: (target: string, keys: readonly (string | number)[]) => void,
): void {
  const target = refPath(value);
  if (target !== undefined) report(target, keys);
  const isList = Array.isArray(value);
  for (const key in value) {
    const child: unknown = value[key as keyof typeof value];
    if (typeof child !== 'object' || child === null) continue;
    keys.push(isList ? Number(key) : key);
    eachReference(child, keys, report);
    keys.pop();
  }
}
