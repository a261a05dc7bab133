import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { literalAt } from './python-literal.ts';

const whole = (text: string): string | undefined => {
  const found = literalAt(text, 0);
  return found?.end === text.length ? found.text : undefined;
};

describe('a literal of Python', () => {
  it.each([
    ["['apply', 'c1', 'ns1', 'Secret', 'x']", "['apply', 'c1', 'ns1', 'Secret', 'x']"],
    ["['b', 'a']", "['b', 'a']"],
    ["['update', {'tags', 'engine'}]", "['update', {'engine', 'tags'}]"],
    ["{'b': 1, 'a': {'d', 'c'}}", "{'a': {'c', 'd'}, 'b': 1}"],
    ["['create', set(), frozenset({'b', 'a'})]", "['create', set(), frozenset({'a', 'b'})]"],
    ["[\"it's\", b'x', 12, -1.5e3, None, True, (1,), ()]", "[\"it's\", b'x', 12, -1.5e3, None, True, (1,), ()]"],
    ["[ 'a' ,\n'b',]", "['a', 'b']"],
    ['{}', '{}'],
    ["['a\\'b, [']", "['a\\'b, [']"],
  ])('%s is read as %s', (text, expected) => {
    expect(whole(text)).toBe(expected);
  });

  it.each([
    "['open'",
    "['a' 'b']",
    '[<State.UP: 1>]',
    '[__import__("os").system("id")]',
    '[a.b]',
    '[1x]',
    "['never closed]",
    "'a text alone'",
    '12',
    '[,]',
    '{1: }',
    '',
    `${'['.repeat(51)}${']'.repeat(51)}`,
  ])('is not %j', (text) => {
    expect(whole(text)).toBeUndefined();
  });

  it('reads hostile texts in linear time and without a deep stack', () => {
    const size = 200_000;
    for (const text of ['['.repeat(size), `['${'\\'.repeat(size)}`, `[${"'a',".repeat(size)}`, `{${'1:'.repeat(size)}`])
      expect(whole(text)).toBeUndefined();
  });

  it('does not depend on the order in which a set or mapping is printed, and is stable', () => {
    const words = fc.uniqueArray(fc.stringMatching(/^[a-z_]{1,8}$/), { minLength: 1, maxLength: 8 });
    holds(
      fc.property(words, fc.boolean(), (names, keyed) => {
        const text = (all: readonly string[]): string =>
          `['x', {${all.map((name) => (keyed ? `'${name}': 1` : `'${name}'`)).join(', ')}}]`;
        const read = whole(text(names));
        expect(read).toBe(whole(text(names.toReversed())));
        expect(whole(read ?? '')).toBe(read);
      }),
    );
  });
});
