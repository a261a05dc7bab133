import type { RenderCache } from './render.ts';
import { sharedParts } from './shared-parts.ts';

/** Cached namespaces; each keeps its objects in memory. */
const MAX_CACHED = 200;

/** An in-process cache: while the instance is unchanged nothing is rendered. Evicts the oldest entry first. */
export function memoryCache(behind?: RenderCache): RenderCache {
  const known = new Map<string, object>();
  const remember = (key: string, value: object): void => {
    known.delete(key);
    known.set(key, value);
    const [oldest] = known.keys();
    if (known.size > MAX_CACHED && oldest !== undefined) known.delete(oldest);
  };
  return {
    get: (key) => {
      const found = known.get(key) ?? behind?.get(key);
      if (typeof found === 'object' && found !== null) remember(key, found);
      return found;
    },
    set: (key, value) => {
      remember(key, detached(value));
      behind?.set(key, value);
    },
  };
}

/** A copy: texts that a parser cut out of the output of a chart would keep all of it in memory. */
function detached(value: object): object {
  return sharedParts(JSON.parse(JSON.stringify(value)) as object);
}
