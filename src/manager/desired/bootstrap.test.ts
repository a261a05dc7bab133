import { describe, expect, it } from 'vitest';
import { bootstrapManifests, bootstrapTemplate, managerValues } from './bootstrap.ts';
import type { ChartOutput } from './chart-output.ts';
import type { KubeObject } from './desired-namespace.ts';
import { managerAccess } from './manager-access.ts';
import { processTemplate, type Template } from './template.ts';

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'qontract-reconcile-integrations-manager', namespace: 'written-down' },
  spec: { image: '${IMAGE}:${IMAGE_TAG}@${IMAGE_DIGEST}', replicas: '${{REPLICAS}}', text: '${POD_NAME}' },
};
const OUTPUT: ChartOutput = {
  kind: 'Template',
  objects: [DEPLOYMENT],
  parameters: [
    { name: 'IMAGE', value: 'quay.io/app-sre/qontract-reconcile' },
    { name: 'IMAGE_TAG', value: 'latest' },
    { name: 'IMAGE_DIGEST', value: '' },
    { name: 'REPLICAS', value: '1' },
    { name: 'SLACK_CHANNEL', value: 'unused here' },
  ],
};

const given = (values: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(values));

function kinds(objects: readonly object[]): string[] {
  return (objects as readonly { kind: string; metadata: { name: string } }[]).map(
    ({ kind, metadata }) => `${kind} ${metadata.name}`,
  );
}

describe('the values of the manager itself', () => {
  it('are one integration in one shard, without the service of the fleet', () => {
    const values = managerValues();
    expect(values).toMatchObject({ cronjobs: [], excludeService: true });
    expect(values.integrations.map(({ name, shard_specs }) => ({ name, shards: shard_specs.length }))).toEqual([
      { name: 'integrations-manager', shards: 1 },
    ]);
  });
});

const template = (values: Readonly<Record<string, string>>, output: ChartOutput = OUTPUT): Template =>
  bootstrapTemplate(output, given(values)) as Template;

describe('the Template of the manager', () => {
  it('has its access and its workload, and only parameters that something refers to', () => {
    const { objects, parameters, kind } = template({});
    expect(kind).toBe('Template');
    expect(kinds(objects)).toEqual([...kinds(managerAccess()), 'Deployment qontract-reconcile-integrations-manager']);
    expect(parameters.map(({ name }) => name)).toEqual(['IMAGE', 'IMAGE_TAG', 'REPLICAS']);
  });

  it.each([
    { values: {}, image: { name: 'IMAGE', required: true } },
    { values: { IMAGE: 'quay.io/x/y' }, image: { name: 'IMAGE', value: 'quay.io/x/y' } },
  ])('with $values given wants the image: $image', ({ values, image }) => {
    expect(template(values).parameters[0]).toEqual(image);
  });

  it.each([
    { given: 'no digest', values: { IMAGE: 'r', IMAGE_TAG: 't' }, image: 'r:t' },
    { given: 'an empty digest', values: { IMAGE: 'r', IMAGE_TAG: 't', IMAGE_DIGEST: '' }, image: 'r:t' },
    { given: 'a digest', values: { IMAGE: 'r', IMAGE_TAG: 't', IMAGE_DIGEST: 'sha256:1' }, image: 'r:t@sha256:1' },
  ])('processed by anybody, with $given, runs $image', ({ values, image }) => {
    const processed = processTemplate(template(values), new Map()).at(-1);
    expect(processed?.['spec']).toEqual({ image, replicas: 1, text: '${POD_NAME}' });
  });

  it('of a chart that writes manifests has no parameters', () => {
    const { objects, parameters } = template({}, { kind: 'manifests', objects: [DEPLOYMENT] });
    expect(objects.at(-1)).toEqual(DEPLOYMENT);
    expect(parameters).toEqual([]);
  });
});

describe('a Template with access outside of its namespace', () => {
  it.each([
    { access: {}, place: undefined },
    { access: { namespace: 'ns' }, place: undefined },
    { access: { clusterRole: true }, place: { name: 'NAMESPACE', required: true } },
    { access: { clusterRole: true, namespace: 'ns' }, place: { name: 'NAMESPACE', value: 'ns' } },
    { access: { deployTo: ['a'] }, place: { name: 'NAMESPACE', required: true } },
  ])('with $access has the parameter $place', ({ access, place }) => {
    const made = bootstrapTemplate(OUTPUT, given({}), access) as Template;
    expect(made.parameters.find(({ name }) => name === 'NAMESPACE')).toEqual(place);
    const subjects = made.objects
      .filter(({ kind }) => kind === 'ClusterRoleBinding')
      .map((binding) => (binding['subjects'] as { namespace?: string }[])[0]?.namespace);
    expect(subjects).toEqual('clusterRole' in access ? ['${NAMESPACE}'] : []);
  });
});

