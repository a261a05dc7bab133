import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { holds } from '../../../../test/support/property.ts';
import { Timeline } from './timeline.ts';

it('gives back what is due, by time, then in the order it was added, and nothing later', () => {
  holds(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: -1, max: 10 }), (times, until) => {
      const timeline = new Timeline<number>();
      for (const [index, at] of times.entries()) timeline.add(at, index);
      const taken: (readonly [number, number])[] = [];
      for (let due = timeline.takeUntil(until); due !== undefined; due = timeline.takeUntil(until))
        taken.push([due.at, due.what]);
      const all = times.map((at, index) => [at, index] as const).sort(([a, i], [b, j]) => a - b || i - j);
      expect(taken).toEqual(all.filter(([at]) => at <= until));
      expect(timeline.next()).toBe(all.find(([at]) => at > until)?.[0]);
    }),
  );
});
