import { describe, expect, it } from 'vitest';
import { editPins, type NewPin } from './edit-pins.ts';

const text = (block: string): string => block.replace(/^\n/, '');
const bytes = (source: string): Uint8Array => new TextEncoder().encode(source);
const decode = (edited: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(edited);
const ENTRY = ['managed', 0];

const pinned = (before: string, pins: readonly NewPin[], file = 'i.yml'): string =>
  decode(editPins(file, bytes(before), [{ managed: ENTRY, pins }]).bytes);
const unpinned = (before: string, ...unpins: number[]): string =>
  decode(editPins('i.yml', bytes(before), [{ managed: ENTRY, unpins }]).bytes);

const a: NewPin = { ref: '/a.yml', imageRef: 'd90b2ac' };

describe('a pin is written', () => {
  it.each([
    {
      given: 'as a new list, indented as lists of the file are',
      before: 'l:\n- 1\nmanaged:\n- sharding:\n    strategy: s # c\n  x: 1\n',
      after:
        'l:\n- 1\nmanaged:\n- sharding:\n    strategy: s # c\n    shardSpecOverrides:\n    - shard:\n        $ref: /a.yml\n      imageRef: d90b2ac\n  x: 1\n',
    },
    {
      given: 'with deeper lists, CRLF and no final line break',
      before: 'managed:\r\n  - sharding:\r\n      strategy: s',
      after:
        'managed:\r\n  - sharding:\r\n      strategy: s\r\n      shardSpecOverrides:\r\n        - shard:\r\n            $ref: /a.yml\r\n          imageRef: d90b2ac',
    },
    {
      given: 'in place of an empty list',
      before: 'managed:\n- sharding:\n    shardSpecOverrides: [ ]  # none\n    strategy: s\n',
      after:
        'managed:\n- sharding:\n    shardSpecOverrides:  # none\n    - shard:\n        $ref: /a.yml\n      imageRef: d90b2ac\n    strategy: s\n',
    },
    {
      given: 'behind the last override, in its style, below its comments',
      before:
        "managed:\n- sharding:\n    shardSpecOverrides:\n      -   shard: { $ref: /b.yml }\n          imageRef: 'x'\n          # about b\n      # about the list\n    strategy: s\n",
      after:
        "managed:\n- sharding:\n    shardSpecOverrides:\n      -   shard: { $ref: /b.yml }\n          imageRef: 'x'\n          # about b\n      -   shard: { $ref: /a.yml }\n          imageRef: 'd90b2ac'\n      # about the list\n    strategy: s\n",
    },
    {
      given: 'in a list in brackets',
      before: 'managed: [{sharding: {strategy: s, shardSpecOverrides: [{shard: {$ref: /b.yml}, disabled: true}]}}]\n',
      after:
        'managed: [{sharding: {strategy: s, shardSpecOverrides: [{shard: {$ref: /b.yml}, disabled: true}, {shard: {$ref: /a.yml}, imageRef: d90b2ac}]}}]\n',
    },
    {
      given: 'in a mapping in braces without a list',
      before: 'managed:\n- sharding: {strategy: s} # c\n',
      after:
        'managed:\n- sharding: {strategy: s, shardSpecOverrides: [{shard: {$ref: /a.yml}, imageRef: d90b2ac}]} # c\n',
    },
    {
      given: 'in an empty list in braces',
      before: 'managed:\n- sharding: {shardSpecOverrides: [], strategy: s}\n',
      after: 'managed:\n- sharding: {shardSpecOverrides: [{shard: {$ref: /a.yml}, imageRef: d90b2ac}], strategy: s}\n',
    },
  ])('$given', ({ before, after }) => {
    expect(pinned(before, [a])).toBe(after);
  });

  it('in JSON', () => {
    expect(pinned('{"managed": [{"sharding": {"strategy": "s"}}]}', [a], 'i.json')).toBe(
      '{"managed": [{"sharding": {"strategy": "s", "shardSpecOverrides": [{"shard": {"$ref": "/a.yml"}, "imageRef": "d90b2ac"}]}}]}',
    );
  });

  it('in quotes where it would be a number, with a comment', () => {
    const before = 'managed:\n- sharding:\n    strategy: s\n';
    expect(pinned(before, [{ ...a, imageRef: '1234567', note: 'until 2026-12-01: why' }])).toContain(
      "imageRef: '1234567' # until 2026-12-01: why\n",
    );
  });
});

const OVERRIDES = text(`
managed:
- sharding:
    strategy: s
    shardSpecOverrides:
    # first
    - shard:
        $ref: /a.yml # the a
      # why
      resources: {}
    - imageRef: old # stale
      shard: {$ref: /b.yml}
      disabled: true
    - shard: c
      imageRef: "old"
    # last
    - {shard: d, disabled: false}
  spec: {}
`);

describe('a pin of a shard that has an override', () => {
  it.each([
    {
      given: 'is put behind the shard',
      pin: { ...a, index: 0 },
      from: '/a.yml # the a\n',
      to: '/a.yml # the a\n      imageRef: "d90b2ac"\n',
    },
    {
      given: 'replaces the image',
      pin: { ...a, index: 1 },
      from: 'imageRef: old # stale',
      to: 'imageRef: d90b2ac # stale',
    },
    {
      given: 'replaces the comment, if there is a new one',
      pin: { ...a, index: 1, note: 'new' },
      from: 'imageRef: old # stale',
      to: 'imageRef: d90b2ac # new',
    },
    { given: 'keeps the quotes', pin: { ...a, index: 2 }, from: 'imageRef: "old"', to: 'imageRef: "d90b2ac"' },
    {
      given: 'stands in its braces',
      pin: { ...a, index: 3 },
      from: '{shard: d, ',
      to: '{shard: d, imageRef: "d90b2ac", ',
    },
  ])('$given', ({ pin, from, to }) => {
    expect(pinned(OVERRIDES, [pin])).toBe(OVERRIDES.replace(from, to));
  });

  it('that is the same already changes nothing', () => {
    const before = bytes(OVERRIDES);
    expect(editPins('i.yml', before, [{ managed: ENTRY, pins: [{ ...a, index: 2, imageRef: 'old' }] }]).bytes).toBe(
      before,
    );
  });
});

describe('an image is taken out', () => {
  it.each([
    {
      given: 'of an override that begins with it',
      index: 1,
      from: '- imageRef: old # stale\n      shard:',
      to: '- shard:',
    },
    {
      given: 'with its override, if that says nothing else',
      index: 2,
      from: '    - shard: c\n      imageRef: "old"\n',
      to: '',
    },
  ])('$given', ({ index, from, to }) => {
    expect(unpinned(OVERRIDES, index)).toBe(OVERRIDES.replace(from, to));
  });

  it.each([
    {
      given: 'the list, comments staying',
      before:
        'managed:\n- sharding:\n    strategy: s\n    shardSpecOverrides:\n    # why\n    - shard: a\n      imageRef: x\n    - shard: b\n      imageRef: y # z\n  spec: {}\n',
      after: 'managed:\n- sharding:\n    strategy: s\n    # why\n  spec: {}\n',
    },
    {
      given: 'the list at the end of a text without a final line break',
      before:
        'managed:\r\n- sharding:\r\n    strategy: s\r\n    shardSpecOverrides:\r\n    - shard: a\r\n      imageRef: x\r\n    - shard: b\r\n      imageRef: y',
      after: 'managed:\r\n- sharding:\r\n    strategy: s',
    },
    {
      given: 'a list in brackets',
      before:
        'managed:\n- sharding:\n    strategy: s\n    shardSpecOverrides: [{shard: a, imageRef: x},\n      {shard: b, imageRef: y}] # c\n',
      after: 'managed:\n- sharding:\n    strategy: s\n',
    },
    {
      given: 'a list in braces that comes first',
      before:
        'managed:\n- sharding: {shardSpecOverrides: [{shard: a, imageRef: x}, {imageRef: y, shard: b}], strategy: s}\n',
      after: 'managed:\n- sharding: {strategy: s}\n',
    },
  ])('and with the last one $given', ({ before, after }) => {
    expect(unpinned(before, 0, 1)).toBe(after);
  });

  it('from overrides in brackets, whichever they are', () => {
    const before =
      'managed: [{sharding: {strategy: s, shardSpecOverrides: [{shard: a, imageRef: x}, {shard: b, imageRef: x}, {imageRef: x, shard: c, disabled: true}]}}]\n';
    const list = (items: string): string => `managed: [{sharding: {strategy: s, shardSpecOverrides: [${items}]}}]\n`;
    expect(unpinned(before, 0)).toBe(list('{shard: b, imageRef: x}, {imageRef: x, shard: c, disabled: true}'));
    expect(unpinned(before, 1)).toBe(list('{shard: a, imageRef: x}, {imageRef: x, shard: c, disabled: true}'));
    expect(unpinned(before, 0, 1, 2)).toBe(list('{shard: c, disabled: true}'));
  });
});

describe('pins are refused, with the line, for', () => {
  it.each([
    {
      given: 'an alias',
      before: 'x: &s {strategy: s}\nmanaged:\n- sharding: *s\n',
      says: 'i.yml:3: managed[0].sharding is the alias *s',
    },
    {
      given: 'an anchor in use',
      before: 'managed:\n- sharding: &s\n    strategy: s\n- sharding: *s\n',
      says: 'is under the anchor &s',
    },
    {
      given: 'a merge key',
      before: 'x: &s {strategy: s}\nmanaged:\n- sharding:\n    <<: *s\n',
      says: 'may come from a merge key',
    },
    {
      given: 'a list that stands twice',
      before: 'managed:\n- sharding:\n    shardSpecOverrides: []\n    shardSpecOverrides: []\n',
      says: 'i.yml:4: managed[0].sharding.shardSpecOverrides is defined 2 times',
    },
    {
      given: 'a comment in an empty list',
      before: 'managed:\n- sharding:\n    shardSpecOverrides: [ # c\n      ]\n',
      says: 'is empty except for a comment',
    },
    { given: 'no sharding', before: 'managed:\n- spec: {}\n', says: 'no managed[0].sharding' },
  ])('$given', ({ before, says }) => {
    expect(() => pinned(before, [a])).toThrow(says);
  });

  it('a comment where there is no place for one', () => {
    const before = 'managed:\n- sharding: {strategy: s}\n';
    expect(() => pinned(before, [{ ...a, note: 'why' }])).toThrow('which cannot hold a comment');
  });

  it('an image that others refer to', () => {
    const before =
      'managed:\n- sharding:\n    shardSpecOverrides:\n    - shard: a\n      imageRef: &x old\n    - shard: b\n      imageRef: *x\n';
    expect(() => unpinned(before, 0)).toThrow('i.yml');
    expect(() => pinned(before, [{ ...a, index: 0 }])).toThrow('is under the anchor &x');
  });
});
