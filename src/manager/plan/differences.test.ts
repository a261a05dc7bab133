import { describe, expect, it } from 'vitest';
import { differences, toldDifference } from './differences.ts';

describe('an object that is as desired', () => {
  it.each([
    { given: 'equal', live: { a: 1, b: { c: ['x'] } }, desired: { a: 1, b: { c: ['x'] } } },
    { given: 'with fields that the server defaulted', live: { a: 1, dnsPolicy: 'ClusterFirst' }, desired: { a: 1 } },
    {
      given: 'with a container that somebody injected',
      live: { containers: [{ name: 'proxy' }, { name: 'int', image: 'a' }] },
      desired: { containers: [{ name: 'int', image: 'a' }] },
    },
    {
      given: 'with an environment variable that somebody added',
      live: {
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
      desired: { env: [{ name: 'A', value: '1' }] },
    },
    {
      given: 'with a quantity written differently',
      live: { resources: { limits: { cpu: '2', memory: '1Gi' } } },
      desired: { resources: { limits: { cpu: '2000m', memory: '1024Mi' } } },
    },
    {
      given: 'where a server dropped an empty value',
      live: { env: [{ name: 'A' }] },
      desired: { env: [{ name: 'A', value: '' }] },
    },
    { given: 'where a server dropped an empty list', live: {}, desired: { args: [] } },
    { given: 'where a server dropped an empty mapping', live: {}, desired: { labels: {} } },
    {
      given: 'with ports in another order',
      live: { ports: [{ containerPort: 2 }, { containerPort: 1 }] },
      desired: { ports: [{ containerPort: 1 }, { containerPort: 2 }] },
    },
  ])('is one $given', ({ live, desired }) => {
    expect(differences(live, desired).map(toldDifference)).toEqual([]);
  });
});

describe('an object that is not as desired', () => {
  it.each([
    {
      given: 'another image',
      live: { spec: { containers: [{ name: 'int', image: 'a:1' }] } },
      desired: { spec: { containers: [{ name: 'int', image: 'a:2' }] } },
      found: [{ path: 'spec.containers[int].image', live: 'a:1', desired: 'a:2' }],
    },
    {
      given: 'a missing environment variable',
      live: { env: [] },
      desired: { env: [{ name: 'A', value: '1' }] },
      found: [{ path: 'env[A]', desired: { name: 'A', value: '1' } }],
    },
    {
      given: 'other arguments, which are one value',
      live: { args: ['a', 'b'] },
      desired: { args: ['a'] },
      found: [{ path: 'args', live: ['a', 'b'], desired: ['a'] }],
    },
    {
      given: 'another quantity',
      live: { resources: { requests: { cpu: '2' } } },
      desired: { resources: { requests: { cpu: '20m' } } },
      found: [{ path: 'resources.requests.cpu', live: '2', desired: '20m' }],
    },
    { given: 'a number for text', live: { a: 1 }, desired: { a: '1' }, found: [{ path: 'a', live: 1, desired: '1' }] },
    {
      given: 'a list where a mapping belongs',
      live: { a: [] },
      desired: { a: { b: 1 } },
      found: [{ path: 'a', live: [], desired: { b: 1 } }],
    },
    { given: 'a missing list', live: {}, desired: { a: ['x'] }, found: [{ path: 'a', desired: ['x'] }] },
  ])('tells $given', ({ live, desired, found }) => {
    expect(differences(live, desired).map(toldDifference)).toEqual(found);
  });
});
