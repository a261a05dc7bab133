/** A deployment of one container, as small as the server takes it. */
export function deployment(
  name: string,
  { image = 'registry.example/app:1', replicas = 1, metadata = {} } = {},
): object {
  const labels = { app: name };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, ...metadata } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'app', image }] } },
    },
  };
}

/** What to post, and where, so that the service account of that name has a role with the rules. */
export function roleFor(namespace: string, name: string, rules: readonly object[]): [path: string, body: object][] {
  const base = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const subjects = [{ kind: 'ServiceAccount', namespace, name }];
  return [
    [`${base}/roles`, { metadata: { name }, rules }],
    [`${base}/rolebindings`, { metadata: { name }, roleRef, subjects }],
  ];
}
