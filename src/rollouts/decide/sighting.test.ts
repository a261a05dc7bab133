import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { type Instant, MICROS, turnAt } from '../../gates/index.ts';
import type { ShardFacts } from '../facts.ts';
import type { ShardRecord } from '../record/record.ts';
import { type SightingRules, sighted } from './sighting.ts';

const NOW = 1_800_000_000_000_000 as Instant;
const TURN = turnAt({ checkIn: (NOW - MICROS.minute) as Instant }, NOW, 5 * MICROS.minute);
const RULES: SightingRules = {
  ...{ target: 'b', isComplete: true, soak: MICROS.hour },
  health: { maxRestarts: 3, progressDeadline: MICROS.hour, queries: [] },
};
const LIVE = { image: 'b', converged: true, ready: true, restarts: 0 };
const FACTS: ShardFacts = {
  ...{ id: 'i/s', integration: 'i', shard: 's', cluster: 'c', namespace: 'n', workload: 'Deployment' },
  ...{ disabled: false, seen: true, live: LIVE },
};
const RECORD: ShardRecord = { integration: 'i', shard: 's', image: 'b', good: 'b' };
const SHADOW = { image: 'b', baseline: 'a', result: 'compared', differences: 0, at: NOW } as never;

describe('a shard that has soaked the completed target', () => {
  it.each([
    { given: 'runs it', facts: {}, record: {} },
    { given: 'is not ready', facts: { live: { ...LIVE, ready: false } }, record: {} },
    { given: 'is held from what is declared', facts: {}, record: { held: { target: 'c', track: 't' } } },
    { given: 'was not seen', facts: { seen: false, live: undefined }, record: {} },
  ])('keeps its record when it $given', ({ facts, record }) => {
    const before = { ...RECORD, ...record };
    const sighting = sighted({ ...FACTS, ...facts } as ShardFacts, before, RULES, TURN);
    expect(sighting.record).toBe(before);
    expect(sighting.hasSoaked).toBe(false);
    expect(sighting.failure).toBeUndefined();
  });

  it.each([
    { given: 'runs another image', facts: { live: { ...LIVE, image: 'a' } }, record: {}, after: { image: 'a' } },
    { given: 'has no object', facts: { live: undefined }, record: {}, after: { image: undefined } },
    { given: 'became a sub-shard', facts: { parent: 'p' }, record: {}, after: { parent: 'p' } },
    { given: 'ran another image before', facts: {}, record: { image: 'a' }, after: { image: 'b' } },
    { given: 'has a soak left', facts: {}, record: { soak: { micros: 5, sighted: true } }, after: { soak: undefined } },
    { given: 'has a shadow left', facts: {}, record: { shadow: SHADOW }, after: { shadow: undefined } },
    { given: 'never soaked it', facts: {}, record: { good: 'a' }, after: { good: 'a', soak: expect.anything() } },
  ])('has another record when it $given', ({ facts, record, after }) => {
    const sighting = sighted({ ...FACTS, ...facts } as ShardFacts, { ...RECORD, ...record }, RULES, TURN);
    expect(sighting.record).toEqual({ ...RECORD, ...record, ...after });
  });

  it('has the record that it has while the track is under way, but for its soak', () => {
    const image = fc.constantFrom('a', 'b', undefined);
    const flags = fc.record({
      seen: fc.boolean(),
      ready: fc.boolean(),
      converged: fc.boolean(),
      image,
      last: image,
      good: image,
    });
    holds(
      fc.property(flags, ({ seen, ready, converged, image: live, last, good }) => {
        const shown = live === undefined || !seen ? {} : { live: { ...LIVE, image: live, ready, converged } };
        const { live: _, ...rest } = FACTS;
        const record = { integration: 'i', shard: 's', ...(last && { image: last }), ...(good && { good }) };
        const [over, underWay] = [true, false].map((isComplete) => {
          const rules = { ...RULES, isComplete };
          const { soak: __, ...after } = sighted(
            { ...rest, seen, ...shown } as ShardFacts,
            record as ShardRecord,
            rules,
            TURN,
          ).record;
          return after;
        });
        expect(over).toEqual(underWay);
      }),
    );
  });
});
