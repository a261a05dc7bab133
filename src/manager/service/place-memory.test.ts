import { describe, expect, it } from 'vitest';
import { placesIn, placesText } from './place-memory.ts';

const PLACES = [
  { cluster: 'b', namespaces: ['y', 'x'] },
  { cluster: 'a', namespaces: ['z'] },
];

describe('remembered places', () => {
  it('are read as they were written, and written alike in any order', () => {
    expect(placesIn(placesText(PLACES))).toEqual([
      { cluster: 'a', namespaces: ['z'] },
      { cluster: 'b', namespaces: ['x', 'y'] },
    ]);
    expect(placesText(PLACES.toReversed())).toBe(placesText(PLACES));
  });

  it.each([undefined, '', '{', '[]', 'null', '{"a": 1}', '{"a": ["x", 2]}'])('are none in %j', (text) => {
    expect(placesIn(text)).toEqual([]);
  });
});
