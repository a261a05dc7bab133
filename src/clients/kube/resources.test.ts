import { describe, expect, it } from 'vitest';
import { pathOf, resourceOf } from './resources.ts';

describe('the path of', () => {
  it.each([
    { what: 'a list', kind: 'Deployment', where: ['ns'], path: '/apis/apps/v1/namespaces/ns/deployments' },
    { what: 'an object', kind: 'CronJob', where: ['ns', 'a'], path: '/apis/batch/v1/namespaces/ns/cronjobs/a' },
    { what: 'a kind of the core', kind: 'Service', where: ['ns', 'a'], path: '/api/v1/namespaces/ns/services/a' },
    { what: 'all namespaces', kind: 'StatefulSet', where: [], path: '/apis/apps/v1/statefulsets' },
    {
      what: 'a lease',
      kind: 'Lease',
      where: ['ns', 'a'],
      path: '/apis/coordination.k8s.io/v1/namespaces/ns/leases/a',
    },
    {
      what: 'a name that is none of a path',
      kind: 'Pod',
      where: ['n/s', 'a?b=c#d%2e'],
      path: '/api/v1/namespaces/n%2Fs/pods/a%3Fb%3Dc%23d%252e',
    },
  ])('$what', ({ kind, where, path }) => {
    const [namespace, name] = where;
    expect(pathOf(resourceOf(kind), namespace, name)).toBe(path);
  });

  // The path of no name is that of the whole list, and deleting that deletes everything in it.
  it.each([
    { namespace: 'ns', name: '' },
    { namespace: 'ns', name: '.' },
    { namespace: 'ns', name: '..' },
    { namespace: '', name: 'a' },
    { namespace: '..', name: 'a' },
    { namespace: '', name: undefined },
  ])('the object "$name" in "$namespace" is refused', ({ namespace, name }) => {
    expect(() => pathOf(resourceOf('Deployment'), namespace, name)).toThrow('is not the name of an object');
  });
});

it('a kind that the client has no use for is a fault of its caller', () => {
  expect(() => resourceOf('Secret')).toThrow('the client does not know the kind Secret');
});
