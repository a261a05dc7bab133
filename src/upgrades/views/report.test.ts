import { describe, expect, it } from 'vitest';
import { type Instant, later, MICROS, parseInstant } from '../../gates/index.ts';
import type { ScheduledUpgrade } from '../engine/facts.ts';
import type { ClusterId } from '../policies/org-spec.ts';
import { versionStatus } from './report.ts';

const NOW = parseInstant('2024-03-08T10:00:00Z') as Instant;

function policy(version: string, hours: number): ScheduledUpgrade {
  const nextRun = later(NOW, hours * MICROS.hour);
  return { kind: 'cluster', clusterId: 'c' as ClusterId, id: 'p', version, state: 'scheduled', nextRun, ours: true };
}

describe('the status of a version', () => {
  it.each([
    { given: 'a start in the future', existing: policy('4.12.18', 1), status: { state: 'scheduled' } },
    { given: 'a start that is past', existing: policy('4.12.18', -6), status: { state: 'started' } },
    { given: 'a start long ago', existing: policy('4.12.18', -7), status: { state: 'late', hours: 7 } },
    { given: 'another target', existing: policy('4.13.2', 1), status: { state: 'ready' } },
    { given: 'no policy', existing: undefined, status: { state: 'ready' } },
  ])('with $given it is $status.state', ({ existing, status }) => {
    expect(versionStatus('4.12.18', existing, '4.12.18', NOW)).toEqual(status);
  });

  it('has none for a version that is not ready', () => {
    expect(versionStatus('4.13.2', undefined, '4.12.18', NOW)).toBeUndefined();
  });
});
