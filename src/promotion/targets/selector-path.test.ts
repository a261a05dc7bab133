import { describe, expect, it } from 'vitest';
import { parseSelectorPath, selectorPathText } from './selector-path.ts';

describe('a path', () => {
  it.each([
    { text: 'a', steps: [{ by: 'key', key: 'a' }] },
    {
      text: 'a.b[].c',
      steps: [{ by: 'key', key: 'a' }, { by: 'key', key: 'b' }, { by: 'all' }, { by: 'key', key: 'c' }],
    },
    {
      text: 'a[2]',
      steps: [
        { by: 'key', key: 'a' },
        { by: 'index', index: 2 },
      ],
    },
    {
      text: 'a[x.y=z]',
      steps: [
        { by: 'key', key: 'a' },
        { by: 'value', key: 'x.y', value: 'z' },
      ],
    },
    {
      text: 'a[url=https://github.com/o/r].ref',
      steps: [
        { by: 'key', key: 'a' },
        { by: 'value', key: 'url', value: 'https://github.com/o/r' },
        { by: 'key', key: 'ref' },
      ],
    },
    {
      text: 'a[n="x]y"]',
      steps: [
        { by: 'key', key: 'a' },
        { by: 'value', key: 'n', value: 'x]y' },
      ],
    },
  ])('$text is read and written again', ({ text, steps }) => {
    expect(parseSelectorPath(text)).toEqual(steps);
    expect(selectorPathText(parseSelectorPath(text))).toBe(text);
  });

  it.each(['', '.', 'a.', 'a..b', '.a', 'a[', 'a]', 'a[x=]y]', 'a.[0]', 'a b', 'a[=x]'])('is not %j', (text) => {
    expect(() => parseSelectorPath(text)).toThrow(/the path/);
  });
});
