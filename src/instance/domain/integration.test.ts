import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  handMadeSnapshot,
  integration,
  leanNamespace,
  managedIn,
  ref,
} from '../../../test/support/hand-made-snapshot.ts';
import { normaliseIntegration } from './integration.ts';
import { readInstance } from './read-instance.ts';

type Content = Readonly<Record<string, unknown>>;

/** The integration of a file with these fields, and what was found. */
function read(more: Content) {
  const snapshot = handMadeSnapshot({ '/ns.yml': leanNamespace('ns'), '/i.yml': integration('i', more) });
  const { integrations, findings } = readInstance(snapshot);
  return { integration: integrations[0], findings };
}

const told = ({ findings }: ReturnType<typeof read>) =>
  findings.map(({ severity, rule, keys }) => `${severity} ${rule} at ${keys.join('.')}`);

const sharded = (sharding: Content) => read({ managed: [managedIn('/ns.yml', { sharding })] });

describe('an integration', () => {
  it('without managed is one that is not managed', () => {
    const { integration: found, findings } = read({ upstream: 'https://example.com', pr_check: { cmd: 'i' } });
    expect(found).toEqual({
      file: '/i.yml',
      name: 'i',
      description: 'what i does',
      labels: {},
      upstream: 'https://example.com',
      schemas: [],
      prCheck: { cmd: 'i' },
      managed: [],
    });
    expect(findings).toEqual([]);
  });

  it.each(['managed', 'operate'])('whose %s is no list is told', (list) => {
    expect(told(read({ [list]: { namespace: ref('/ns.yml') } }))).toContain(`error wrong-type at ${list}`);
  });

  it('on a schedule with weekday 7 is told, which Kubernetes does not take', () => {
    const spec = { resources: {}, cron: '0 0 * * 1-5,7' };
    expect(told(read({ managed: [managedIn('/ns.yml', { spec })] }))).toEqual([
      'error bad-cron at managed.0.spec.cron',
    ]);
  });

  it('with a misspelt field of its own is told', () => {
    expect(told(read({ manged: [] }))).toEqual(['warning unknown-field at manged']);
  });

  it('without sharding has one static shard', () => {
    const { integration: found } = read({ managed: [managedIn('/ns.yml')] });
    expect(found?.managed).toMatchObject([
      { keys: ['managed', 0], namespace: { name: 'ns' }, sharding: { strategy: 'static', shards: 1, overrides: [] } },
    ]);
  });

  it.each([
    { given: 'a reference', shard: ref('/aws/a.yml'), selector: { by: 'ref', path: '/aws/a.yml' } },
    { given: 'a name', shard: 'a', selector: { by: 'name', name: 'a' } },
    { given: 'an id', shard: 2, selector: { by: 'id', id: 2 } },
  ])('an override by $given keeps how it named its shard', ({ shard, selector }) => {
    const { integration: found } = sharded({ strategy: 'static', shardSpecOverrides: [{ shard, imageRef: 'abc' }] });
    expect(found?.managed[0]?.sharding.overrides).toEqual([{ shard: selector, imageRef: 'abc' }]);
  });

  it('a quantity that is a number is its text', () => {
    const spec = { resources: { requests: { cpu: 1, memory: '1Gi' }, limits: { cpu: 2 } } };
    expect(read({ managed: [{ namespace: ref('/ns.yml'), spec }] }).integration?.managed[0]?.spec.resources).toEqual({
      requests: { cpu: '1', memory: '1Gi' },
      limits: { cpu: '2' },
    });
  });
});

describe('one bad entry leaves the others', () => {
  const good = managedIn('/ns.yml');
  it.each([
    { given: 'without a spec', bad: { namespace: ref('/ns.yml') }, says: 'error missing-field at managed.1.spec' },
    {
      given: 'without a namespace',
      bad: { spec: { resources: {} } },
      says: 'error missing-field at managed.1.namespace',
    },
    {
      given: 'for a namespace that does not exist',
      bad: managedIn('/no.yml'),
      says: 'error ref-dangling at managed.1.namespace.$ref',
    },
    {
      given: 'for something that is no namespace',
      bad: managedIn('/i.yml'),
      says: 'error ref-wrong-type at managed.1.namespace.$ref',
    },
    { given: 'that is text', bad: 'here', says: 'error wrong-type at managed.1' },
    { given: 'that is nothing', bad: null, says: 'error wrong-type at managed.1' },
    {
      given: 'with a bad override',
      bad: managedIn('/ns.yml', { sharding: { strategy: 'static', shardSpecOverrides: [{ shard: [] }] } }),
      says: 'error bad-value at managed.1.sharding.shardSpecOverrides.0.shard',
    },
  ])('$given', ({ bad, says }) => {
    const result = read({ managed: [good, bad, good] });
    expect(result.integration?.managed.map(({ keys }) => keys)).toEqual([
      ['managed', 0],
      ['managed', 2],
    ]);
    expect(told(result)).toEqual([says]);
  });

  it('and two mistakes of one entry are both told', () => {
    const bad = { namespace: ref('/no.yml'), spec: { resources: {}, cron: 'daily' } };
    expect(told(read({ managed: [bad] }))).toEqual([
      'error bad-cron at managed.0.spec.cron',
      'error ref-dangling at managed.0.namespace.$ref',
    ]);
  });
});

