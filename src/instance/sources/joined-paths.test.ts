import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { everyPath, joinPaths, splitPaths } from './joined-paths.ts';

const NAME = fc.string({ minLength: 1, unit: fc.constantFrom('a', 'b', '.', ' ', '\n', 'ü', '😀') });
const PATHS = fc.array(fc.array(NAME, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join('/')}`));

describe('joined paths', () => {
  it('are the same when they are apart again, whatever is in their names', () => {
    holds(
      fc.property(PATHS, (paths) => {
        expect(splitPaths(joinPaths(paths))).toEqual(paths);
      }),
    );
  });

  it('are looked at in their order up to the first that is refused', () => {
    const seen: unknown[] = [];
    const all = everyPath(joinPaths(['/a', '/b/c', '/d']), (path, index) => {
      seen.push([index, path]);
      return path !== '/b/c';
    });
    expect({ all, seen }).toEqual({
      all: false,
      seen: [
        [0, '/a'],
        [1, '/b/c'],
      ],
    });
  });
});
