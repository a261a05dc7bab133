import type { RenderCache } from './render.ts';

/** Namespaces remembered; each has its objects in memory. */
const MAX_REMEMBERED = 200;

/** Remembers in this process: a manager whose instance did not change renders nothing. The oldest is forgotten first. */
export function memoryCache(behind?: RenderCache): RenderCache {
  const known = new Map<string, object>();
  const remember = (key: string, value: object): void => {
    known.delete(key);
    known.set(key, value);
    const [oldest] = known.keys();
    if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  };
  return {
    get: (key) => {
      const found = known.get(key) ?? behind?.get(key);
      if (typeof found === 'object' && found !== null) remember(key, found);
      return found;
    },
    set: (key, value) => {
      remember(key, value);
      behind?.set(key, value);
    },
  };
}
