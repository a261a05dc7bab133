import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/property.ts';
import { type Instant, instantOf } from '../../gates/index.ts';
import type { ClusterUuid } from '../policies/org-spec.ts';
import { EMPTY_PAST, observedPast, PAST_LIMITS, type Past, scheduledPast } from './past.ts';

const at = (hour: number): Instant => instantOf(hour * 3_600_000);
const cluster = (uuid: string, version: string) => ({ uuid: uuid as ClusterUuid, name: `n-${uuid}`, version });
const versionsOf = ({ clusters }: Past, uuid: string) =>
  clusters.get(uuid as ClusterUuid)?.versions.map(({ version, since }) => `${version}@${since / 3_600_000_000}`);

describe('the past of an organization', () => {
  it('has a change at the first pass that saw it, and nothing of a pass without one', () => {
    let past = EMPTY_PAST;
    for (const [hour, version] of ['1', '1', '2', '2', '1'].entries())
      past = observedPast(past, [cluster('a', version)], at(hour));
    expect(versionsOf(past, 'a')).toEqual(['1@0', '2@2', '1@4']);
  });

  it('keeps a cluster that is not seen for a while, and a new one of the same name is another', () => {
    let past = observedPast(EMPTY_PAST, [cluster('a', '1')], at(0));
    past = observedPast(past, [{ ...cluster('b', '2'), name: 'n-a' }], at(1));
    expect(versionsOf(past, 'a')).toEqual(['1@0']);
    past = observedPast(past, [cluster('a', '1')], at(2));
    expect(versionsOf(past, 'a')).toEqual(['1@0']);
    expect(versionsOf(past, 'b')).toEqual(['2@1']);
  });

  it('stays within its limits, and never forgets what a cluster has now', () => {
    const seen = fc.array(fc.array(fc.tuple(fc.nat(300), fc.nat(3)), { maxLength: 30 }), { maxLength: 40 });
    holds(
      fc.property(seen, (passes) => {
        let past = EMPTY_PAST;
        for (const [hour, given] of passes.entries()) {
          const now = new Map(given.map(([uuid, version]) => [String(uuid), cluster(String(uuid), String(version))]));
          past = observedPast(past, [...now.values()], at(hour));
          for (const [uuid, { version }] of now)
            expect(past.clusters.get(uuid as ClusterUuid)?.versions.at(-1)?.version).toBe(version);
          expect(past.clusters.size).toBeLessThanOrEqual(now.size + PAST_LIMITS.gone);
        }
      }),
    );
    let flapping = EMPTY_PAST;
    for (let hour = 0; hour < 100; hour += 1)
      flapping = observedPast(flapping, [cluster('a', String(hour % 2))], at(hour));
    expect(versionsOf(flapping, 'a')).toHaveLength(PAST_LIMITS.versions);
    const upgrades = Array.from({ length: 600 }, (_, hour) => ({
      ...{ uuid: 'a' as ClusterUuid, version: '2', at: at(hour), startsAt: at(hour + 1) },
    }));
    const { scheduled } = scheduledPast(flapping, upgrades);
    expect(scheduled).toHaveLength(PAST_LIMITS.scheduled);
    expect(scheduled.at(-1)).toMatchObject({ name: 'n-a', at: at(599) });
  });
});
