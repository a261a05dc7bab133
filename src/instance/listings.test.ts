import { describe, expect, it } from 'vitest';
import { fleetWith, managedOnce } from '../../test/support/fleet.ts';
import { organization } from '../../test/support/hand-made-snapshot.ts';
import { INSTANCE_LISTINGS } from './listings.ts';

const INSTANCE = fleetWith({
  '/mine.yml': managedOnce({ spec: { cron: '0 * * * *' }, sharding: { strategy: 'static', shards: 2 } }),
  '/orgs/2.yml': organization('org-2', '/ocm/live.yml', { disable: { integrations: ['mine'] } }),
});

describe('what an instance declares', () => {
  it.each([
    { kind: 'integrations', filters: {}, names: ['mine'] },
    { kind: 'integrations', filters: { environment: ['other'] }, names: [] },
    { kind: 'environments', filters: {}, names: ['lab'] },
    { kind: 'environments', filters: { integration: ['other'] }, names: [] },
    { kind: 'clusters', filters: {}, names: ['cluster-1', 'cluster-2'] },
    { kind: 'clusters', filters: { integration: ['mine'] }, names: [] },
    { kind: 'accounts', filters: { integration: ['aws-integration'] }, names: ['acc-1', 'acc-2', 'acc-3'] },
    {
      kind: 'accounts',
      filters: { integration: ['aws-integration', 'mine'] },
      names: ['acc-1', 'acc-2', 'acc-3', 'acc-4'],
    },
    { kind: 'organizations', filters: { integration: ['mine'] }, names: ['org-1', 'org-3'] },
    { kind: 'organizations', filters: { environment: ['stage'] }, names: [] },
  ] as const)('of $kind with $filters is $names', ({ kind, filters, names }) => {
    expect(INSTANCE_LISTINGS[kind](INSTANCE, filters).names()).toEqual(names);
  });

  it('shows every column of the integration', () => {
    const { titles, rows } = INSTANCE_LISTINGS.integrations(INSTANCE, {}).cells('wide');
    expect(Object.fromEntries(titles.map((title, i) => [title, rows[0]?.[i]]))).toEqual({
      NAME: 'mine',
      ENVIRONMENT: 'lab',
      'CLUSTER/NAMESPACE': 'lab/ns',
      KIND: 'CronJob',
      SHARDING: 'static 2',
      IMAGE: 'default',
      SCHEDULE: '0 * * * *',
      RESOURCES: 'cpu ?.. memory ?..',
      'PR CHECK': 'no',
      UPSTREAM: '-',
      FILE: 'data/mine.yml',
    });
  });

  it('never contains a login', () => {
    for (const listing of Object.values(INSTANCE_LISTINGS)) {
      expect(JSON.stringify(listing(INSTANCE, {}).items())).not.toMatch(/some\/path|client of/);
    }
  });
});
