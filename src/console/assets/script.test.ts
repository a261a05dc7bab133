import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { instantOf, relativeText } from '../../gates/index.ts';
import { AGE_SCRIPT } from './script.ts';

it('the script says ages as the server does', () => {
  const inBrowser = runInNewContext(`(() => {${AGE_SCRIPT} return relativeText; })()`) as (seconds: number) => string;
  const now = Date.parse('2026-03-02T10:00:00Z');
  const edges = [0, 1, 59, 60, 119, 120, 7_199, 7_200, 172_799, 172_800].flatMap((each) => [each, -each]);
  const seconds = fc.oneof(fc.constantFrom(...edges), fc.integer({ min: -40_000_000, max: 40_000_000 }));
  holds(
    fc.property(seconds, (away) => {
      expect(inBrowser(away)).toBe(relativeText(instantOf(now + away * 1_000), instantOf(now)));
    }),
  );
});
