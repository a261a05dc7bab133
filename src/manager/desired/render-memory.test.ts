import { describe, expect, it } from 'vitest';
import type { RenderCache } from './render.ts';
import { memoryCache } from './render-memory.ts';

/** A cache that others can look into. */
function openCache(
  entries: Readonly<Record<string, object>> = {},
): RenderCache & { readonly known: Map<string, object> } {
  const known = new Map<string, object>(Object.entries(entries));
  return { known, get: (key) => known.get(key), set: (key, value) => void known.set(key, value) };
}

const fill = (cache: RenderCache, from: number, to: number): void => {
  for (let key = from; key < to; key += 1) cache.set(`k${key}`, { key });
};

describe('the memory of a process', () => {
  it('knows what it was told, the latest of it', () => {
    const cache = memoryCache();
    cache.set('a', { first: true });
    cache.set('a', { first: false });
    expect(cache.get('a')).toEqual({ first: false });
    expect(cache.get('b')).toBeUndefined();
  });

  it('keeps a copy, which holds no text that a value was cut out of', () => {
    const cache = memoryCache();
    const value = { objects: [{ kind: 'Deployment' }] };
    cache.set('a', value);
    expect(cache.get('a')).toEqual(value);
    expect((cache.get('a') as typeof value).objects[0]).not.toBe(value.objects[0]);
    expect(cache.get('a')).toBe(cache.get('a'));
  });

  it('forgets the oldest beyond two hundred', () => {
    const cache = memoryCache();
    fill(cache, 0, 201);
    expect([cache.get('k0'), cache.get('k1'), cache.get('k200')]).toEqual([undefined, { key: 1 }, { key: 200 }]);
  });

  it('keeps what is asked for before what is not', () => {
    const cache = memoryCache();
    fill(cache, 0, 200);
    cache.get('k0');
    fill(cache, 200, 201);
    expect([cache.get('k0'), cache.get('k1')]).toEqual([{ key: 0 }, undefined]);
  });
});

describe('the memory before another cache', () => {
  it('asks the other for what it does not know, once', () => {
    const behind = openCache({ a: { from: 'behind' } });
    const cache = memoryCache(behind);
    expect(cache.get('a')).toEqual({ from: 'behind' });
    behind.known.clear();
    expect(cache.get('a')).toEqual({ from: 'behind' });
  });

  it('tells the other what it is told', () => {
    const behind = openCache();
    memoryCache(behind).set('a', { x: 1 });
    expect([...behind.known]).toEqual([['a', { x: 1 }]]);
  });

  it('finds there what it has forgotten itself', () => {
    const cache = memoryCache(openCache());
    fill(cache, 0, 300);
    expect(cache.get('k0')).toEqual({ key: 0 });
  });
});
