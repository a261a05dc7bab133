import { describe, expect, it } from 'vitest';
import type { OrgId } from '../../instance/index.ts';
import type { ClusterId, ClusterUuid } from './cluster-key.ts';
import { orgSpecFromLabels } from './from-labels.ts';
import { inheritanceNetwork, type Sharing } from './inheritance.ts';
import { type Labels, PREFIX } from './label-keys.ts';

const prefixed = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [PREFIX + key, value]));

function labelled(name: string, change: Labels = {}) {
  const labels = prefixed({ 'soak-days': '0', workloads: 'wl', schedule: '* * * * *', ...change });
  return { id: `${name}-id` as ClusterId, uuid: `${name}-uuid` as ClusterUuid, name, labels };
}

function read(organization: Labels, ...clusters: ReturnType<typeof labelled>[]) {
  const orgId = 'o1' as OrgId;
  return orgSpecFromLabels({ orgId, labels: prefixed(organization), clusters }, new Map(), { strict: true });
}

describe('an organization from labels', () => {
  it('has its clusters in order, good ones with a policy, bad ones held', () => {
    const spec = read({ 'sector-deps.prod': '' }, labelled('b'), labelled('a', { schedule: 'x', sector: 'prod' }));
    expect(spec.clusters).toEqual([
      { id: 'b-id', uuid: 'b-uuid', name: 'b', policy: { soakDays: 0, workloads: ['wl'], schedule: '* * * * *' } },
      {
        id: 'a-id',
        uuid: 'a-uuid',
        name: 'a',
        known: { soakDays: 0, workloads: ['wl'], sector: 'prod' },
        held: expect.stringContaining('sre-capabilities.aus.schedule: "x" is not a valid schedule'),
      },
    ]);
    expect(spec.problems).toEqual([
      expect.objectContaining({ scope: { kind: 'cluster', cluster: expect.objectContaining({ name: 'a' }) } }),
    ]);
  });

  it('holds a cluster in a sector that is not declared', () => {
    const spec = read(
      { 'sector-deps.prod': '' },
      labelled('a', { sector: 'prodd' }),
      labelled('b', { sector: 'prod' }),
    );
    expect(spec.clusters.map((cluster) => 'held' in cluster)).toEqual([true, false]);
    expect(spec.problems).toEqual([
      expect.objectContaining({
        message: 'sector prodd is not declared',
        hint: 'did you mean prod?',
        severity: 'error',
      }),
    ]);
  });

  it('stops as a whole when no cluster is in a declared sector', () => {
    const spec = read({}, labelled('a', { sector: 'prod' }), labelled('b', { sector: 'stage' }));
    expect(spec.problems.map(({ scope }) => scope.kind)).toEqual(['organization', 'cluster', 'cluster']);
  });

  it('does not, when some cluster needs no sector', () => {
    const spec = read({}, labelled('a', { sector: 'prod' }), labelled('b'));
    expect(spec.problems.map(({ scope }) => scope.kind)).toEqual(['cluster']);
  });

  it('tells what is wrong with its own labels', () => {
    const spec = read({ 'blocked-versions': '[' }, labelled('a'));
    expect(spec.problems).toEqual([expect.objectContaining({ scope: { kind: 'organization' }, severity: 'error' })]);
    expect(spec.blockedVersions).toEqual([]);
  });

  it('inherits what is published to it', () => {
    const network = inheritanceNetwork(
      new Map<string, Sharing>([
        ['o1', { environment: 'prod', inherit: ['o2'], publish: [] }],
        ['o2', { environment: 'stage', inherit: [], publish: ['o1'] }],
      ]),
    );
    const source = { orgId: 'o1' as OrgId, labels: {}, clusters: [] };
    expect(orgSpecFromLabels(source, network, { strict: true }).inherit).toEqual([
      { environment: 'stage', orgId: 'o2' },
    ]);
  });
});
