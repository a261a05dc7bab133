import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseIntegration } from './integration-spellings.ts';

const NAMESPACE = { $ref: '/namespace.yml' };
const OVERRIDES = [{ shard: 'a', disabled: true }];
const OTHERS = [{ shard: 'b' }];

interface Row {
  readonly given: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly becomes: Readonly<Record<string, unknown>>;
  /** Path in the entry, and what the hint says to write. */
  readonly told: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    given: 'spec.shards',
    entry: { spec: { state: true, shards: 3 } },
    becomes: { spec: { state: true }, sharding: { strategy: 'static', shards: 3 } },
    told: ['spec.shards: use sharding.shards beside spec'],
  },
  {
    given: 'spec.shardingStrategy',
    entry: { spec: { shardingStrategy: 'per-aws-account' } },
    becomes: { spec: {}, sharding: { strategy: 'per-aws-account' } },
    told: ['spec.shardingStrategy: use sharding.strategy beside spec'],
  },
  {
    given: 'spec.shards and spec.shardingStrategy',
    entry: { spec: { shards: 2, shardingStrategy: 'static' } },
    becomes: { spec: {}, sharding: { strategy: 'static', shards: 2 } },
    told: ['spec.shards: use sharding.shards beside spec', 'spec.shardingStrategy: use sharding.strategy beside spec'],
  },
  {
    given: 'shardSpecOverride beside spec',
    entry: { spec: {}, shardSpecOverride: OVERRIDES },
    becomes: { spec: {}, sharding: { strategy: 'static', shardSpecOverrides: OVERRIDES } },
    told: ['shardSpecOverride: use sharding.shardSpecOverrides'],
  },
  {
    given: 'shardSpecOverrides beside spec',
    entry: { spec: {}, shardSpecOverrides: OVERRIDES },
    becomes: { spec: {}, sharding: { strategy: 'static', shardSpecOverrides: OVERRIDES } },
    told: ['shardSpecOverrides: use sharding.shardSpecOverrides'],
  },
  {
    given: 'spec.shardingStrategy with shardSpecOverride',
    entry: { spec: { shardingStrategy: 'per-aws-account', cron: '0 8 * * *' }, shardSpecOverride: OVERRIDES },
    becomes: {
      spec: { cron: '0 8 * * *' },
      sharding: { strategy: 'per-aws-account', shardSpecOverrides: OVERRIDES },
    },
    told: [
      'shardSpecOverride: use sharding.shardSpecOverrides',
      'spec.shardingStrategy: use sharding.strategy beside spec',
    ],
  },
  {
    given: 'sharding inside spec',
    entry: { spec: { state: true, sharding: { strategy: 'static', shards: 2, shardSpecOverrides: OVERRIDES } } },
    becomes: { spec: { state: true }, sharding: { strategy: 'static', shards: 2, shardSpecOverrides: OVERRIDES } },
    told: ['spec.sharding: use sharding beside spec'],
  },
  {
    given: 'sharding inside spec without a strategy',
    entry: { spec: { sharding: { shards: 2 } } },
    becomes: { spec: {}, sharding: { strategy: 'static', shards: 2 } },
    told: ['spec.sharding: use sharding beside spec'],
  },
  {
    given: 'spec.shards with sharding beside spec, which wins',
    entry: { spec: { shards: 9 }, sharding: { strategy: 'static', shards: 2 } },
    becomes: { spec: {}, sharding: { strategy: 'static', shards: 2 } },
    told: ['spec.shards: use sharding.shards beside spec'],
  },
  {
    given: 'spec.shardingStrategy with sharding beside spec, which wins',
    entry: { spec: { shardingStrategy: 'per-aws-account' }, sharding: { strategy: 'per-openshift-cluster' } },
    becomes: { spec: {}, sharding: { strategy: 'per-openshift-cluster' } },
    told: ['spec.shardingStrategy: use sharding.strategy beside spec'],
  },
  {
    given: 'shardSpecOverride with overrides in sharding, which win',
    entry: { spec: {}, shardSpecOverride: OTHERS, sharding: { strategy: 'static', shardSpecOverrides: OVERRIDES } },
    becomes: { spec: {}, sharding: { strategy: 'static', shardSpecOverrides: OVERRIDES } },
    told: ['shardSpecOverride: use sharding.shardSpecOverrides'],
  },
  {
    given: 'shardSpecOverride with sharding that has none',
    entry: { spec: {}, shardSpecOverride: OVERRIDES, sharding: { strategy: 'per-aws-account' } },
    becomes: { spec: {}, sharding: { strategy: 'per-aws-account', shardSpecOverrides: OVERRIDES } },
    told: ['shardSpecOverride: use sharding.shardSpecOverrides'],
  },
  {
    given: 'sharding inside and beside spec, field by field',
    entry: {
      spec: { sharding: { strategy: 'per-aws-account', shards: 9, membership: 'md5' } },
      sharding: { strategy: 'static', shards: 2 },
    },
    becomes: { spec: {}, sharding: { strategy: 'static', shards: 2, membership: 'md5' } },
    told: ['spec.sharding: use sharding beside spec'],
  },
  {
    given: 'every spelling at once, the newest first',
    entry: {
      namespace: NAMESPACE,
      spec: { shards: 9, shardingStrategy: 'a', sharding: { strategy: 'b', shards: 8 } },
      shardSpecOverride: OVERRIDES,
      shardSpecOverrides: OTHERS,
      sharding: { strategy: 'c' },
    },
    becomes: { namespace: NAMESPACE, spec: {}, sharding: { strategy: 'c', shards: 8, shardSpecOverrides: OVERRIDES } },
    told: [
      'shardSpecOverride: use sharding.shardSpecOverrides',
      'shardSpecOverrides: use sharding.shardSpecOverrides',
      'spec.shards: use sharding.shards beside spec',
      'spec.shardingStrategy: use sharding.strategy beside spec',
      'spec.sharding: use sharding beside spec',
    ],
  },
  {
    given: 'an old spelling with a sharding that is no mapping, which stays to be refused',
    entry: { spec: { shards: 2 }, sharding: 'per-aws-account' },
    becomes: { spec: {}, sharding: 'per-aws-account' },
    told: ['spec.shards: use sharding.shards beside spec'],
  },
  {
    given: 'sharding inside spec that is no mapping, which stays to be refused',
    entry: { spec: { sharding: 'per-aws-account' } },
    becomes: { spec: {}, sharding: 'per-aws-account' },
    told: ['spec.sharding: use sharding beside spec'],
  },
  {
    given: 'values that do not fit, which stay to be refused',
    entry: { spec: { shards: 'three', shardingStrategy: 7 } },
    becomes: { spec: {}, sharding: { strategy: 7, shards: 'three' } },
    told: ['spec.shards: use sharding.shards beside spec', 'spec.shardingStrategy: use sharding.strategy beside spec'],
  },
];

