import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { account, handMadeSnapshot, leanNamespace } from '../../../test/support/hand-made-snapshot.ts';
import { holds } from '../../../test/support/property.ts';
import { type Instance, readInstance } from '../../instance/index.ts';
import { expandShards, type Shard } from '../../sharding/index.ts';
import { type PinSubject, planPin, planUnpin } from './plan-pins.ts';
import { integrationOf } from './select-shards.ts';

const ACCOUNTS = ['app', 'app-stage', 'pay', 'pay-ci', 'ünï-😀'];
const FILE = '/integrations/mine.yml';
const fileOf = (name: string): string => `/aws/${name}/account.yml`;

const override = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  says: fc.constantFrom(
    'disabled: true',
    'resources: {}',
    'subSharding: {strategy: static, shards: 2}',
    'imageRef: &i old',
  ),
  style: fc.constantFrom('block', 'flow', 'reversed', 'flow-shard'),
});

/** How the file of an integration looks; its `managed` has two entries, of which the second is edited. */
const looks = fc.record({
  eol: fc.constantFrom('\n', '\r\n'),
  bom: fc.boolean(),
  marker: fc.boolean(),
  finalBreak: fc.boolean(),
  indent: fc.constantFrom(0, 2, 3),
  gap: fc.constantFrom(1, 3),
  last: fc.constantFrom('sharding', 'spec'),
  comments: fc.boolean(),
  flow: fc.boolean(),
  overrides: fc.uniqueArray(override, { selector: ({ account: name }) => name, maxLength: 3 }),
});

type Looks = typeof looks extends fc.Arbitrary<infer T> ? T : never;

function textOf(look: Looks): string {
  const comment = look.comments ? ' # 🐙 c: d' : '';
  const dash = `${' '.repeat(look.indent)}-${' '.repeat(look.gap)}`;
  const keys = ' '.repeat(dash.length);
  const spec = [`${keys}spec: {resources: {}}${comment}`];
  const sharding = look.flow
    ? [`${keys}sharding: ${flowSharding(look)}${comment}`]
    : blockSharding(look, keys, comment);
  const lines = [
    ...(look.marker ? ['---'] : []),
    '$schema: /app-sre/integration-1.yml',
    `name: mine${comment}`,
    'description: "é 🦊"',
    'schemas: []',
    'capabilities: [--account-name, SHARDS]',
    'managed:',
    `${dash}namespace: {$ref: /stage.yml}`,
    `${keys}spec: {resources: {}}`,
    `${keys}sharding: {strategy: per-aws-account}`,
    ...(look.comments ? [`${keys}# between`, ''] : []),
    `${dash}namespace: {$ref: /prod.yml}`,
    ...(look.last === 'spec' ? [...sharding, ...spec] : [...spec, ...sharding]),
    ...(look.comments ? ['# the end'] : []),
  ];
  return `${look.bom ? '\ufeff' : ''}${lines.join(look.eol)}${look.finalBreak ? look.eol : ''}`;
}

function flowSharding({ overrides }: Looks): string {
  const items = overrides.map(({ account: name, says }) => `{shard: {$ref: '${fileOf(name)}'}, ${says}}`);
  return `{strategy: per-aws-account${items.length === 0 ? '' : `, shardSpecOverrides: [${items.join(', ')}]`}}`;
}

function blockSharding({ overrides, indent, gap }: Looks, keys: string, comment: string): string[] {
  const inner = `${keys}  `;
  const dash = `${inner}${' '.repeat(indent)}-${' '.repeat(gap)}`;
  const below = ' '.repeat(dash.length);
  const items = overrides.flatMap(({ account: name, says, style }) => {
    const ref = `$ref: "${fileOf(name)}"`;
    if (style === 'flow') return [`${dash}{shard: {${ref}}, ${says}}${comment}`];
    if (style === 'flow-shard') return [`${dash}shard: { ${ref} }${comment}`, `${below}${says}${comment}`];
    if (style === 'reversed') return [`${dash}${says}`, `${below}shard:`, `${below}   ${ref}`];
    return [`${dash}shard:`, `${below}  ${ref}${comment}`, `${below}${says}`];
  });
  const list = items.length === 0 ? [] : [`${inner}shardSpecOverrides:${comment}`, ...items];
  return [`${keys}sharding:`, `${inner}strategy: per-aws-account${comment}`, ...list];
}

