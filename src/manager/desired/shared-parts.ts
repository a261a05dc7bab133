type Part = Readonly<Record<string, unknown>> | readonly unknown[];

/**
 * A JSON value in which equal texts and equal parts are the same: the shards of an integration differ in a few fields, and each
 * would otherwise keep all the others. Nothing of it may be changed. Linear.
 */
export function sharedParts<T>(value: T): T {
  const numbers = new Map<unknown, number>();
  const texts = new Map<string, string>();
  const parts = new Map<string, Part>();
  const numberOf = (part: unknown): number => remembered(numbers, part, numbers.size);
  const shared = (part: unknown): unknown => {
    if (typeof part === 'string') return remembered(texts, part, part);
    if (typeof part !== 'object' || part === null) return part;
    const copy = withShared(part, shared);
    return remembered(parts, keyOf(copy, numberOf), copy);
  };
  return shared(value) as T;
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): Value {
  const first = known.get(key);
  if (first !== undefined) return first;
  known.set(key, value);
  return value;
}

function withShared(part: object, shared: (part: unknown) => unknown): Part {
  if (Array.isArray(part)) return part.map(shared);
  return Object.fromEntries(Object.entries(part).map(([name, field]) => [name, shared(field)]));
}

/** The same for what is equal, if everything in it is shared already. */
function keyOf(part: Part, numberOf: (part: unknown) => number): string {
  return Array.isArray(part) ? `[${part.map(numberOf).join()}` : `{${Object.entries(part).flat().map(numberOf).join()}`;
}
