import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { packedSeries, unpackedSeries } from './packed-series.ts';

const text = fc.constantFrom('', '1', 'a', 'b', '__proto__');
const series = fc.uniqueArray(fc.constantFrom('org_id', 'cluster_uuid', 'version', 'gate')).chain((names) =>
  fc.array(
    fc.record({
      labels: fc
        .tuple(...names.map(() => text))
        .map((values) => Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))),
      value: fc.oneof(fc.integer(), fc.double({ noNaN: true })),
    }),
  ),
);

it('what is unpacked is what was packed, for any series', () => {
  holds(
    fc.property(series, (given) => {
      expect([...unpackedSeries(packedSeries(given))]).toEqual(given);
    }),
  );
});

it('labels that all have in common are kept once', () => {
  const given = ['a', 'b'].map((uuid) => ({ labels: { ocm_env: 'e', cluster_uuid: uuid, gate: 'soak' }, value: 1 }));
  expect(packedSeries(given)).toEqual({
    common: { ocm_env: 'e', gate: 'soak' },
    names: ['cluster_uuid'],
    cells: ['a', 1, 'b', 1],
  });
});
