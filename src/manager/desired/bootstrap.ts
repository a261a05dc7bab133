import { defined } from '../../base/index.ts';
import type { ChartOutput } from './chart-output.ts';
import { type KubeObject, placedObject } from './desired-namespace.ts';
import { type AccessOptions, MANAGER_ACCOUNT, managerAccess } from './manager-access.ts';
import { processTemplate, type TemplateParameter } from './template.ts';
import type { NamespaceValues } from './values.ts';

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
  const own = { ...pod, serviceAccountName: MANAGER_ACCOUNT, ...defined({ containers }) };
  return { ...object, spec: { ...spec, template: { ...spec?.template, spec: own } } };
}

function probedByReadiness(container: Container): Container {
  const { readinessProbe: probe } = container;
  if (probe?.httpGet === undefined) return container;
  return { ...container, readinessProbe: { ...probe, httpGet: { ...probe.httpGet, path: '/readyz' } } };
}
