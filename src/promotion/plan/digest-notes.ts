import { isJson } from '../../base/index.ts';
import { type KeyPath, locateFindings, type Snapshot } from '../../instance/index.ts';
import type { Note } from '../ports.ts';
import { valueAtKeys } from '../targets/find-targets.ts';

interface Hit {
  readonly path: string;
  readonly keys: KeyPath;
  readonly rule: 'stale-digest' | 'empty-digest';
  readonly message: string;
  readonly hint: string;
}

/** Tags that change without their digest, and images that would be `repository:tag@`, in the changed files. */
export function digestNotes(before: Snapshot, after: Snapshot, files: readonly string[]): Note[] {
  const hits = files.flatMap((file) => {
    const path = file.replace(/^data/, '');
    return fileHits(path, before.datafiles.get(path)?.content, after.datafiles.get(path)?.content);
  });
  const problems = locateFindings(
    after,
    hits.map(({ rule, path, keys, message, hint }) => ({
      rule,
      severity: 'warning' as const,
      path,
      keys,
      message,
      hint,
    })),
  );
  return hits.map(({ rule, message, hint }, index) => {
    const { file, line } = problems[index] ?? {};
    return {
      rule,
      message,
      hint,
      ...(file === undefined ? {} : { at: line === undefined ? file : `${file}:${line}` }),
    };
  });
}

function fileHits(path: string, before: unknown, after: unknown): Hit[] {
  const hits: Hit[] = [];
  visit(after, [], (mapping, keys) => {
    const was = valueAtKeys(before, keys);
    for (const key of Object.keys(mapping)) hits.push(...keyHits({ path, keys, mapping, was }, key));
  });
  return hits;
}

interface Mapping {
  readonly path: string;
  readonly keys: KeyPath;
  readonly mapping: Readonly<Record<string, unknown>>;
  readonly was: unknown;
}

function keyHits({ path, keys, mapping, was }: Mapping, key: string): Hit[] {
  const value = mapping[key];
  if (typeof value === 'string' && /^[\w.-]+(?:[/:][\w.-]+)+@$/.test(value))
    return [empty(path, [...keys, key], value)];
  const digestKey = key.replace(/TAG$/, 'DIGEST').replace(/tag$/, 'digest');
  const digest = digestKey === key ? undefined : mapping[digestKey];
  if (digest === '' && typeof value === 'string') return [empty(path, [...keys, digestKey], value)];
  if (digest === undefined || !isJson(was)) return [];
  return was[key] !== value && was[digestKey] === digest ? [stale(path, [...keys, digestKey], key)] : [];
}

function stale(path: string, keys: KeyPath, tag: string): Hit {
  return {
    path,
    keys,
    rule: 'stale-digest',
    message: `${tag} changes but ${String(keys.at(-1))} next to it does not: the old image would keep running behind the new tag`,
    hint: `add digest: ${String(keys.at(-1))} to the target in promotion.yml, and pass --check-image`,
  };
}

function empty(path: string, keys: KeyPath, value: string): Hit {
  return {
    path,
    keys,
    rule: 'empty-digest',
    message: `${String(keys.at(-1))} is empty: the image would be ${value.endsWith('@') ? value : `…:${value}@`}, which is not a valid reference`,
    hint: 'set the digest, or remove the key',
  };
}

function visit(
  value: unknown,
  keys: KeyPath,
  see: (mapping: Readonly<Record<string, unknown>>, keys: KeyPath) => void,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(item, [...keys, index], see);
  } else if (isJson(value)) {
    see(value, keys);
    for (const [key, item] of Object.entries(value)) visit(item, [...keys, key], see);
  }
}
