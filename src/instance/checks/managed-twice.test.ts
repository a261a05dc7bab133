import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, integration, leanNamespace, managedIn } from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from '../domain/read-instance.ts';
import { managedTwice } from './managed-twice.ts';

const LAB = { serverUrl: 'https://api.example.com', automationToken: { path: 'p', field: 'f' } };

function check(...managed: readonly object[]) {
  const snapshot = handMadeSnapshot({
    '/ns/a.yml': leanNamespace('a'),
    '/ns/a-again.yml': leanNamespace('a'),
    '/ns/a-elsewhere.yml': leanNamespace('a', { cluster: { name: 'other', ...LAB } }),
    '/ns/a-twin.yml': leanNamespace('a', {
      cluster: { name: 'twin', ...LAB, serverUrl: 'https://API.example.com:443/' },
    }),
    '/i.yml': integration('i', { managed }),
    '/j.yml': integration('j', { managed: [managedIn('/ns/a.yml')] }),
  });
  return managedTwice(readInstance(snapshot));
}

describe('an integration', () => {
  it('in one namespace once, on two clusters of the same namespace name, beside another integration is right', () => {
    expect(check(managedIn('/ns/a.yml'), managedIn('/ns/a-elsewhere.yml'))).toEqual([]);
  });

  it.each([
    { given: 'the same file', second: '/ns/a.yml' },
    { given: 'another file for the same namespace', second: '/ns/a-again.yml' },
  ])('that is managed twice, by $given, is told at the second', ({ second }) => {
    expect(check(managedIn('/ns/a.yml'), managedIn('/ns/a-elsewhere.yml'), managedIn(second))).toEqual([
      {
        rule: 'managed-twice',
        severity: 'error',
        path: '/i.yml',
        keys: ['managed', 2, 'namespace'],
        message: 'i is managed twice in lab/a',
        hint: 'merge the two entries',
      },
    ]);
  });

  it('that is managed under two names of one API server is told at the second', () => {
    expect(check(managedIn('/ns/a-elsewhere.yml'), managedIn('/ns/a-twin.yml'))).toMatchObject([
      { keys: ['managed', 1, 'namespace'], message: 'i is managed twice in twin/a' },
    ]);
  });

  it('keeps its places in the list when an entry before is left out', () => {
    const broken = { namespace: { $ref: '/ns/a-elsewhere.yml' }, spec: {} };
    expect(check(broken, managedIn('/ns/a.yml'), managedIn('/ns/a.yml'))).toMatchObject([
      { keys: ['managed', 2, 'namespace'] },
    ]);
  });
});