describe('the configuration of the manager', () => {
  const pod = (container: object): ChartOutput => ({
    kind: 'manifests',
    objects: [{ ...DEPLOYMENT, spec: { template: { spec: { containers: [container] } } } }],
  });
  const volumeMounts = [{ name: 'toml', mountPath: '/config' }];
  const set = { name: 'CONFIG', value: '/config/config.toml' };

  it.each([
    { given: 'a mount and no variable', container: { volumeMounts }, env: [set] },
    { given: 'other variables', container: { volumeMounts, env: [{ name: 'A' }] }, env: [{ name: 'A' }, set] },
    {
      given: 'a variable of the chart',
      container: { volumeMounts, env: [{ name: 'CONFIG', value: '/x' }] },
      env: [{ name: 'CONFIG', value: '/x' }],
    },
    { given: 'no mount', container: {}, env: undefined },
  ])('with $given has the variables $env', ({ container, env }) => {
    const [deployment] = bootstrapManifests(pod(container), given({}), {}).slice(-1) as {
      spec: { template: { spec: { containers: { env: object[] }[] } } };
    }[];
    expect(deployment?.spec.template.spec.containers[0]?.env).toEqual(env);
  });
});

describe('the manifests of the manager', () => {
  const values = given({ IMAGE: 'quay.io/x/y', IMAGE_TAG: 'f929a38' });

  it('are all in their namespace, which comes first', () => {
    const [first, ...rest] = bootstrapManifests(OUTPUT, values, { namespace: 'ns' }) as KubeObject[];
    expect(first).toEqual({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns' } });
    expect(rest.map(({ metadata }) => metadata.namespace)).toEqual(rest.map(() => 'ns'));
  });

  it('without a namespace are for any', () => {
    const objects = bootstrapManifests(OUTPUT, values, {}) as KubeObject[];
    expect(kinds(objects)).not.toContain('Namespace');
    expect(objects.map(({ metadata }) => metadata.namespace)).toEqual(objects.map(() => undefined));
  });

  it.each([
    { access: { clusterRole: true }, hint: 'or pass --no-cluster-role' },
    { access: { deployTo: ['a'] }, hint: 'pass it with -n' },
  ])('without a namespace cannot have $access', ({ access, hint }) => {
    expect(() => bootstrapManifests(OUTPUT, values, access)).toThrow(
      expect.objectContaining({ code: 'NAMESPACE_MISSING', hint: expect.stringContaining(hint) }),
    );
  });

  it('have their parameters in, and an image without a trailing @', () => {
    expect(bootstrapManifests(OUTPUT, values, { namespace: 'ns' }).at(-1)).toMatchObject({
      spec: { image: 'quay.io/x/y:f929a38', replicas: 1, text: '${POD_NAME}' },
    });
  });

  it('of a chart that writes manifests are those', () => {
    const output: ChartOutput = { kind: 'manifests', objects: [DEPLOYMENT] };
    expect(bootstrapManifests(output, values, { namespace: 'ns' }).at(-1)).toMatchObject({
      metadata: { namespace: 'ns' },
      spec: DEPLOYMENT.spec,
    });
  });
});

describe('the cache of the manager', () => {
  const MOUNT = { name: 'echelon-cache', mountPath: '/cache' };
  const VOLUME = { name: 'echelon-cache', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } };
  const sidecar = { name: 'logs', volumeMounts: [{ name: 'logs', mountPath: '/logs' }] };
  const tmp = { name: 'tmp', mountPath: '/tmp' };
  const own = { name: 'own', mountPath: '/cache' };

  it.each([
    { given: 'no mounts', pod: { containers: [{}] }, mounts: [[MOUNT]], volumes: [VOLUME] },
    {
      given: 'a sidecar, which does not get it',
      pod: { containers: [{ volumeMounts: [tmp] }, sidecar], volumes: [{ name: 'tmp' }] },
      mounts: [[tmp, MOUNT], sidecar.volumeMounts],
      volumes: [{ name: 'tmp' }, VOLUME],
    },
    {
      given: 'a volume of the chart in its place',
      pod: { containers: [{ volumeMounts: [own] }], volumes: [{ name: 'own' }] },
      mounts: [[own]],
      volumes: [{ name: 'own' }],
    },
    { given: 'no containers', pod: {}, mounts: undefined, volumes: undefined },
  ])('is a volume in memory of one container, with $given', ({ pod, mounts, volumes }) => {
    const output: ChartOutput = { kind: 'manifests', objects: [{ ...DEPLOYMENT, spec: { template: { spec: pod } } }] };
    const [deployment] = bootstrapManifests(output, given({}), {}).slice(-1) as {
      spec: { template: { spec: { containers?: { volumeMounts: object[] }[]; volumes?: object[] } } };
    }[];
    const { containers, volumes: found } = deployment?.spec.template.spec ?? {};
    expect({ mounts: containers?.map(({ volumeMounts }) => volumeMounts), volumes: found }).toEqual({
      mounts,
      volumes,
    });
  });
});
