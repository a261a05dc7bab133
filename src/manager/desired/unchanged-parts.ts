import type { Json } from '../../base/index.ts';

/** The list with every item replaced; the same list where nothing is, since most of a large template stays as it is. */
export function replacedItems(items: readonly unknown[], replaced: (item: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let at = 0; at < items.length; at += 1) {
    const item = replaced(items[at]);
    if (item === items[at]) continue;
    copy ??= [...items];
    copy[at] = item;
  }
  return copy ?? items;
}

/** The fields with every value replaced; the same object where none is. */
export function replacedFields(fields: Json, replaced: (value: unknown, key: string) => unknown): Json {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(fields)) {
    const value = replaced(fields[key], key);
    if (value === fields[key]) continue;
    copy ??= { ...fields };
    copy[key] = value;
  }
  return copy ?? fields;
}
