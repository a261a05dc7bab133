import { describe, expect, it } from 'vitest';
import { objectHash } from './object-hash.ts';

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'qontract-reconcile', labels: { app: 'qontract-reconcile' } },
  spec: {
    ports: [{ protocol: 'TCP', port: 80, targetPort: 9090, name: 'http' }],
    selector: { component: 'qontract-reconcile' },
  },
};
/** As existing fleets have it on this object. */
const KNOWN = '6aae5ce0ad64a1278c62df3f31b69c6f60570c53d3a90aa1cd81bc960e53a8e6';

describe('the hash of an object', () => {
  it('is the one that existing fleets write', () => {
    expect(objectHash(SERVICE)).toBe(KNOWN);
  });

  it.each([
    { given: 'status', change: { status: { loadBalancer: {} } } },
    {
      given: 'what a server adds to metadata',
      change: {
        metadata: {
          ...SERVICE.metadata,
          namespace: 'ns',
          uid: 'u',
          resourceVersion: '7',
          generation: 3,
          creationTimestamp: '2026-01-01T00:00:00Z',
          selfLink: '/x',
          managedFields: [{}],
        },
      },
    },
    {
      given: 'annotations of owners and of kubectl',
      change: {
        metadata: {
          ...SERVICE.metadata,
          annotations: {
            'qontract.integration': 'x',
            'qontract.integration_version': '1',
            'qontract.sha256sum': 'y',
            'qontract.update': 'z',
            'qontract.caller_name': 'c',
            'kubectl.kubernetes.io/last-applied-configuration': '{}',
          },
        },
      },
    },
    {
      given: 'what a server defaults in a Service',
      change: { spec: { ...SERVICE.spec, sessionAffinity: 'None' } },
    },
    {
      given: 'the order of keys',
      change: { spec: { selector: SERVICE.spec.selector, ports: SERVICE.spec.ports } },
    },
  ])('does not depend on $given', ({ change }) => {
    expect(objectHash({ ...SERVICE, ...change })).toBe(KNOWN);
  });

  it.each([
    { given: 'a label', change: { metadata: { ...SERVICE.metadata, labels: { app: 'other' } } } },
    { given: 'an annotation', change: { metadata: { ...SERVICE.metadata, annotations: { a: 'b' } } } },
    { given: 'the spec', change: { spec: { ...SERVICE.spec, sessionAffinity: 'ClientIP' } } },
  ])('depends on $given', ({ change }) => {
    expect(objectHash({ ...SERVICE, ...change })).not.toBe(KNOWN);
  });

  it('tells text beyond ASCII apart', () => {
    const named = (name: string) => objectHash({ ...SERVICE, metadata: { name } });
    expect(named('ü')).not.toBe(named('u'));
  });

  it('leaves the address out of a Service that has one of its own cluster', () => {
    const clustered = { ...SERVICE, spec: { ...SERVICE.spec, type: 'ClusterIP' } };
    expect(objectHash({ ...clustered, spec: { ...clustered.spec, clusterIP: '10.0.0.1' } })).toBe(
      objectHash(clustered),
    );
  });
});
