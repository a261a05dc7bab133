import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { Lowest } from './lowest.ts';

const MOST = 6;

describe('the lowest of many', () => {
  it('is the first of those with the lowest rank, and known for the pass before its last change', () => {
    const move = fc.record({ place: fc.nat({ max: MOST - 1 }), rank: fc.nat({ max: 4 }) });
    holds(
      fc.property(
        fc.array(fc.nat({ max: 4 }), { minLength: MOST, maxLength: MOST }),
        fc.array(move),
        (ranks, moves) => {
          const all = ranks.map((rank, place) => ({ place, rank }));
          const first = () => all.toSorted((a, b) => a.rank - b.rank || a.place - b.place)[0]?.place;
          const lowest = new Lowest<(typeof all)[number], number>(MOST, ({ place }) => place);
          for (const one of all) lowest.changed(one, one.place, 0);
          expect(lowest.at(0)).toBe(first());
          for (const [index, { place, rank }] of moves.entries()) {
            const one = all[place];
            if (one === undefined) continue;
            const [before, rankBefore] = [first(), Math.min(...all.map((each) => each.rank))];
            one.rank = rank;
            const isMoved = lowest.changed(one, place, index + 1);
            expect([lowest.at(index), lowest.at(index + 1)]).toEqual([before, first()]);
            expect(isMoved).toBe(rankBefore !== Math.min(...all.map((each) => each.rank)));
          }
        },
      ),
    );
  });
});
