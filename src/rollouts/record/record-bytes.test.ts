import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { memoryStateStore, sha256Of } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import { boundedHistory, EVENT_KINDS, type RolloutEvent } from './history.ts';
import {
  EMPTY_RECORD,
  type MoveRecord,
  type RolloutRecord,
  type ScopeRecord,
  type ShardRecord,
  scopeKey,
} from './record.ts';
import { formatRecord, parseRecord } from './record-bytes.ts';
import { rolloutRecords } from './record-store.ts';
import type { ShadowRecord } from './shadow-record.ts';

const MOST_BYTES = 512 * 1024;

const instants = fc.integer({ min: 0, max: 2 ** 50 }).map((micros) => micros as Instant);
const images = fc.integer({ min: 0, max: 30 }).map((n) => `quay.io/owner/reconcile:${n.toString(16).padStart(7, '0')}`);
const streaks = fc.record({ micros: fc.nat(2 ** 31), sighted: fc.boolean() });
const some = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

function without<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

const moves = fc
  .record({
    ...{ image: images, returnFrom: some(images), at: instants, seen: fc.boolean(), wasHealthy: fc.boolean() },
    runs: some(fc.constantFrom('Deployment app-sre-prod-01/app-interface-production', 'CronJob c/n')),
    ...{ missed: some(fc.constant(true as const)), instead: some(images) },
    ...{ altersTemplate: some(fc.constant(true as const)), steady: fc.boolean(), unready: some(streaks) },
    ...{ healthy: some(streaks), restarts: fc.nat(9), lastRestarts: fc.nat(9), wrong: fc.nat(2) },
  })
  .map((move) => without(move) as MoveRecord);

const shadows = fc
  .record({
    ...{ image: images, baseline: images, at: instants, triedAt: some(instants), differences: fc.nat(9) },
    ...{ result: fc.constantFrom('same' as const, 'different' as const, 'inconclusive' as const) },
    ...{ digest: some(fc.string()), text: some(fc.string()) },
  })
  .map((shadow) => without(shadow) as ShadowRecord);

const shards = fc
  .record({
    ...{
      integration: fc.string(),
      shard: fc.string(),
      parent: some(fc.string()),
      image: some(images),
      good: some(images),
    },
    ...{ soak: some(streaks), move: some(moves), held: some(fc.record({ target: images, track: fc.string() })) },
    shadow: some(shadows),
  })
  .map((shard) => without(shard) as ShardRecord);

const failures = fc.record({
  ...{ shard: fc.string(), image: images, at: instants, track: fc.string(), reason: fc.string() },
});
const noted = fc.record({ waves: fc.array(fc.string()), overrules: fc.array(fc.string()) });
const tracks = fc
  .record({ target: images, since: instants, isComplete: fc.boolean(), stable: some(images), noted: some(noted) })
  .map(without);
const events = fc
  .record({
    ...{ at: instants, track: fc.string(), kind: fc.constantFrom(...EVENT_KINDS), image: some(images) },
    ...{ wave: some(fc.string()), shards: fc.array(fc.string(), { maxLength: 4 }), reason: some(fc.string()) },
  })
  .map((event) => without(event) as RolloutEvent);

const scopes = fc.record({
  environment: fc.string(),
  upstream: fc.string(),
  shards: fc.array(fc.tuple(fc.string(), shards), { maxLength: 8 }).map((all) => new Map(all)),
  tracks: fc.array(fc.tuple(fc.string(), tracks), { maxLength: 3 }).map((all) => new Map(all)),
  failures: fc.array(failures, { maxLength: 3 }),
  history: fc.array(events, { maxLength: 5 }),
});

const records = fc
  .record({
    checkIn: some(instants),
    behind: some(fc.record({ at: instants, micros: fc.nat() })),
    scopes: fc.array(scopes, { maxLength: 3 }).map((all) => new Map(all.map((scope) => [scopeKey(scope), scope]))),
  })
  .map((record) => without(record) as RolloutRecord);

function idOf(at: number, seed = 1): string {
  return sha256Of(`${seed}/${at}`).slice(0, 40);
}

