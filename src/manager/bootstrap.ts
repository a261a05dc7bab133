import type { ChartOutput } from './chart-output.ts';
import { type KubeObject, placedObject } from './desired.ts';
import { processTemplate, type TemplateParameter } from './template.ts';
import type { NamespaceValues } from './values.ts';

/** The name of everything that the pods of a fleet share. */
const NAME = 'qontract-reconcile';

/** Exactly what a manager does to its namespaces. */
const RULES = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['list', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['services'], verbs: ['list', 'create', 'patch', 'delete'] },
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

/** The account that the pods run as, and what it may do in this namespace. */
export function managerAccess(namespace?: string): KubeObject[] {
  const metadata = { name: NAME, ...(namespace === undefined ? {} : { namespace }) };
  const subject = { kind: 'ServiceAccount', name: NAME, ...(namespace === undefined ? {} : { namespace }) };
  const manager = { ...metadata, name: 'integrations-manager' };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: manager, rules: RULES },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: manager,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'integrations-manager' },
      subjects: [subject],
    },
  ];
}

/** A Template of the manager and its access; parameters that nothing in it refers to are left out. */
export function bootstrapTemplate(output: ChartOutput, given: ReadonlyMap<string, string>): object {
  const declared = output.kind === 'Template' ? output.parameters.map((one) => withValue(one, given)) : [];
  const text = withoutEmptyDigests(JSON.stringify([...managerAccess(), ...output.objects]), declared);
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
  namespace: string | undefined,
): object[] {
  const objects = output.kind === 'Template' ? processTemplate(output, given) : output.objects;
  return [...managerAccess(namespace), ...objects.map((object) => placedObject(object as KubeObject, namespace))];
}
