import type { ChartOutput } from './chart-output.ts';
import { type KubeObject, placedObject } from './desired-namespace.ts';
import { processTemplate, type TemplateParameter } from './template.ts';
import type { NamespaceValues } from './values.ts';

/** The name of everything that the pods of a fleet share. */
const NAME = 'qontract-reconcile';
/** The account of the manager: what it may do is not for every integration. */
const MANAGER = 'integrations-manager';

/** Exactly what a manager does to its namespaces, what `status` looks at, and the lease. */
const RULES = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['services'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/** What finds own objects in namespaces that no integration names any more. */
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
        resources: { requests: { cpu: '100m', memory: '200Mi' }, limits: { memory: '400Mi' } },
        shard_specs: [{ shards: '1', shard_id: '0', shard_key: '', shard_name_suffix: '', extra_args: '' }],
      },
    ],
    cronjobs: [],
    excludeService: true,
  };
}

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'rbac.authorization.k8s.io/v1' } as const;

export interface AccessOptions {
  readonly namespace?: string;
  /** Also the right to list in all namespaces, so that what was left behind is found. */
  readonly clusterRole?: boolean;
}

/**
 * The account that the pods of integrations run as, which may do nothing here, and that of the manager with what it may do
 * in this namespace.
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

/** Objects without a namespace need a name that another fleet of the cluster does not have. */
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

/** A Template of the manager and its access; parameters that nothing in it refers to are left out. */
export function bootstrapTemplate(
  output: ChartOutput,
  given: ReadonlyMap<string, string>,
  access: AccessOptions = {},
): object {
  const declared = output.kind === 'Template' ? output.parameters.map((one) => withValue(one, given)) : [];
  const objects = [...managerAccess(access), ...output.objects.map((object) => withOwnAccount(object as KubeObject))];
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

/** Whoever processes the Template puts an empty text for an empty digest: the image would end in `@`. */
function withoutEmptyDigests(objects: string, parameters: readonly TemplateParameter[]): string {
  const empty = new Set(parameters.filter(({ value }) => (value ?? '') === '').map(({ name }) => name));
  return objects.replaceAll(/("image":"[^"]*)@\$\{(\w+)\}"/g, (image, tagged: string, digest: string) =>
    empty.has(digest) ? `${tagged}"` : image,
  );
}

/** Which image runs the manager is nobody's default. */
function withValue(parameter: TemplateParameter, given: ReadonlyMap<string, string>): TemplateParameter {
  const { name } = parameter;
  const value = given.get(name);
  if (value !== undefined) return { ...parameter, value };
  return name === 'IMAGE' ? { name, required: true } : parameter;
}

/** The manager and its access as plain objects, for any cluster. */
export function bootstrapManifests(
  output: ChartOutput,
  given: ReadonlyMap<string, string>,
  access: AccessOptions,
): object[] {
  const objects = output.kind === 'Template' ? processTemplate(output, given) : output.objects;
  return [...managerAccess(access), ...objects.map((object) => placedObject(object as KubeObject, access.namespace))];
}

/** Charts give all pods the account of integrations. */
function withOwnAccount(object: KubeObject): KubeObject {
  const { spec } = object as { spec?: { template?: { spec?: object } } };
  if (spec?.template?.spec === undefined) return object;
  const pod = { ...spec.template.spec, serviceAccountName: MANAGER };
  return { ...object, spec: { ...spec, template: { ...spec.template, spec: pod } } };
}
