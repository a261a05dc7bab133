/** Stands for what is no longer there. */
export const GONE = null;

/** Paths with their new values. */
export type Changes = Readonly<Record<string, unknown>>;

/**
 * What makes `after` of `before`, as small as it can be told. Items of a list go by their name where all have one; those
 * that stay must stay in order.
 */
export function changes(before: unknown, after: unknown, path = ''): Changes {
  if (JSON.stringify(before) === JSON.stringify(after)) return {};
  const [old, now] = [partsOf(before), partsOf(after)];
  if (old === undefined || now === undefined) return { [path]: after };
  const found = [...new Set([...old.keys(), ...now.keys()])].map((key) => {
    const at = Array.isArray(before) ? `${path}[${key}]` : [path, key].filter((part) => part !== '').join('.');
    if (!now.has(key)) return { [at]: GONE };
    return old.has(key) ? changes(old.get(key), now.get(key), at) : { [at]: now.get(key) };
  });
  return Object.assign({}, ...found, Array.isArray(before) ? orderChange(old, now, path) : {});
}

type Parts = ReadonlyMap<string, unknown>;
type Item = { readonly name?: unknown } | null;

/** The parts of a mapping or of a list of named items; undefined for anything else. */
function partsOf(node: unknown): Parts | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  if (!Array.isArray(node)) return new Map(Object.entries(node));
  const names = node.map((item: Item) => item?.name);
  const named = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return named ? new Map(node.map(({ name, ...rest }: { name: string }) => [name, rest])) : undefined;
}

function orderChange(old: Parts, now: Parts, path: string): Changes {
  const stayed = [...old.keys()].filter((key) => now.has(key));
  const order = [...now.keys()].filter((key) => old.has(key));
  return order.join('\n') === stayed.join('\n') ? {} : { [`${path} in another order`]: order };
}
