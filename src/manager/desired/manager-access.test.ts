import { describe, expect, it } from 'vitest';
import { managerAccess } from './manager-access.ts';

function kinds(objects: readonly object[]): string[] {
  return (objects as readonly { kind: string; metadata: { name: string } }[]).map(
    ({ kind, metadata }) => `${kind} ${metadata.name}`,
  );
}

describe('what the manager may do', () => {
  it.each([
    { namespace: undefined, place: {} },
    { namespace: 'ns', place: { namespace: 'ns' } },
  ])('is said for the namespace $namespace', ({ namespace, place }) => {
    const objects = managerAccess(place);
    expect(kinds(objects)).toEqual([
      'ServiceAccount qontract-reconcile',
      'ServiceAccount integrations-manager',
      'Role integrations-manager',
      'RoleBinding integrations-manager',
    ]);
    expect(objects.map(({ metadata }) => metadata.namespace)).toEqual([namespace, namespace, namespace, namespace]);
    expect(objects[3]).toMatchObject({
      roleRef: { kind: 'Role', name: 'integrations-manager' },
      subjects: [{ kind: 'ServiceAccount', name: 'integrations-manager', ...place }],
    });
  });

  it('is the kinds that it manages and looks at, no secrets and no wildcards', () => {
    const rules = managerAccess()[2]?.['rules'] as readonly { resources: string[]; verbs: string[] }[];
    expect(rules.flatMap(({ resources }) => resources).sort()).toEqual([
      ...['cronjobs', 'deployments', 'leases', 'pods', 'replicasets', 'services', 'statefulsets'],
    ]);
    expect(JSON.stringify(rules)).not.toContain('*');
  });
});

describe('access to all namespaces', () => {
  it('is only asked for when it is wanted, and only to list', () => {
    expect(kinds(managerAccess({ namespace: 'ns' })).filter((name) => name.startsWith('Cluster'))).toEqual([]);
    const [role] = managerAccess({ namespace: 'ns', clusterRole: true }).filter(({ kind }) => kind === 'ClusterRole');
    expect(role?.metadata).toEqual({ name: 'integrations-manager-ns' });
    const rules = role?.['rules'] as readonly { verbs: string[] }[];
    expect([...new Set(rules.flatMap(({ verbs }) => verbs))]).toEqual(['list']);
  });
});