describe('a value that is not right', () => {
  const spec = (more: Content) => read({ managed: [{ namespace: ref('/ns.yml'), spec: { resources: {}, ...more } }] });
  it.each([
    {
      given: 'a quantity below zero',
      more: { resources: { limits: { cpu: '-1' } } },
      says: 'bad-quantity at managed.0.spec.resources.limits.cpu',
    },
    {
      given: 'a cpu request above its limit',
      more: { resources: { requests: { cpu: '1' }, limits: { cpu: '999m' } } },
      says: 'request-above-limit at managed.0.spec.resources.requests.cpu',
    },
    {
      given: 'the same of fluentd',
      more: { fluentdResources: { requests: { memory: '1Gi' }, limits: { memory: '1G' } } },
      says: 'request-above-limit at managed.0.spec.fluentdResources.requests.memory',
    },
    {
      given: 'an image with its repository',
      more: { imageRef: 'quay.io/a:b' },
      says: 'bad-image-ref at managed.0.spec.imageRef',
    },
    {
      given: 'half of an extraEnv pair',
      more: { extraEnv: [{ name: 'A' }] },
      says: 'bad-extra-env at managed.0.spec.extraEnv.0',
    },
    {
      given: 'an unknown restart policy',
      more: { restartPolicy: 'Sometimes' },
      says: 'bad-value at managed.0.spec.restartPolicy',
    },
    {
      given: 'a fraction of a job',
      more: { failedJobHistoryLimit: 1.5 },
      says: 'wrong-type at managed.0.spec.failedJobHistoryLimit',
    },
  ])('$given', ({ more, says }) => {
    expect(told(spec(more))).toEqual([`error ${says}`]);
  });

  it.each([
    {
      given: 'no shards',
      sharding: { strategy: 'static', shards: 0 },
      says: 'bad-shard-count at managed.0.sharding.shards',
    },
    {
      given: 'an unknown membership',
      sharding: { strategy: 'static', membership: 'crc' },
      says: 'bad-value at managed.0.sharding.membership',
    },
    {
      given: 'sub-shards of another strategy',
      sharding: {
        strategy: 'static',
        shardSpecOverrides: [{ shard: 0, subSharding: { strategy: 'per-aws-account' } }],
      },
      says: 'bad-value at managed.0.sharding.shardSpecOverrides.0.subSharding.strategy',
    },
  ])('of sharding: $given', ({ sharding, says }) => {
    expect(told(sharded(sharding))).toEqual([`error ${says}`]);
  });
});

describe('a file that declares more shards than anyone runs', () => {
  const entries = (count: number, sharding: Content) =>
    read({ managed: Array.from({ length: count }, () => managedIn('/ns.yml', { sharding })) });

  it.each([
    { given: 'shards', sharding: { strategy: 'static', shards: 1_000 } },
    {
      given: 'sub-shards',
      sharding: {
        strategy: 'static',
        shards: 1,
        shardSpecOverrides: [{ shard: 0, subSharding: { strategy: 'static', shards: 999 } }],
      },
    },
  ])('keeps the first 20,000 $given', ({ sharding }) => {
    expect(told(entries(20, sharding))).toEqual([]);
    const over = entries(22, sharding);
    expect(told(over)).toEqual(['error bad-shard-count at managed.20', 'error bad-shard-count at managed.21']);
    expect(over.integration?.managed).toHaveLength(20);
  });
});

describe('a field that is not known', () => {
  it.each([
    { given: 'of an entry', entry: managedIn('/ns.yml', { specs: {} }), at: 'managed.0.specs' },
    {
      given: 'of a spec',
      entry: { namespace: ref('/ns.yml'), spec: { resources: {}, imageref: 'a' } },
      at: 'managed.0.spec.imageref',
    },
    {
      given: 'of sharding',
      entry: managedIn('/ns.yml', { sharding: { strategy: 'static', shard: 2 } }),
      at: 'managed.0.sharding.shard',
    },
    {
      given: 'of an override',
      entry: managedIn('/ns.yml', { sharding: { strategy: 'static', shardSpecOverrides: [{ shard: 0, image: 'a' }] } }),
      at: 'managed.0.sharding.shardSpecOverrides.0.image',
    },
  ])('$given is a warning and changes nothing', ({ entry, at }) => {
    const result = read({ managed: [entry] });
    expect(told(result)).toEqual([`warning unknown-field at ${at}`]);
    expect(result.integration?.managed).toHaveLength(1);
  });
});

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
