import { type Suggest, suggestions } from '../../base/index.ts';
import { danglingRef } from '../domain/reading.ts';
import type { Finding } from '../problem.ts';
import { type Datafile, refPath, type Snapshot } from '../snapshot.ts';

/** Every `$ref` in a datafile must point to a datafile. */
export function danglingReferences(snapshot: Snapshot): Finding[] {
  const suggest = suggestions();
  return [...snapshot.datafiles.values()].flatMap((file) => danglingIn(snapshot, file, suggest));
}

function danglingIn(snapshot: Snapshot, file: Datafile, suggest: Suggest): Finding[] {
  const findings: Finding[] = [];
  eachReference(file.content, [], (target, keys) => {
    if (snapshot.datafiles.has(target) || snapshot.unreadable.has(target)) return;
    findings.push({
      severity: 'error',
      path: file.path,
      keys: [...keys, '$ref'],
      ...danglingRef(target, snapshot.datafiles, suggest),
    });
  });
  return findings;
}

/** `keys` is one stack for the whole walk, since most references are valid: copy it to keep it. */
function eachReference(
  value: object,
  keys: (string | number)[],
  report: (target: string, keys: readonly (string | number)[]) => void,
): void {
  const target = refPath(value);
  if (target !== undefined) report(target, keys);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) descend(value[index], index, keys, report);
    return;
  }
  for (const key of Object.keys(value)) descend(value[key as keyof typeof value], key, keys, report);
}

function descend(
  child: unknown,
  key: string | number,
  keys: (string | number)[],
  report: (target: string, keys: readonly (string | number)[]) => void,
): void {
  if (typeof child !== 'object' || child === null) return;
  keys.push(key);
  eachReference(child, keys, report);
  keys.pop();
}
