import { byText, sha256Of } from '../base/index.ts';

/**
 * The same for the same keys and values, in whatever order they came. Undefined when a value is not plain data, such as a
 * function or a cycle: then nothing can be concluded from it.
 */
export function inputsDigest(
  version: string,
  observed: ReadonlyMap<string, unknown>,
  desired: ReadonlyMap<string, unknown>,
): string | undefined {
  const text = plain([version, observed, desired], []);
  return text === undefined ? undefined : sha256Of(text);
}

const DEEPEST = 100;

/** As JSON with sorted keys; a map or set is distinguished from an object or list. */
function plain(value: unknown, above: readonly object[]): string | undefined {
  if (value === undefined) return 'undefined';
  if (typeof value === 'number' || typeof value === 'bigint') return `${typeof value}:${value}`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value !== 'object' || above.length > DEEPEST || above.includes(value)) return undefined;
  return structure(value, [...above, value]);
}

function structure(value: object, within: readonly object[]): string | undefined {
  const texts = (items: Iterable<unknown>) => [...items].map((item) => plain(item, within));
  if (value instanceof Date) return `date:${value.getTime()}`;
  if (value instanceof Map)
    return pairs(
      'map',
      [...value].map(([key, item]) => [plain(key, within), item]),
      within,
    );
  if (value instanceof Set) return list('set', texts(value).toSorted(byUnknown));
  if (Array.isArray(value)) return list('list', texts(value));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  return pairs(
    'object',
    Object.entries(value).map(([key, item]) => [JSON.stringify(key), item]),
    within,
  );
}

function pairs(
  kind: string,
  entries: readonly (readonly [string | undefined, unknown])[],
  within: readonly object[],
): string | undefined {
  const written = entries.map(([key, item]) => {
    const text = plain(item, within);
    return key === undefined || text === undefined ? undefined : `${key}=${text}`;
  });
  return list(kind, written.toSorted(byUnknown));
}

function list(kind: string, items: readonly (string | undefined)[]): string | undefined {
  return items.includes(undefined) ? undefined : `${kind}[${items.join(',')}]`;
}

function byUnknown(a: string | undefined, b: string | undefined): number {
  return byText(a ?? '', b ?? '');
}
