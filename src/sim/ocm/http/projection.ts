import { isJson, type Json } from '../../../base/index.ts';

/** Keeps the named fields of every item of a page, and its id: `a`, `a.b`, `a.*`. */
export function projected(page: unknown, fields: string | null): unknown {
  if (fields === null || fields.trim() === '' || !isJson(page) || !Array.isArray(page['items'])) return page;
  const paths = ['id', ...fields.split(',').map((field) => field.trim())].map((field) => field.split('.'));
  return { ...page, items: page['items'].map((item: unknown) => (isJson(item) ? pick(item, paths) : item)) };
}

function pick(item: Json, paths: readonly (readonly string[])[]): Json {
  const kept: Record<string, unknown> = {};
  for (const [name = '', ...rest] of paths) {
    const value = item[name];
    if (value === undefined) continue;
    const part = rest.length === 0 || rest[0] === '*' || !isJson(value) ? value : pick(value, [rest]);
    kept[name] = isJson(part) && isJson(kept[name]) ? { ...(kept[name] as Json), ...part } : part;
  }
  return kept;
}