/** The id of one of 5,000 shards. */
function known(at: number): string {
  return `terraform-${(at % 5_000) % 60}/${idOf(at % 5_000)}`;
}

/** A record of so many shards, all under way, with names as long as they are in fleets. */
function crowded(count: number, seed: number): RolloutRecord {
  const [kinds = []] = fc.sample(
    fc.array(fc.record({ image: images, good: images, soak: streaks, move: moves, target: images }), {
      ...{ minLength: 50, maxLength: 50 },
    }),
    { seed, numRuns: 1 },
  );
  const entries = Array.from({ length: count }, (_, at): [string, ShardRecord] => {
    const { target, ...rest } = kinds[at % kinds.length]!;
    const own = { integration: `terraform-${at % 60}`, shard: idOf(at, seed) };
    const soak = { micros: Number.parseInt(own.shard.slice(0, 10), 16), sighted: true };
    return [`${own.integration}/${own.shard}`, { ...own, ...rest, soak, held: { target, track: `track-${at % 200}` } }];
  });
  const scope = { environment: 'production', upstream: 'reconcile', tracks: new Map(), failures: [], history: [] };
  return { scopes: new Map([[scopeKey(scope), { ...scope, shards: new Map(entries) }]]) };
}

describe('A5: the stored record', () => {
  it('is read as it was written, and the same bytes are written again', () => {
    holds(
      fc.property(records, (record) => {
        const bytes = formatRecord(record);
        expect(parseRecord(bytes, 'x')).toEqual(record);
        expect(Buffer.from(formatRecord(parseRecord(bytes, 'x'))).equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('of 5,000 shards fits in 512 KiB', () => {
    holds(
      fc.property(fc.integer(), (seed) => {
        const record = crowded(5_000, seed);
        expect([...record.scopes.values()][0]?.shards.size).toBe(5_000);
        expect(formatRecord(record).byteLength).toBeLessThan(MOST_BYTES);
      }),
      { numRuns: 2 },
    );
  });

  it.each([
    { given: 'moves of one shard each', event: (at: number) => ({ shards: [known(at)] }) },
    { given: 'shards that are gone', event: (at: number) => ({ shards: [`terraform-${at % 60}/${idOf(-at - 1)}`] }) },
    { given: 'reasons', event: (at: number) => ({ reason: `${idOf(at)}${idOf(-at - 1)}` }) },
    {
      given: 'moves of many shards',
      event: (at: number) => ({
        shards: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((one) => known(at * 7 + one * 501)),
      }),
    },
  ])('of 5,000 shards fits in 512 KiB with a long history of $given, in 200 tracks', ({ event }) => {
    const record = crowded(5_000, 1);
    const [[key, scope]] = [...record.scopes] as [[string, ScopeRecord]];
    const history = Array.from({ length: 20_000 }, (_, at): RolloutEvent => {
      const own = { kind: EVENT_KINDS[at % 7]!, image: `quay.io/owner/reconcile:${idOf(at >> 9).slice(0, 7)}` };
      const late = Number.parseInt(idOf(at).slice(0, 8), 16);
      return { ...own, at: (at * 1e8 + late) as Instant, track: `track-${at % 200}`, shards: [], ...event(at) };
    });
    const scopesAfter = boundedHistory(new Map([[key, { ...scope, history }]]));
    expect(scopesAfter.get(key)?.history.length).toBeGreaterThan(500);
    expect(formatRecord({ scopes: scopesAfter }).byteLength).toBeLessThan(MOST_BYTES);
  });

  it('of format 1, which had no history, is read as one with none', () => {
    const document = {
      images: ['quay.io/o/r:1'],
      scopes: [
        {
          ...{ environment: 'e', upstream: 'u', shards: [{ id: 'i/s', n: 'i', s: 's', i: 0 }], failures: [] },
          tracks: [{ name: 't', target: 0, since: 1, complete: false }],
        },
      ],
    };
    const bytes = Buffer.concat([Buffer.from('echelon-rollouts 1\n'), gzipSync(JSON.stringify(document))]);
    const record = parseRecord(bytes, 'x');
    expect([...record.scopes.values()]).toMatchObject([{ environment: 'e', history: [] }]);
    expect(Buffer.from(formatRecord(record)).toString('latin1')).toMatch(/^echelon-rollouts 3\n/);
  });

  it('of format 2, whose moves do not say whether their shards ran, is read as one in which nobody knows', () => {
    const move = { i: 0, t: 1, e: true, w: true, y: false, r: 0, l: 0, q: 0 };
    const shard = { id: 'i/s', n: 'i', s: 's', i: 0, m: move };
    const scope = { environment: 'e', upstream: 'u', shards: [shard], failures: [], tracks: [] };
    const document = { images: ['quay.io/o/r:1'], scopes: [scope] };
    const bytes = Buffer.concat([Buffer.from('echelon-rollouts 2\n'), gzipSync(JSON.stringify(document))]);
    const [read] = [...parseRecord(bytes, 'x').scopes.values()];
    expect(read?.shards.get('i/s')?.move).toEqual({
      ...{ image: 'quay.io/o/r:1', at: 1, seen: true, wasHealthy: true, steady: false },
      ...{ restarts: 0, lastRestarts: 0, wrong: 0 },
    });
  });

  it('from a newer Echelon asks for an update', () => {
    const bytes = Buffer.from('echelon-rollouts 4\nanything');
    expect(() => parseRecord(bytes, 'rollouts in configmap:echelon')).toThrow(
      expect.objectContaining({ code: 'RECORD_NEWER', hint: expect.stringContaining('update Echelon') }),
    );
  });

  it.each([
    { given: 'empty', bytes: Buffer.alloc(0) },
    { given: 'something else', bytes: Buffer.from('{"check_in":"2026-01-01T00:00:00Z"}') },
    { given: 'cut', bytes: formatRecord(crowded(3, 1)).subarray(0, 80) },
    { given: 'not compressed', bytes: Buffer.from('echelon-rollouts 1\n{}') },
  ])('that is $given is an error, not an empty record', ({ bytes }) => {
    expect(() => parseRecord(bytes, 'rollouts in configmap:echelon')).toThrow(
      expect.objectContaining({
        code: 'RECORD_CORRUPT',
        message: expect.stringContaining('rollouts in configmap:echelon'),
      }),
    );
  });

  it('with one bit changed is an error or the same record', () => {
    const record = crowded(5, 7);
    const bytes = formatRecord(record);
    for (let at = 0; at < bytes.length; at += 3) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 4;
      try {
        expect(parseRecord(changed, 'x')).toEqual(record);
      } catch (thrown) {
        expect(thrown).toHaveProperty('code', expect.stringMatching(/^RECORD_/));
      }
    }
  });
});

describe('the record in a store', () => {
  it('is new where none was found, and replaced only in the version that was read', async () => {
    const store = memoryStateStore();
    const [one, other] = [rolloutRecords(store), rolloutRecords(store)];
    expect(await one.load()).toMatchObject({ record: EMPTY_RECORD, version: 'absent' });
    const version = await one.save(crowded(1, 1), 'absent');
    expect(await other.save(crowded(2, 1), 'absent')).toBe('lost-race');
    expect(await other.load()).toMatchObject({ record: crowded(1, 1), version });
    expect(await other.save(crowded(2, 1), version)).not.toBe('lost-race');
    expect(await one.save(EMPTY_RECORD, version)).toBe('lost-race');
  });

  it('stays in memory between two passes, until another manager stores one', async () => {
    const store = memoryStateStore();
    const [one, other] = [rolloutRecords(store), rolloutRecords(store)];
    const version = await one.save(crowded(1, 1), 'absent');
    expect(version).not.toBe('lost-race');
    one.keep(crowded(2, 1), version);
    expect(await one.load()).toEqual({ record: crowded(2, 1), stored: crowded(1, 1), version });
    expect(await other.load()).toMatchObject({ record: crowded(1, 1), version });
    await other.save(crowded(3, 1), version);
    expect((await one.load()).record).toEqual(crowded(3, 1));
  });
});
