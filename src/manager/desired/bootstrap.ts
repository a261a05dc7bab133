import { defined } from '../../base/index.ts';
import type { ChartOutput } from './chart-output.ts';
import { type KubeObject, placedObject } from './desired-namespace.ts';
import { processTemplate, type TemplateParameter } from './template.ts';
import type { NamespaceValues } from './values.ts';

/** The name of everything that a fleet's pods share. */
const NAME = 'qontract-reconcile';
/** The manager's service account: integrations do not get its permissions. */
const MANAGER = 'integrations-manager';

/** Exactly what a manager writes in its namespaces, what `status` reads, and the lease. */
const RULES = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['services'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/** To find own objects in namespaces that no integration declares any more. */
const LIST_EVERYWHERE = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['list'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list'] },
  { apiGroups: [''], resources: ['services'], verbs: ['list'] },
];

/** The values that make the chart render the manager itself, and nothing else. */
export function managerValues(): NamespaceValues & { readonly excludeService: true } {
  return {
    integrations: [
      {
        name: 'integrations-manager',
        environmentAware: true,
        disableUnleash: true,
        logs: { cloudwatch: false },
        resources: { requests: { cpu: '100m', memory: '200Mi' }, limits: { memory: '400Mi' } },
        shard_specs: [{ shards: '1', shard_id: '0', shard_key: '', shard_name_suffix: '', extra_args: '' }],
      },
    ],
    cronjobs: [],
    excludeService: true,
  };
}

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'rbac.authorization.k8s.io/v1' } as const;

interface AccessOptions {
  readonly namespace?: string;
  /** Also allow listing in all namespaces, to find orphaned objects. */
  readonly clusterRole?: boolean;
}

/**
 * The service account of the integrations' pods, without permissions here, and the manager's service account with its
 * permissions in this namespace.
 */
export function managerAccess({ namespace, clusterRole }: AccessOptions = {}): KubeObject[] {
  const place = namespace === undefined ? {} : { namespace };
  const name = MANAGER;
  const subjects = [{ kind: 'ServiceAccount', name, ...place }];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, ...place } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, ...place } },
    { apiVersion: RBAC.version, kind: 'Role', metadata: { name, ...place }, rules: RULES },
    {
      apiVersion: RBAC.version,
      kind: 'RoleBinding',
      metadata: { name, ...place },
      roleRef: { apiGroup: RBAC.group, kind: 'Role', name },
      subjects,
    },
    ...(clusterRole === true ? listEverywhere(namespace, subjects) : []),
  ];
}

/** Cluster-scoped objects need a name that another fleet in the cluster does not use. */
function listEverywhere(namespace: string | undefined, subjects: readonly object[]): KubeObject[] {
  const name = namespace === undefined ? 'integrations-manager' : `integrations-manager-${namespace}`;
  return [
    { apiVersion: RBAC.version, kind: 'ClusterRole', metadata: { name }, rules: LIST_EVERYWHERE },
    {
      apiVersion: RBAC.version,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: RBAC.group, kind: 'ClusterRole', name },
      subjects,
    },
  ];
}

/** A Template with the manager and its access; unused parameters are left out. */
export function bootstrapTemplate(
  output: ChartOutput,
  given: ReadonlyMap<string, string>,
  access: AccessOptions = {},
): object {
  const declared = output.kind === 'Template' ? output.parameters.map((one) => withValue(one, given)) : [];
  const objects = [...managerAccess(access), ...output.objects.map((object) => asManager(object as KubeObject))];
  const text = withoutEmptyDigests(JSON.stringify(objects), declared);
  const used = declared.filter(({ name }) => text.includes(`\${${name}}`) || text.includes(`\${{${name}}}`));
  return {
    apiVersion: 'template.openshift.io/v1',
    kind: 'Template',
    metadata: { name: 'integrations-manager' },
    objects: JSON.parse(text),
    parameters: used,
  };
}

/** Processing the Template with an empty digest would leave an image that ends in `@`. */
function withoutEmptyDigests(objects: string, parameters: readonly TemplateParameter[]): string {
  const empty = new Set(parameters.filter(({ value }) => (value ?? '') === '').map(({ name }) => name));
  return objects.replaceAll(/("image":"[^"]*)@\$\{(\w+)\}"/g, (image, tagged: string, digest: string) =>
    empty.has(digest) ? `${tagged}"` : image,
  );
}

/** The manager's image has no default. */
function withValue(parameter: TemplateParameter, given: ReadonlyMap<string, string>): TemplateParameter {
  const { name } = parameter;
  const value = given.get(name);
  if (value !== undefined) return { ...parameter, value };
  return name === 'IMAGE' ? { name, required: true } : parameter;
}

/** The manager and its access as plain manifests, for any cluster. */
export function bootstrapManifests(
  output: ChartOutput,
  given: ReadonlyMap<string, string>,
  access: AccessOptions,
): object[] {
  const objects = output.kind === 'Template' ? processTemplate(output, given) : output.objects;
  const placed = objects.map((object) => asManager(placedObject(object as KubeObject, access.namespace)));
  return [...managerAccess(access), ...placed];
}

interface Container {
  readonly readinessProbe?: { readonly httpGet?: object };
}

/** Charts give all pods the integrations' service account, and a readiness probe that says only whether they live. */
function asManager(object: KubeObject): KubeObject {
  const { spec } = object as { spec?: { template?: { spec?: { containers?: readonly Container[] } } } };
  const pod = spec?.template?.spec;
  if (pod === undefined) return object;
  const containers = pod.containers?.map(probedByReadiness);
  const own = { ...pod, serviceAccountName: MANAGER, ...defined({ containers }) };
  return { ...object, spec: { ...spec, template: { ...spec?.template, spec: own } } };
}

function probedByReadiness(container: Container): Container {
  const { readinessProbe: probe } = container;
  if (probe?.httpGet === undefined) return container;
  return { ...container, readinessProbe: { ...probe, httpGet: { ...probe.httpGet, path: '/readyz' } } };
}
