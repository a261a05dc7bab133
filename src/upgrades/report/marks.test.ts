import { describe, expect, it } from 'vitest';
import { type Instant, later, MICROS, parseInstant } from '../../gates/index.ts';
import type { ExistingPolicy } from '../engine/facts.ts';
import type { ClusterId } from '../policies/cluster-key.ts';
import { markOf } from './marks.ts';

const NOW = parseInstant('2024-03-08T10:00:00Z') as Instant;

function policy(version: string, hours: number): ExistingPolicy {
  const nextRun = later(NOW, hours * MICROS.hour);
  return { kind: 'cluster', clusterId: 'c' as ClusterId, id: 'p', version, state: 'scheduled', nextRun, ours: true };
}

describe('marks', () => {
  it.each([
    { given: 'a start in the future', existing: policy('4.12.18', 1), mark: { state: 'scheduled' } },
    { given: 'a start that is past', existing: policy('4.12.18', -6), mark: { state: 'started' } },
    { given: 'a start long ago', existing: policy('4.12.18', -7), mark: { state: 'late', hours: 7 } },
    { given: 'another target', existing: policy('4.13.2', 1), mark: { state: 'ready' } },
    { given: 'no policy', existing: undefined, mark: { state: 'ready' } },
  ])('with $given it is $mark.state', ({ existing, mark }) => {
    expect(markOf('4.12.18', existing, '4.12.18', NOW)).toEqual(mark);
  });

  it('has none for a version that is not ready', () => {
    expect(markOf('4.13.2', undefined, '4.12.18', NOW)).toBeUndefined();
  });
});
