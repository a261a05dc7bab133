import { describe, expect, it } from 'vitest';
import type { KubeObject } from './desired-namespace.ts';
import { managerAccess } from './manager-access.ts';

function kinds(objects: readonly object[]): string[] {
  return (objects as readonly { kind: string; metadata: { name: string } }[]).map(
    ({ kind, metadata }) => `${kind} ${metadata.name}`,
  );
}

type Rules = readonly { resources: string[]; verbs: string[] }[];

const placed = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ kind, metadata: { namespace, name } }) => `${kind} ${namespace ?? '-'}/${name}`);

const rulesOf = (objects: readonly KubeObject[], role: string): Rules =>
  objects.find((object) => placed([object])[0] === `Role ${role}`)?.['rules'] as Rules;

describe('what the manager may do', () => {
  it.each([
    { namespace: undefined, place: {} },
    { namespace: 'ns', place: { namespace: 'ns' } },
  ])('is granted in the namespace $namespace', ({ namespace, place }) => {
    const objects = managerAccess(place);
    expect(kinds(objects)).toEqual([
      'ServiceAccount qontract-reconcile',
      'Role qontract-reconcile',
      'RoleBinding qontract-reconcile',
      'ServiceAccount integrations-manager',
      'Role integrations-manager',
      'RoleBinding integrations-manager',
    ]);
    expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(objects.map(() => namespace));
    expect(objects.at(-1)).toMatchObject({
      roleRef: { kind: 'Role', name: 'integrations-manager' },
      subjects: [{ kind: 'ServiceAccount', name: 'integrations-manager', ...place }],
    });
  });

  it('is the kinds that it manages and observes, no secrets and no wildcards', () => {
    const rules = rulesOf(managerAccess(), '-/integrations-manager');
    expect(rules.flatMap(({ resources }) => resources).sort()).toEqual([
      ...['configmaps', 'configmaps', 'cronjobs', 'deployments', 'jobs', 'leases', 'pods', 'replicasets'],
      ...['services', 'statefulsets'],
    ]);
    expect(JSON.stringify(rules)).not.toContain('*');
  });
});

describe('another namespace that integrations run in', () => {
  it('has their account, and binds the manager of its own namespace', () => {
    const objects = managerAccess({ namespace: 'ns', deployTo: ['team-a'] });
    expect(placed(objects).filter((name) => name.includes('team-a'))).toEqual([
      'ServiceAccount team-a/qontract-reconcile',
      'Role team-a/qontract-reconcile',
      'RoleBinding team-a/qontract-reconcile',
      'Role team-a/integrations-manager',
      'RoleBinding team-a/integrations-manager',
    ]);
    expect(objects.at(-1)).toMatchObject({
      subjects: [{ kind: 'ServiceAccount', name: 'integrations-manager', namespace: 'ns' }],
    });
  });

  it('gives the manager no lease there, and the integrations only a lease', () => {
    const objects = managerAccess({ namespace: 'ns', deployTo: ['team-a'] });
    const resources = (role: string): string[] => rulesOf(objects, role).flatMap((rule) => rule.resources);
    expect(resources('team-a/integrations-manager')).not.toContain('leases');
    expect(resources('team-a/qontract-reconcile')).toEqual(['leases']);
  });

  it.each([
    { given: 'twice', deployTo: ['a', 'a'], once: ['a'] },
    { given: "as the manager's own", deployTo: ['ns', 'a'], once: ['a'] },
  ])('given $given has its access once', ({ deployTo, once }) => {
    expect(managerAccess({ namespace: 'ns', deployTo })).toEqual(managerAccess({ namespace: 'ns', deployTo: once }));
  });
});

describe('access to all namespaces', () => {
  it('is only asked for when it is wanted, and only to list and watch', () => {
    expect(kinds(managerAccess({ namespace: 'ns' })).filter((name) => name.startsWith('Cluster'))).toEqual([]);
    const [role] = managerAccess({ namespace: 'ns', clusterRole: true }).filter(({ kind }) => kind === 'ClusterRole');
    expect(role?.metadata).toEqual({ name: 'integrations-manager-ns' });
    const rules = role?.['rules'] as readonly { verbs: string[] }[];
    expect([...new Set(rules.flatMap(({ verbs }) => verbs))]).toEqual(['list', 'watch']);
  });
});