function instanceOf(text: string): Instance {
  const instance = readInstance(
    handMadeSnapshot({
      '/stage.yml': leanNamespace('stage', { environment: { name: 'stage' } }),
      '/prod.yml': leanNamespace('prod', { environment: { name: 'prod' } }),
      ...Object.fromEntries(ACCOUNTS.map((name) => [fileOf(name), account(name)])),
      [FILE]: text,
    }),
  );
  expect(instance.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return instance;
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

function subjectOf(text: string, shards: readonly string[]): PinSubject {
  const instance = instanceOf(text);
  const integration = integrationOf(instance, 'mine');
  return {
    instance,
    integration,
    bytes: new TextEncoder().encode(text),
    entries: { environments: ['prod'] },
    shards: { shards },
  };
}

/** By environment and name. */
function shardsOf(text: string): Map<string, Shard> {
  const instance = instanceOf(text);
  const integration = integrationOf(instance, 'mine');
  return new Map(
    integration.managed.flatMap((entry) => {
      const { shards, findings } = expandShards(instance, integration, entry);
      expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
      return shards.map((shard) => [`${entry.namespace.environment.name}/${shard.name}`, shard] as const);
    }),
  );
}

const image = fc.constantFrom(
  'd90b2ac',
  '1234567',
  '0123456',
  '12345e7',
  'true',
  '1_000',
  '0x1f',
  'v1.2.3',
  'null',
  '1.5',
);

it('a pin changes its shards and no other, twice is once, and taking it out gives the bytes back', () => {
  const run = fc.property(looks, image, fc.subarray(ACCOUNTS, { minLength: 1 }), (look, imageRef, picked) => {
    const before = textOf(look);
    const pinned = look.overrides.filter(({ says }) => says.startsWith('imageRef')).map(({ account: name }) => name);
    const shards = picked.filter((name) => !pinned.includes(name));
    fc.pre(shards.length > 0);
    const after = decode(planPin(subjectOf(before, shards), imageRef, {}).after);
    expect(after).not.toBe(before);

    const [old, now] = [shardsOf(before), shardsOf(after)];
    expect([...now.keys()]).toEqual([...old.keys()]);
    for (const [key, shard] of now) {
      const { override: _, settings, ...rest } = shard;
      const { override: _old, settings: was, ...same } = old.get(key) as Shard;
      const isPinned = key.startsWith('prod/') && shards.includes(shard.key);
      expect(rest).toEqual(same);
      expect(settings).toEqual(isPinned ? { ...was, imageRef, imageFrom: 'override' } : was);
      if (!isPinned) expect(shard).toEqual(old.get(key));
    }

    const again = subjectOf(after, shards);
    expect(planPin(again, imageRef, {}).after).toBe(again.bytes);
    expect(planPin(again, undefined, {}).after).toBe(again.bytes);
    expect(decode(planUnpin(again).after)).toBe(before);
  });
  holds(run, { numRuns: 200 });
});

it('a pin replaces the one before it to the byte, and its comment with its reason', () => {
  const run = fc.property(
    looks,
    image,
    image,
    fc.subarray(ACCOUNTS, { minLength: 1 }),
    (look, first, second, shards) => {
      const source = textOf({ ...look, overrides: [], flow: false });
      const note = { reason: 'it is 🐙 # so', until: '2026-12-01' };
      const direct = planPin(subjectOf(source, shards), second, note);
      const other = decode(planPin(subjectOf(source, shards), first, { reason: 'another' }).after);
      const replaced = planPin(subjectOf(other, shards), second, note);
      expect(shardsOf(decode(replaced.after))).toEqual(shardsOf(decode(direct.after)));
      expect(decode(replaced.after).replaceAll(/imageRef: '?([\w.]+)'?/g, '$1')).toBe(
        decode(direct.after).replaceAll(/imageRef: '?([\w.]+)'?/g, '$1'),
      );
      expect(decode(planUnpin(subjectOf(decode(replaced.after), shards)).after)).toBe(source);
    },
  );
  holds(run);
});
