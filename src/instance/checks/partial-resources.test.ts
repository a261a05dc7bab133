import { describe, expect, it } from 'vitest';
import { handMadeSnapshot, integration, leanNamespace, managedIn } from '../../../test/support/hand-made-snapshot.ts';
import { readInstance } from '../domain/read-instance.ts';
import { partialResources } from './partial-resources.ts';

const LIMITS = { limits: { memory: '1Gi' } };
const REQUESTS = { requests: { cpu: '1', memory: '1Gi' } };
const BOTH = { ...LIMITS, ...REQUESTS };

function found(entry: Readonly<Record<string, unknown>>): string[] {
  const file = integration('i', { managed: [managedIn('/ns.yml', entry)] });
  const instance = readInstance(handMadeSnapshot({ '/ns.yml': leanNamespace('ns'), '/i.yml': file }));
  return partialResources(instance).map(({ severity, keys, hint }) => `${severity} ${keys.join('.')}: ${hint}`);
}

describe('resources that a server cannot serve', () => {
  const overrides = (resources: object) => ({
    strategy: 'static',
    shards: 2,
    shardSpecOverrides: [{ shard: 0 }, { shard: 1, resources }],
  });

  it.each([
    { given: 'limits only', entry: { spec: { resources: LIMITS } }, at: 'spec.resources: add requests' },
    { given: 'requests only', entry: { spec: { resources: REQUESTS } }, at: 'spec.resources: add limits' },
    {
      given: 'those of log shipping',
      entry: { spec: { resources: BOTH, fluentdResources: LIMITS } },
      at: 'spec.fluentdResources: add requests',
    },
    {
      given: 'those of an override',
      entry: { spec: { resources: BOTH }, sharding: overrides(LIMITS) },
      at: 'sharding.shardSpecOverrides.1.resources: add requests',
    },
  ])('$given', ({ entry, at }) => {
    expect(found(entry)).toEqual([`warning managed.0.${at}`]);
  });

  it('both are served, and none is left to the JSON schemas', () => {
    expect(found({ spec: { resources: BOTH }, sharding: overrides(BOTH) })).toEqual([]);
    expect(found({ spec: { resources: {} } })).toEqual([]);
  });
});
