import { describe, expect, it } from 'vitest';
import { observedObject } from './observed-status.ts';

const counts = { observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 1 };
const object = (status?: object) => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } },
  ...(status === undefined ? {} : { status }),
});

describe('what an observation keeps of an object', () => {
  it.each([
    { of: 'a workload that is up', status: { ...counts, conditions: [{ type: 'Available' }] }, kept: object(counts) },
    { of: 'one without pods', status: { observedGeneration: 1 }, kept: object({ observedGeneration: 1 }) },
    { of: 'a CronJob', status: { lastScheduleTime: '2026-01-01T00:00:00Z' }, kept: object() },
    { of: 'an object without a status', status: undefined, kept: object() },
  ])('of $of', ({ status, kept }) => {
    expect(observedObject(object(status))).toEqual(kept);
  });
});
