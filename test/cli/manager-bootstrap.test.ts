import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ManagerRun, managerRun } from '../support/manager-run.ts';

let manager: ManagerRun;
beforeAll(async () => {
  manager = await managerRun();
});
afterAll(() => manager.dispose());

const bootstrap = (...args: readonly string[]) => manager.run(['bootstrap', ...args]);

interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}
interface Parameter {
  readonly name: string;
  readonly value?: string;
  readonly required?: boolean;
}
interface Template {
  readonly kind: string;
  readonly objects: readonly KubeObject[];
  readonly parameters: readonly Parameter[];
}

const named = (objects: readonly KubeObject[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

const OBJECTS = [
  'ServiceAccount qontract-reconcile',
  'Role qontract-reconcile',
  'RoleBinding qontract-reconcile',
  'ServiceAccount integrations-manager',
  'Role integrations-manager',
  'RoleBinding integrations-manager',
  'Deployment qontract-reconcile-integrations-manager',
];

const deploymentOf = (objects: readonly KubeObject[]) => {
  const [container] = objects.at(-1)?.spec.template.spec.containers ?? [];
  return { image: container?.image, env: new Map(container?.env.map(({ name, value }) => [name, value])) };
};

describe('bootstrap as a Template', () => {
  const template = async (...args: string[]): Promise<Template> => {
    const { code, stdout, stderr } = await bootstrap(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return load(stdout) as Template;
  };

  it('has the account, what it may do, and the manager', async () => {
    const { kind, objects } = await template();
    expect({ kind, objects: named(objects) }).toEqual({ kind: 'Template', objects: OBJECTS });
  });

  it('lets the manager do what it does, and nothing else', async () => {
    const { objects } = await template();
    const verbs = ['list', 'watch', 'create', 'patch', 'delete'];
    expect(objects[4]).toMatchObject({
      rules: [
        { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs },
        { apiGroups: ['batch'], resources: ['cronjobs'], verbs },
        { apiGroups: [''], resources: ['services'], verbs },
        { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] },
        { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
        { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] },
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
        { apiGroups: [''], resources: ['configmaps'], resourceNames: ['echelon-rollouts'], verbs: ['get', 'update'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
      ],
    });
    expect(objects[5]).toMatchObject({
      roleRef: { kind: 'Role', name: 'integrations-manager' },
      subjects: [{ kind: 'ServiceAccount', name: 'integrations-manager' }],
    });
    expect(objects.at(-1)?.spec.template.spec).toMatchObject({ serviceAccountName: 'integrations-manager' });
  });

  it('asks for the image, and declares nothing that it has no use for', async () => {
    const { objects, parameters } = await template();
    expect(parameters.filter(({ required }) => required)).toEqual([{ name: 'IMAGE', required: true }]);
    const text = JSON.stringify(objects);
    expect(parameters.filter(({ name }) => !text.includes(`\${${name}}`))).toEqual([]);
    expect(parameters.map(({ name }) => name)).not.toContain('PUSHGATEWAY_SECRET_NAME');
  });

  it.each([
    { given: 'no digest', args: [], image: '${IMAGE}:${IMAGE_TAG}' },
    {
      given: 'a digest',
      args: ['-p', 'IMAGE_DIGEST=sha256:1'],
      image: '${IMAGE}:${IMAGE_TAG}@${IMAGE_DIGEST}',
    },
  ])('with $given has the image $image', async ({ args, image }) => {
    expect(deploymentOf((await template(...args)).objects).image).toBe(image);
  });

  it('takes its defaults from flags', async () => {
    const { parameters } = await template(
      ...['--image', 'example.com/echelon', '--image-tag', '1.2.3', '--environment-name', 'edge-lab'],
      ...['--upstream', 'https://github.com/example/fleet-tools', '-p', 'DRY_RUN=--no-dry-run'],
    );
    expect(parameters).toEqual(
      expect.arrayContaining([
        { name: 'IMAGE', value: 'example.com/echelon' },
        { name: 'IMAGE_TAG', value: '1.2.3' },
        { name: 'ENVIRONMENT_NAME', value: 'edge-lab' },
        { name: 'INTEGRATIONS_MANAGER_UPSTREAM', value: 'https://github.com/example/fleet-tools' },
        { name: 'DRY_RUN', value: '--no-dry-run' },
      ]),
    );
  });

  it('says the same in JSON', async () => {
    expect(JSON.parse((await bootstrap('-o', 'json')).stdout)).toEqual(await template());
  });
});

describe('bootstrap as manifests', () => {
  const manifests = async (...args: string[]): Promise<KubeObject[]> => {
    const { code, stdout, stderr } = await bootstrap('--format', 'manifests', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return loadAll(stdout) as KubeObject[];
  };

  it('has the same objects, without a parameter left', async () => {
    const objects = await manifests('--image', 'example.com/echelon', '--image-tag', '1.2.3', '-n', 'here');
    const everywhere = ['ClusterRole integrations-manager-here', 'ClusterRoleBinding integrations-manager-here'];
    expect(named(objects)).toEqual(['Namespace here', ...OBJECTS.toSpliced(-1, 0, ...everywhere)]);
    expect(JSON.stringify(objects)).not.toContain('${');
    const { image, env } = deploymentOf(objects);
    expect({ image, tag: env.get('IMAGE_TAG') }).toEqual({ image: 'example.com/echelon:1.2.3', tag: '1.2.3' });
  });

  it.each([
    { given: 'a namespace', args: ['-n', 'here'], namespace: 'here' },
    { given: 'no namespace', args: ['--no-cluster-role'], namespace: undefined },
  ])('with $given says so everywhere', async ({ args, namespace }) => {
    const objects = await manifests('--image', 'example.com/echelon', ...args);
    const placed = objects.filter(({ kind }) => !/^(?:Cluster|Namespace)/.test(kind));
    expect(placed.map(({ metadata }) => metadata.namespace)).toEqual(placed.map(() => namespace));
    const subject = { kind: 'ServiceAccount', name: 'integrations-manager', ...(namespace && { namespace }) };
    expect(placed[5]).toMatchObject({ subjects: [subject] });
  });

  it('says the same as a List in JSON', async () => {
    const args = ['--image', 'example.com/echelon', '-n', 'here'];
    const list = JSON.parse((await bootstrap('--format', 'manifests', ...args, '-o', 'json')).stdout);
    expect(list).toEqual({ apiVersion: 'v1', kind: 'List', items: await manifests(...args) });
  });

  it('has access to every namespace that integrations run in', async () => {
    const args = ['-n', 'here', '--deploy-to', 'there', '--deploy-to', 'yonder', '--no-cluster-role'];
    const objects = await manifests('--image', 'example.com/echelon', ...args);
    expect(named(objects.filter(({ metadata }) => metadata.namespace === 'yonder'))).toEqual([
      ...['ServiceAccount qontract-reconcile', 'Role qontract-reconcile', 'RoleBinding qontract-reconcile'],
      ...['Role integrations-manager', 'RoleBinding integrations-manager'],
    ]);
  });

  it('reads the configuration from the secret that it mounts', async () => {
    const objects = await manifests('--image', 'example.com/echelon', '-n', 'here');
    expect(deploymentOf(objects).env.get('CONFIG')).toBe('/config/config.toml');
  });

  it('needs a namespace for access outside of it', async () => {
    expect(await bootstrap('--format', 'manifests', '--image', 'example.com/echelon')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: no namespace given for the manager\n code: NAMESPACE_MISSING\n hint: pass it with -n, or pass --no-cluster-role to apply the manifests in any namespace\n',
    });
  });

  it('needs to know the image', async () => {
    expect(await bootstrap('--format', 'manifests')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: no image given for the manager\n code: IMAGE_MISSING\n hint: pass its repository with --image and its tag with --image-tag\n',
    });
  });

  it.each(['IMAGE', '=x'])('refuses the parameter %s', async (parameter) => {
    const { code, stdout, stderr } = await bootstrap('--format', 'manifests', '-p', parameter);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain('FLAG_INVALID');
  });

  it('does not take an empty image for one', async () => {
    const { code, stdout, stderr } = await bootstrap('--format', 'manifests', '-p', 'IMAGE=');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('IMAGE_MISSING');
  });
});
