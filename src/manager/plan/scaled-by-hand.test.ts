import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../desired/desired-namespace.ts';
import { objectHash } from './object-hash.ts';
import { replicasHolder } from './scaled-by-hand.ts';

type Manager = { readonly manager: string; readonly operation?: string; readonly subresource?: string };

const ELSEWHERE = { 'f:spec': { 'f:selector': {} } };
const REPLICAS = { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } };
const APPLIED = { manager: 'echelon', operation: 'Apply', fieldsV1: REPLICAS };
/** As the server leaves Echelon's entry after `kubectl scale --replicas=0`. */
const RELEASED = { manager: 'echelon', operation: 'Apply', fieldsV1: ELSEWHERE };
const KUBECTL = { manager: 'kubectl', operation: 'Update', subresource: 'scale', fieldsV1: REPLICAS };
const FORMER = { manager: 'oc', operation: 'Update', fieldsV1: ELSEWHERE };

function deployment(replicas: number | undefined, managers?: readonly Manager[]): KubeObject {
  const spec = { selector: {}, ...(replicas === undefined ? {} : { replicas }) };
  const managed = managers === undefined ? {} : { managedFields: managers };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a', ...managed }, spec };
}

/** The object with the hash of what was applied last. */
function appliedAs(object: KubeObject, applied: KubeObject): KubeObject {
  const annotations = { 'qontract.sha256sum': objectHash(applied) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

describe('the holder of replicas', () => {
  it.each([
    { given: 'scaled to 0', live: deployment(0, [RELEASED]), holder: 'scaled to 0 by hand' },
    { given: 'scaled to 0, then up', live: deployment(3, [RELEASED]), holder: 'scaled to 3 by hand' },
    { given: 'scaled to 3', live: deployment(3, [RELEASED, KUBECTL]), holder: 'kubectl' },
    { given: 'scaled to 0 before a takeover', live: deployment(0, [FORMER]), holder: 'scaled to 0 by hand' },
    { given: 'scaled to 3 before a takeover', live: deployment(3, [FORMER, KUBECTL]), holder: undefined },
    { given: 'set to 0 by Echelon', live: deployment(0, [APPLIED]), holder: undefined },
    { given: 'as desired', live: deployment(2, [RELEASED]), holder: undefined },
    { given: 'without managers', live: deployment(0), holder: undefined },
    { given: 'defaulted to 1, never applied', live: deployment(1, [RELEASED]), holder: undefined },
    {
      given: 'scaled to 0, then to 1, after the same was applied',
      live: appliedAs(deployment(1, [RELEASED]), deployment(2)),
      holder: 'scaled to 1 by hand',
    },
    {
      given: 'defaulted to 1 after something else was applied',
      live: appliedAs(deployment(1, [RELEASED]), deployment(undefined)),
      holder: undefined,
    },
  ])('of a workload $given is $holder', ({ live, holder }) => {
    expect(replicasHolder(live, deployment(2))).toBe(holder);
  });

  it('is no one where no number is desired', () => {
    expect(replicasHolder(deployment(0, [RELEASED]), deployment(undefined))).toBeUndefined();
  });
});
