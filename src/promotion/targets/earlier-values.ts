import { EchelonError, isJson } from '../../base/index.ts';
import { decodeText, type KeyPath, readLines, readScalars, readVariable, readYaml } from '../../instance/index.ts';
import type { TargetLocation } from './find-targets.ts';

/**
 * The value that a location had in an earlier text of its file; undefined if it was not there then, or cannot be told. A
 * location is a file with a key: an item of a list is known by its name, a line among equal ones by what is around it.
 */
export async function earlierValue(
  location: TargetLocation,
  { now, earlier: then }: { readonly now: Uint8Array | undefined; readonly earlier: Uint8Array | undefined },
): Promise<string | undefined> {
  const { by, file } = location;
  if (now === undefined || then === undefined) return undefined;
  try {
    if (by === 'env') return readVariable(file, then, location.key).old;
    if (by === 'line') return await earlierLine(location, now, then);
    const keys = earlierKeys(location.keys, firstDocument(file, now), firstDocument(file, then));
    return keys === undefined ? undefined : readScalars(file, then, [keys])[0]?.old;
  } catch (thrown) {
    if (thrown instanceof EchelonError) return undefined;
    throw thrown;
  }
}

function firstDocument(file: string, bytes: Uint8Array): unknown {
  return readYaml(file, bytes).models.yaml11[0];
}

/** The same path in an earlier document, in which lists may have had other items. */
function earlierKeys(keys: KeyPath, now: unknown, then: unknown): KeyPath | undefined {
  const [key, ...rest] = keys;
  if (key === undefined) return [];
  const at = typeof key === 'number' && Array.isArray(now) && Array.isArray(then) ? earlierIndex(key, now, then) : key;
  const next = at === undefined ? undefined : child(then, at);
  if (at === undefined || next === undefined) return undefined;
  const below = earlierKeys(rest, child(now, key), next);
  return below === undefined ? undefined : [at, ...below];
}

function child(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  return isJson(value) ? value[String(key)] : undefined;
}

/** Fields that name an item of a list, the most telling first. */
const LABELS = ['name', '$ref', 'path', 'repo', 'url', 'image', 'id', 'key', 'namespace', 'cluster'];

/** An item is the one with the same label; without labels, the one at the same position of a list that has the same shape. */
function earlierIndex(index: number, now: readonly unknown[], then: readonly unknown[]): number | undefined {
  for (const key of LABELS) {
    const [named, earlier] = [now, then].map((items) => items.map((item) => labelOf(item, key)));
    const label = named?.[index];
    if (label === undefined || !isDistinct(named) || !isDistinct(earlier)) continue;
    const found = earlier?.indexOf(label) ?? -1;
    return found === -1 ? undefined : found;
  }
  const isSame = now.length === then.length && now.every((item, at) => shapeOf(item) === shapeOf(then[at]));
  return isSame ? index : undefined;
}

function isDistinct(labels: readonly (string | undefined)[] | undefined): boolean {
  const known = (labels ?? []).filter((label) => label !== undefined);
  return new Set(known).size === known.length;
}

function labelOf(item: unknown, key: string): string | undefined {
  const value = isJson(item) ? item[key] : undefined;
  const label = isJson(value) ? value['$ref'] : value;
  return typeof label === 'string' || typeof label === 'number' ? String(label) : undefined;
}

function shapeOf(item: unknown): string {
  return isJson(item) ? JSON.stringify(Object.keys(item).toSorted()) : typeof item;
}

type LineLocation = TargetLocation & { readonly by: 'line' };

/** Among several lines of a key, the one with the same lines around it. */
async function earlierLine(location: LineLocation, now: Uint8Array, then: Uint8Array): Promise<string | undefined> {
  const { file, key, index } = location;
  const [lines, earlier] = [readLines(file, now, key), readLines(file, then, key)];
  if (lines.length === 1 && earlier.length === 1) return earlier[0]?.old;
  const [after, before] = [maskedLines(file, now, lines), maskedLines(file, then, earlier)];
  const surroundings = lines.map(({ line }) => JSON.stringify(after.slice(Math.max(0, line - 2), line + 1)));
  const isAlike = surroundings.filter((each) => each === surroundings[index]).length > 1;
  if (lines.length !== earlier.length && isAlike) return undefined;
  const line = (await sameLines(before, after)).get(lines[index]?.line ?? 0);
  return earlier.find((found) => found.line === line)?.old;
}

/** By number, from 1, the earlier numbers of lines that both texts have. */
async function sameLines(before: string[], after: string[]): Promise<ReadonlyMap<number, number>> {
  const { diffArrays } = await import('diff');
  const same = new Map<number, number>();
  let [from, to] = [1, 1];
  for (const { added, removed, value } of diffArrays(before, after)) {
    const isSame = !added && !removed;
    for (const at of isSame ? value.keys() : []) same.set(to + at, from + at);
    from += added ? 0 : value.length;
    to += removed ? 0 : value.length;
  }
  return same;
}

/** The lines of a text without the values of a key. */
function maskedLines(file: string, bytes: Uint8Array, found: readonly { readonly line: number }[]): string[] {
  const masked = new Set(found.map(({ line }) => line));
  return decodeText(file, bytes)
    .split('\n')
    .map((text, at) => (masked.has(at + 1) ? text.replace(/:.*/, ':') : text.trimEnd()));
}
