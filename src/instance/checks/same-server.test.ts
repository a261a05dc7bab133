import { describe, expect, it } from 'vitest';
import { cluster, handMadeSnapshot, leanNamespace } from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from '../domain/read-instance.ts';
import { sameServer } from './same-server.ts';

const LAB = { serverUrl: 'https://API.lab.example.com:443/', automationToken: { path: 'p', field: 'f' } };
const lean = (name: string, clusterName: string) => leanNamespace(name, { cluster: { name: clusterName, ...LAB } });
const check = (files: Parameters<typeof handMadeSnapshot>[0]) => sameServer(readInstance(handMadeSnapshot(files)));

describe('two cluster names for one API server', () => {
  it('are reported in the second file, which names the first', () => {
    const findings = check({
      '/clusters/lab.yml': cluster('lab'),
      '/clusters/other.yml': cluster('other'),
      '/clusters/twin.yml': cluster('twin', { serverUrl: LAB.serverUrl }),
    });
    expect(findings).toEqual([
      {
        rule: 'same-server',
        severity: 'warning',
        path: '/clusters/twin.yml',
        keys: ['serverUrl'],
        message:
          'cluster twin has the same API server as cluster lab in data/clusters/lab.yml: https://API.lab.example.com:443/',
        hint: 'use one cluster name for it; until then the manager treats both as one cluster',
      },
    ]);
  });

  it('are reported once for a name that several namespaces contain', () => {
    const findings = check({
      '/clusters/lab.yml': cluster('lab'),
      '/ns/a.yml': lean('a', 'lean-lab'),
      '/ns/b.yml': lean('b', 'lean-lab'),
    });
    expect(findings).toMatchObject([{ path: '/ns/a.yml', keys: ['cluster', 'serverUrl'] }]);
    expect(findings[0]?.message).toContain('data/clusters/lab.yml');
  });

  it.each([
    {
      given: 'one name in a file and in a namespace',
      files: { '/clusters/lab.yml': cluster('lab'), '/ns/a.yml': lean('a', 'lab') },
    },
    {
      given: 'clusters that do not exist yet',
      files: { '/a.yml': cluster('a', { serverUrl: '' }), '/b.yml': cluster('b', { serverUrl: '' }) },
    },
  ])('are not found for $given', ({ files }) => {
    expect(check(files)).toEqual([]);
  });
});