describe.each(['managed', 'operate'])('an older spelling below %s', (list) => {
  it.each(ROWS)('$given', ({ entry, becomes, told }) => {
    const { content, deprecations } = normaliseIntegration({ name: 'x', [list]: [{ spec: {} }, entry] });
    expect(content).toEqual({ name: 'x', managed: [{ spec: {} }, becomes] });
    const inEntry = deprecations.filter(({ keys }) => keys.length > 1);
    expect(inEntry.map(({ keys, hint }) => `${keys.slice(2).join('.')}: ${hint}`)).toEqual(told);
    expect(inEntry.every(({ keys }) => keys[0] === list && keys[1] === 1)).toBe(true);
  });
});

describe('operate', () => {
  const OPERATE = {
    rule: 'old-spelling',
    severity: 'warning',
    keys: ['operate'],
    at: 'key',
    message: 'operate is deprecated',
    hint: 'use managed',
  };

  it('is managed', () => {
    const entries = [{ namespace: NAMESPACE, spec: { state: true } }];
    expect(normaliseIntegration({ name: 'x', operate: entries })).toEqual({
      content: { name: 'x', managed: entries },
      deprecations: [OPERATE],
    });
  });

  it('beside managed is left out', () => {
    const { content, deprecations } = normaliseIntegration({
      managed: [{ spec: { a: 1 } }],
      operate: [{ spec: { shards: 2 } }],
    });
    expect(content).toEqual({ managed: [{ spec: { a: 1 } }] });
    expect(deprecations).toEqual([OPERATE]);
  });

  it('beside a managed that is empty is left out', () => {
    expect(normaliseIntegration({ managed: [], operate: [{ spec: {} }] }).content).toEqual({ managed: [] });
  });

  it.each([{ operate: {} }, { operate: 'x' }, { operate: null }])('that is no list is told: $operate', (content) => {
    expect(normaliseIntegration(content).deprecations).toEqual([OPERATE]);
  });
});

describe('a content without older spellings', () => {
  it.each([
    { given: 'no managed', content: { name: 'x' } },
    { given: 'an empty managed', content: { managed: [] } },
    {
      given: "today's form",
      content: { managed: [{ spec: { state: true }, sharding: { strategy: 'static', shards: 2 } }] },
    },
    { given: 'an entry without spec', content: { managed: [{ shardSpecOverride: OVERRIDES }] } },
    { given: 'a spec that is no mapping', content: { managed: [{ spec: null }, { spec: 'x' }, { spec: [] }] } },
    { given: 'entries that are no mappings', content: { managed: [null, 'x', 7, []] } },
    { given: 'a managed that is no list', content: { managed: { spec: { shards: 2 } } } },
    { given: 'old names elsewhere', content: { shards: 2, shardSpecOverride: [], spec: { shards: 1 }, managed: [] } },
  ])('is returned equal, with $given', ({ content }) => {
    expect(normaliseIntegration(content)).toEqual({ content, deprecations: [] });
  });

  it('is returned equal, whatever it is', () => {
    const old = /"(?:operate|shards|shardingStrategy|shardSpecOverrides?|sharding)"/;
    const entry = fc.record({ namespace: fc.jsonValue(), spec: fc.dictionary(fc.string(), fc.jsonValue()) });
    const content = fc.record({ name: fc.string(), managed: fc.array(fc.oneof(entry, fc.jsonValue())) });
    fc.assert(
      fc.property(
        content.filter((value) => !old.test(JSON.stringify(value))),
        (value) => {
          expect(normaliseIntegration(value)).toEqual({ content: value, deprecations: [] });
        },
      ),
    );
  });

  it('is what is left after normalising, and nothing that was given is changed', () => {
    const field = fc.constantFrom(
      'shards',
      'shardingStrategy',
      'sharding',
      'shardSpecOverride',
      'shardSpecOverrides',
      'x',
    );
    const value = fc.oneof(fc.integer(), fc.string(), fc.dictionary(field, fc.integer()), fc.constant(null));
    const entry = fc
      .tuple(fc.dictionary(field, value), fc.dictionary(field, value))
      .map(([outer, spec]) => ({ ...outer, spec }));
    fc.assert(
      fc.property(fc.constantFrom('managed', 'operate'), fc.array(entry), (list, entries) => {
        const given = { [list]: entries };
        const before = structuredClone(given);
        const once = normaliseIntegration(given).content;
        expect(given).toEqual(before);
        expect(normaliseIntegration(once)).toEqual({ content: once, deprecations: [] });
      }),
    );
  });
});
