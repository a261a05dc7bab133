import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { SoakMeter } from './soak-meter.ts';

const PER_PASS = 10;

/** Clusters that join and leave in a pass. */
const change = fc.record({ join: fc.integer({ min: 0, max: 3 }), leave: fc.integer({ min: 0, max: 3 }) });

describe('a meter of soak', () => {
  it('has the sum of all passes, and remembers the pass before its last change', () => {
    holds(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const meter = new SoakMeter(5, 0, PER_PASS);
        let [micros, earning, before] = [5, 0, 5];
        for (const [index, { join, leave }] of changes.entries()) {
          const pass = index + 1;
          const leaving = Math.min(leave, earning);
          before = micros;
          earning -= leaving;
          micros += earning * PER_PASS;
          earning += join;
          if (leaving > 0) meter.leave(pass, { earning: leaving, present: leaving });
          if (join > 0) meter.join(pass, { earning: join, present: join, credited: 0 });
          expect([meter.microsAt(pass - 1), meter.microsAt(pass), meter.earningAt(pass)]).toEqual([
            before,
            micros,
            earning,
          ]);
        }
        const last = changes.length;
        expect(meter.microsAt(last + 7)).toBe(micros + 7 * earning * PER_PASS);
      }),
    );
  });
});
