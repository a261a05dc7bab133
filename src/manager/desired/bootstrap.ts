import { defined, EchelonError } from '../../base/index.ts';
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

/**
 * A Template with the manager and its access, for a namespace that exists; unused parameters are left out. Access outside of that
 * namespace needs its name, which is then a parameter.
 */
export function bootstrapTemplate(
  output: ChartOutput,
  given: ReadonlyMap<string, string>,
  { namespace, deployTo = [], clusterRole = false }: AccessOptions = {},
): object {
  const outside = clusterRole || deployTo.length > 0;
  const place = { name: 'NAMESPACE', ...(namespace === undefined ? { required: true } : { value: namespace }) };
  const chart = output.kind === 'Template' ? output.parameters.map((one) => withValue(one, given)) : [];
  const declared = outside ? [place, ...chart] : chart;
  const access = managerAccess({ deployTo, clusterRole, ...(outside ? { namespace: `\${${place.name}}` } : {}) });
  const objects = [...access, ...output.objects.map((object) => asManager(object as KubeObject))];
  const text = withoutEmptyDigests(JSON.stringify(objects), declared);
  const used = declared.filter(({ name }) => text.includes(`\${${name}}`) || text.includes(`\${{${name}}}`));
  return {
    apiVersion: 'template.openshift.io/v1',
    kind: 'Template',
    metadata: { name: 'integrations-manager', annotations: { description: TEMPLATE_DESCRIPTION } },
    objects: JSON.parse(text),
    parameters: used,
  };
}

const TEMPLATE_DESCRIPTION =
  'The integrations manager. Apply it in an existing namespace with the secret qontract-reconcile-toml, whose key config.toml has ' +
  'the address of the data ([graphql] server).';

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

/** The manager, its access and its namespace as plain manifests, for any cluster. */
export function bootstrapManifests(
  output: ChartOutput,
  given: ReadonlyMap<string, string>,
  access: AccessOptions,
): object[] {
  const { namespace } = access;
  if (namespace === undefined) requireNoneOutside(access);
  const objects = output.kind === 'Template' ? processTemplate(output, given) : output.objects;
  const placed = objects.map((object) => asManager(placedObject(object as KubeObject, namespace)));
  const own = namespace === undefined ? [] : [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }];
  return [...own, ...managerAccess(access), ...placed];
}

/** A binding outside of the manager's namespace has to name that namespace. */
function requireNoneOutside({ deployTo = [], clusterRole = false }: AccessOptions): void {
  if (!clusterRole && deployTo.length === 0) return;
  const elsewhere = deployTo.length > 0 ? '' : ', or pass --no-cluster-role to apply the manifests in any namespace';
  throw new EchelonError({
    code: 'NAMESPACE_MISSING',
    message: 'no namespace given for the manager',
    hint: `pass it with -n${elsewhere}`,
  });
}

interface Pod {
  readonly containers?: readonly Container[];
  readonly volumes?: readonly object[];
}

interface Container {
  readonly readinessProbe?: { readonly httpGet?: object };
  readonly volumeMounts?: readonly { readonly mountPath?: string }[];
  readonly env?: readonly { readonly name?: string }[];
}

/**
 * Charts give all pods the integrations' service account, a readiness probe that says only whether they live, a configuration
 * that they have to know the path of, and no cache.
 */
function asManager(object: KubeObject): KubeObject {
  const { spec } = object as { spec?: { template?: { spec?: Pod } } };
  const pod = spec?.template?.spec;
  if (pod === undefined) return object;
  const containers = pod.containers?.map((container) => configured(probedByReadiness(container)));
  const own = { ...withCache({ ...pod, ...defined({ containers }) }), serviceAccountName: MANAGER_ACCOUNT };
  return { ...object, spec: { ...spec, template: { ...spec?.template, spec: own } } };
}

/** The image's XDG_CACHE_HOME. */
const CACHE_FOLDER = '/cache';

/**
 * In memory, where it has the sticky bit; on disk it is writable to all without it, so that whoever else mounts it could exchange what is
 * cached, and the manager would cache nothing. Mounted by one container, and small: it counts as memory of that container.
 */
const CACHE_VOLUME = { name: 'echelon-cache', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } };

function withCache(pod: Pod): Pod {
  const [manager, ...others] = pod.containers ?? [];
  const { volumeMounts = [] } = manager ?? {};
  if (manager === undefined || volumeMounts.some(({ mountPath }) => mountPath === CACHE_FOLDER)) return pod;
  const mounts = [...volumeMounts, { name: CACHE_VOLUME.name, mountPath: CACHE_FOLDER }];
  return {
    ...pod,
    containers: [{ ...manager, volumeMounts: mounts }, ...others],
    volumes: [...(pod.volumes ?? []), CACHE_VOLUME],
  };
}

function probedByReadiness(container: Container): Container {
  const { readinessProbe: probe } = container;
  if (probe?.httpGet === undefined) return container;
  return { ...container, readinessProbe: { ...probe, httpGet: { ...probe.httpGet, path: '/readyz' } } };
}

/** Where charts mount the secret with the configuration. */
const CONFIG_FOLDER = '/config';

function configured(container: Container): Container {
  const { env = [], volumeMounts = [] } = container;
  const isMounted = volumeMounts.some(({ mountPath }) => mountPath === CONFIG_FOLDER);
  if (!isMounted || env.some(({ name }) => name === 'CONFIG')) return container;
  return { ...container, env: [...env, { name: 'CONFIG', value: `${CONFIG_FOLDER}/config.toml` }] as typeof env };
}
