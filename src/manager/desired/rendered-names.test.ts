import { describe, expect, it } from 'vitest';
import type { KubeObject } from './desired-namespace.ts';
import { withIdentity } from './identity.ts';
import { nameFaults } from './rendered-names.ts';

const object = (kind: string, name: string, more: object = {}): KubeObject => ({
  apiVersion: 'x/v1',
  kind,
  metadata: { name, ...more },
});
const labelled = (value: unknown): KubeObject => object('Deployment', 'x', { labels: { shard: value } });
const podLabelled = (value: string): KubeObject => ({
  ...object('StatefulSet', 'x'),
  spec: { template: { metadata: { labels: { shard: value } }, spec: {} } },
});

describe('a rendered object', () => {
  it.each([
    { given: 'a name as long as it may be', one: object('CronJob', 'x'.repeat(52)), said: undefined },
    {
      given: 'a CronJob',
      one: object('CronJob', 'x'.repeat(53)),
      said: 'the name has 53 characters; the limit for a CronJob is 52',
    },
    { given: 'a StatefulSet', one: object('StatefulSet', 'x'.repeat(53)), said: 'has 53 characters' },
    { given: 'a Service', one: object('Service', 'x'.repeat(64)), said: 'the limit for a Service is 63' },
    { given: 'a Deployment', one: object('Deployment', 'x'.repeat(242)), said: undefined },
    {
      given: 'a Deployment that is longer',
      one: object('Deployment', 'x'.repeat(243)),
      said: 'the limit for a Deployment is 242',
    },
    { given: 'a capital', one: object('Deployment', 'X'), said: 'the name is not a valid DNS-1123 name' },
    { given: 'a line break', one: object('Deployment', 'x\ny'), said: 'the name is not a valid DNS-1123 name' },
    { given: 'a kind with names of its own', one: object('Role', 'system:x'), said: undefined },
    { given: 'a label as long as it may be', one: labelled('x'.repeat(63)), said: undefined },
    {
      given: 'a label that is too long',
      one: labelled('x'.repeat(64)),
      said: 'the label shard has 64 characters; the limit is 63',
    },
    { given: 'a label with a slash', one: labelled('a/b'), said: 'the value of the label shard is not valid: "a/b"' },
    { given: 'an empty label', one: labelled(''), said: undefined },
    { given: 'a label of its pods', one: podLabelled('x'.repeat(64)), said: 'the label shard has 64 characters' },
  ])('with $given: $said', ({ one, said }) => {
    expect(nameFaults([one]).map(({ message }) => message)).toEqual(
      said === undefined ? [] : [expect.stringContaining(said)],
    );
  });

  it('counts for its integration, once', () => {
    const of = (integration: string, name: string) =>
      withIdentity(object('Deployment', name), { integration, shard: '0', environment: 'e' });
    const faults = nameFaults([of('a', 'A'), of('a', 'B'), of('b', 'ok'), of('c', 'C'), object('Service', 'S')]);
    expect(faults.map(({ integration }) => integration)).toEqual(['a', 'c', undefined]);
  });
});
