import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { at, cluster, organization } from '../../../test/support/upgrade-facts.ts';
import { later, MICROS, secondText } from '../../gates/index.ts';
import { freezeRow, scheduleRow } from './cluster-gates.ts';
import { contextOf } from './context.ts';
import { memberOf } from './facts.ts';
import { DEFAULT_RULES } from './rules.ts';
import { EMPTY_LEDGER } from './soak.ts';

const START = at('2026-03-02T10:00:00Z');
const SCHEDULES = [
  '* * * * *',
  '*/25 * * * *',
  '0 */3 * * *',
  '30 13 * * *',
  '0 8-15 * * 1-5',
  '0 22 * * 2,4',
  '0 8 29 2 *',
];
const minutes = (most: number) => fc.integer({ min: 0, max: most });

const freeze = fc.tuple(minutes(6_000), minutes(900)).map(([from, length]) => {
  const ends = [from, from + length + 1].map((after) => secondText(later(START, after * MICROS.minute)));
  return ends.join('/');
});
const asked = fc.record({
  schedule: fc.constantFrom(...SCHEDULES),
  freezes: fc.array(freeze, { maxLength: 3 }),
  now: minutes(6_000),
  step: fc.integer({ min: 7, max: 90 }),
});

describe.each([scheduleRow, freezeRow])('until when the gate $name stays as it is', (row) => {
  it('is not later than when it opens or closes', () => {
    holds(
      fc.property(asked, ({ schedule, freezes, now, step }) => {
        const own = cluster('c', { policy: { schedule, freezes } });
        const subject = { cluster: own, member: memberOf(own, own.policy) };
        const contextAt = (minute: number) =>
          contextOf(
            organization({ clusters: [own] }),
            EMPTY_LEDGER,
            later(START, minute * MICROS.minute),
            DEFAULT_RULES,
          );
        const until = row.steadyUntil?.(subject, contextAt(now)) ?? Number.NaN;
        expect(until).toBeGreaterThan(contextAt(now).now);
        const { ok } = row.judge(subject, contextAt(now));
        for (let minute = now; minute < now + 40 * step && contextAt(minute).now < until; minute += step)
          expect({ minute, ok: row.judge(subject, contextAt(minute)).ok }).toEqual({ minute, ok });
      }),
      { numRuns: 60 },
    );
  });
});
