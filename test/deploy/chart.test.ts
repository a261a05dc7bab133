import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ALL_COMPONENTS,
  type ChartContainer,
  type ChartDeployment,
  type ChartObject,
  type ChartPod,
  CONSOLE_VALUES,
  chartObjects,
  chartText,
  deploymentOf,
  idOf,
  type Json,
  LEAST_VALUES,
  ON_DEMAND,
  ofKind,
  podOf,
} from '../support/install-chart.ts';
import { schemaFaults } from '../support/kubernetes-schema.ts';
import { REPO } from '../support/shared.ts';

const file = (...path: string[]): string => readFileSync(join(REPO, ...path), 'utf8');

let everything: ChartObject[];
beforeAll(async () => {
  everything = await chartObjects({ ...ALL_COMPONENTS, ...ON_DEMAND });
});

describe('every object', () => {
  const CUSTOM = new Set(['ServiceMonitor', 'PrometheusRule']);

  it('is one that Kubernetes accepts, with a name of its own', () => {
    const known = everything.filter(({ kind }) => !CUSTOM.has(kind));
    expect(known.flatMap((object) => schemaFaults(object).map((fault) => `${idOf(object)} ${fault}`))).toEqual([]);
    const ids = everything.map(idOf);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('has a name that is short enough, however long the release', async () => {
    const name = 'a'.repeat(53);
    const objects = await chartObjects({ ...ALL_COMPONENTS, ...ON_DEMAND }, { name });
    expect(objects.filter(({ metadata }) => metadata.name.length > 63).map(idOf)).toEqual([]);
    expect(new Set(objects.map(idOf)).size).toBe(objects.length);
    const values = objects.flatMap(({ metadata }) => Object.values(metadata.labels ?? {}));
    expect(values.filter((value) => value.length > 63)).toEqual([]);
  });

  it.each(['manager', 'upgrade-scheduler', 'gate-approver', 'console'])('of %s fits to its pods', (component) => {
    const name = `echelon-${component}`;
    const { selector, template } = deploymentOf(everything, name);
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    const { labels } = template.metadata;
    const [service] = ofKind(everything, 'Service', name);
    const { selector: chosen, ports } = (service as { spec: { selector: Json; ports: { targetPort: string }[] } }).spec;
    expect(labels).toMatchObject(chosen);
    const [container] = template.spec.containers;
    expect(ports.map(({ targetPort }) => targetPort)).toEqual(container.ports.map((port) => port.name));
    for (const kind of ['PodDisruptionBudget', 'NetworkPolicy']) {
      const spec = ofKind(everything, kind, name)[0]?.spec as Record<string, { matchLabels: Json }>;
      expect(labels).toMatchObject((spec['selector'] ?? spec['podSelector'])?.matchLabels ?? {});
    }
    const monitor = ofKind(everything, 'ServiceMonitor', name)[0]?.spec as
      | { selector: { matchLabels: Json }; endpoints: Json[] }
      | undefined;
    expect(monitor === undefined).toBe(component === 'console');
    if (monitor === undefined) return;
    expect(service?.metadata.labels).toMatchObject(monitor.selector.matchLabels);
    expect(monitor.endpoints).toEqual([{ port: 'http', honorLabels: true, interval: '30s' }]);
  });

  it.each(['manager', 'upgrade-scheduler', 'gate-approver', 'console'])(
    'of %s meets the restricted pod security standard, with an account of its own',
    (component) => {
      const pod = podOf(everything, `echelon-${component}`);
      expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.containers).toHaveLength(1);
      expect(pod.containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod.serviceAccountName).toBe(`echelon-${component}`);
      expect(ofKind(everything, 'ServiceAccount', pod.serviceAccountName)).toHaveLength(1);
      const bound = ofKind(everything, 'RoleBinding').flatMap((object) =>
        (object as unknown as { subjects: { name: string }[] }).subjects.map(({ name }) => name),
      );
      expect(bound).toContain(pod.serviceAccountName);
    },
  );
});

describe('switches', () => {
  const kinds = (objects: readonly ChartObject[]): string[] => [...new Set(objects.map(({ kind }) => kind))].sort();
  const components = (objects: readonly ChartObject[]): string[] =>
    ofKind(objects, 'Deployment')
      .map(({ metadata }) => metadata.name)
      .sort();

  it('are off but for the manager, which starts with a dry run', async () => {
    const objects = await chartObjects(LEAST_VALUES);
    expect(components(objects)).toEqual(['echelon-manager']);
    expect(kinds(objects)).toEqual([
      ...['ClusterRole', 'ClusterRoleBinding', 'Deployment', 'Role', 'RoleBinding', 'Service', 'ServiceAccount'],
    ]);
    const { env } = podOf(objects, 'echelon-manager').containers[0];
    expect(env).toContainEqual({ name: 'MANAGER_DRY_RUN', value: '--dry-run' });
  });

  it('switch every component off: nothing is left', async () => {
    expect(await chartObjects({ manager: { enabled: false }, serviceMonitor: { enabled: true } })).toEqual([]);
  });

  it('take the permissions in all namespaces away, and grant those of each namespace', async () => {
    const manager = { clusterRole: false, namespaces: ['b', 'a'], integrationServiceAccount: { create: false } };
    const objects = await chartObjects({ ...LEAST_VALUES, manager, console: { ...CONSOLE_VALUES, only: 'shards' } });
    expect(ofKind(objects, 'Role').map(idOf).sort()).toEqual([
      ...['Role a/echelon-console', 'Role a/echelon-manager', 'Role b/echelon-console', 'Role b/echelon-manager'],
      ...['Role here/echelon-console-record', 'Role here/echelon-manager-lease', 'Role here/echelon-manager-record'],
    ]);
    expect([...ofKind(objects, 'ClusterRole'), ...ofKind(objects, 'ServiceAccount', 'qontract-reconcile')]).toEqual([]);
  });

  it('let the scheduler write the ConfigMap of the history, and the console read it, and no other', async () => {
    const objects = await chartObjects({ ...ALL_COMPONENTS, state: { location: 'configmap:history' } });
    const rules = (name: string) =>
      ofKind(objects, 'Role', name).flatMap((role) =>
        (role.rules ?? []).flatMap(({ resources, resourceNames = ['any'], verbs }) =>
          resources.includes('configmaps') ? [`${verbs.join(' ')}: ${resourceNames.join()}`] : [],
        ),
      );
    expect(rules('echelon-upgrade-scheduler')).toEqual(['create: any', 'get update: history']);
    expect(rules('echelon-console-state')).toEqual(['get: history']);
    expect(rules('echelon-manager-record')).toEqual(['get update: echelon-rollouts', 'create: any']);
    expect(rules('echelon-console-record')).toEqual(['get: echelon-rollouts']);
    expect(JSON.stringify(ofKind(objects, 'Role')).match(/configmaps/g)).toHaveLength(6);
  });

  it('let the manager run Jobs and read their logs only where it runs shadows', async () => {
    const rulesWith = async (shadowJobs: boolean): Promise<string[]> => {
      const objects = await chartObjects({ ...LEAST_VALUES, manager: { shadowJobs, namespaces: ['a'] } });
      const [{ args = [] } = {}] = podOf(objects, 'echelon-manager').containers;
      expect(args.includes('--shadow-jobs')).toBe(shadowJobs);
      const [role] = ofKind(objects, 'Role', 'echelon-manager');
      return (role?.rules ?? []).flatMap(({ resources, verbs }) => resources.map((one) => `${one} ${verbs.join()}`));
    };
    const [without, granted] = [await rulesWith(false), await rulesWith(true)];
    expect(granted.slice(0, without.length)).toEqual(without);
    expect(granted.slice(without.length)).toEqual(['jobs create,delete', 'pods/log get']);
  });

  it('keep a group number as large as OpenShift has them', async () => {
    const values = { ...ALL_COMPONENTS, state: { existingClaim: 'history', fsGroup: 1_000_650_000 } };
    const { securityContext } = podOf(await chartObjects(values), 'echelon-upgrade-scheduler');
    expect(securityContext['fsGroup']).toBe(1_000_650_000);
    const none = await chartObjects({ ...values, state: { existingClaim: 'history', fsGroup: null } });
    expect(podOf(none, 'echelon-upgrade-scheduler').securityContext).not.toHaveProperty('fsGroup');
  });

  it('let the console expect the images that the manager deploys, and decide rollouts as it does', async () => {
    const manager = {
      ...{ environmentName: 'stage', upstream: 'https://git.example/x', integrationImage: 'my/integrations' },
      ...{
        integrationImageTagFromRef: 'stage=main',
        prometheus: 'https://prometheus.example',
        parameters: { IMAGE_TAG: 'v2', REPLICAS: '2' },
      },
    };
    const objects = await chartObjects({ ...ALL_COMPONENTS, manager });
    const [own] = podOf(objects, 'echelon-manager').containers;
    const [console] = podOf(objects, 'echelon-console').containers;
    const FLEET = /^(?:ENVIRONMENT_NAME|ECHELON_PROMETHEUS|INTEGRATIONS_MANAGER_\w+)$/;
    const fleet = ({ env, args }: ChartContainer) => ({
      env: env.filter(({ name }) => FLEET.test(name)),
      args: args.filter((word) => word.startsWith('--parameter=')),
    });
    expect(fleet(own).env.map(({ value }) => value)).toEqual([
      ...['stage', 'https://git.example/x', 'my/integrations', 'stage=main', 'https://prometheus.example'],
    ]);
    expect(fleet(own).args).toEqual(['--parameter=IMAGE_TAG=v2', '--parameter=REPLICAS=2']);
    expect(fleet(console)).toEqual(fleet(own));
  });

  it('gives the console its links', async () => {
    const console = { ...CONSOLE_VALUES, links: { Logs: 'https://logs.example/?n=$namespace' } };
    const [{ args }] = podOf(await chartObjects({ ...LEAST_VALUES, console }), 'echelon-console').containers;
    expect(args).toContain('--link=Logs=https://logs.example/?n=$namespace');
  });

  it('give a console without shards no permission', async () => {
    const console = { ...CONSOLE_VALUES, only: 'upgrades' };
    const objects = await chartObjects({ ...LEAST_VALUES, manager: { enabled: false }, console });
    expect(kinds(objects)).toEqual(['Deployment', 'Service', 'ServiceAccount']);
  });

  it('use Secrets that exist, or make them from values', async () => {
    const existing = {
      config: { existingSecret: 'toml', key: 'my.toml' },
      upgrades: { existingSecret: 'ocm' },
      console: { ...CONSOLE_VALUES, tls: { existingSecret: 'tls' } },
    };
    const found = await chartObjects({ ...ALL_COMPONENTS, ...existing });
    expect(ofKind(found, 'Secret')).toEqual([]);
    const secrets = ({ volumes }: ChartPod): unknown[] =>
      volumes.flatMap(({ secret }) => (secret === undefined ? [] : [secret]));
    expect(secrets(podOf(found, 'echelon-console'))).toEqual([
      { secretName: 'toml', items: [{ key: 'my.toml', path: 'config.toml' }] },
      { secretName: 'ocm' },
      { secretName: 'console-token', items: [{ key: 'token', path: 'token' }] },
      { secretName: 'tls' },
    ]);

    const made = await chartObjects({
      ...ALL_COMPONENTS,
      config: { toml: '[graphql]\nserver = "https://q"\n' },
      upgrades: { config: { environments: [{ name: 'x' }] }, files: { 'client-secret': 's3cret' } },
      console: { ...CONSOLE_VALUES, token: { value: '0123456789abcdef' } },
    });
    expect(
      Object.fromEntries(ofKind(made, 'Secret').map(({ metadata, stringData }) => [metadata.name, stringData])),
    ).toEqual({
      'echelon-config': { 'config.toml': '[graphql]\nserver = "https://q"\n' },
      'echelon-upgrades': { 'upgrades.yml': 'environments:\n- name: x', 'client-secret': 's3cret' },
      'echelon-console': { token: '0123456789abcdef' },
    });
    const names = secrets(podOf(made, 'echelon-console')).map(
      (secret) => (secret as { secretName: string }).secretName,
    );
    expect(names).toEqual(['echelon-config', 'echelon-upgrades', 'echelon-console']);
  });

  it('restart pods when their configuration in values changes, not when the token does', async () => {
    const sums = async (toml: string, token: string): Promise<unknown[]> => {
      const values = { ...ALL_COMPONENTS, config: { toml }, console: { ...CONSOLE_VALUES, token: { value: token } } };
      const objects = await chartObjects(values);
      return ofKind(objects, 'Deployment').map(({ spec }) => (spec as ChartDeployment).template.metadata.annotations);
    };
    const before = await sums('a = 1', '0123456789abcdef');
    expect(await sums('a = 1', 'fedcba9876543210')).toEqual(before);
    const after = await sums('a = 2', '0123456789abcdef');
    for (const [index, sum] of after.entries()) expect(sum).not.toEqual(before[index]);
  });
});

describe('values', () => {
  it.each([
    { given: 'no image', values: { data: 'x' }, says: 'image.repository is required' },
    { given: 'no instance', values: { image: { repository: 'x' } }, says: 'the manager needs an instance' },
    {
      given: 'a scheduler without state',
      values: { ...LEAST_VALUES, upgradeScheduler: { enabled: true } },
      says: 'set state.location or state.existingClaim',
    },
    {
      given: 'an approver without OCM',
      values: { ...LEAST_VALUES, data: '', manager: { enabled: false }, gateApprover: { enabled: true } },
      says: 'set upgrades.existingSecret or upgrades.config',
    },
    {
      given: 'a console without a token',
      values: { ...LEAST_VALUES, console: { ...CONSOLE_VALUES, token: {} } },
      says: 'the console needs a token',
    },
    {
      given: 'a console without TLS',
      values: { ...LEAST_VALUES, console: { ...CONSOLE_VALUES, tls: {} } },
      says: 'the console needs TLS',
    },
    {
      given: 'a short token',
      values: { ...LEAST_VALUES, console: { ...CONSOLE_VALUES, token: { value: 'short' } } },
      says: "at '/console/token/value'",
    },
    {
      given: 'a key that does not exist',
      values: { ...LEAST_VALUES, manager: { dryrun: false } },
      says: "additional properties 'dryrun' not allowed",
    },
    {
      given: 'a number for a parameter',
      values: { ...LEAST_VALUES, manager: { parameters: { LIMIT: 1_000_000 } } },
      says: "at '/manager/parameters/LIMIT'",
    },
    {
      given: 'text for a switch',
      values: { ...LEAST_VALUES, manager: { dryRun: 'no' } },
      says: "at '/manager/dryRun'",
    },
  ])('with $given are refused', async ({ values, says }) => {
    await expect(chartText(values)).rejects.toThrow(says);
  });

  interface Schema {
    readonly $ref?: string;
    readonly description?: string;
    readonly properties?: Readonly<Record<string, Schema>>;
  }

  it('are those that the schema describes', () => {
    const whole = JSON.parse(file('charts/echelon/values.schema.json')) as Schema & { $defs: Record<string, Schema> };
    const keys = (schema: Schema, at = ''): string[] => {
      const own = schema.$ref === undefined ? schema : (whole.$defs[schema.$ref.split('/').at(-1) ?? ''] ?? {});
      if (at !== '') expect(own.description, at).toMatch(/\S/);
      return Object.entries(own.properties ?? {}).flatMap(([key, one]) => [
        `${at}/${key}`,
        ...keys(one, `${at}/${key}`),
      ]);
    };
    const given = (value: unknown, described: ReadonlySet<string>, at = ''): string[] =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? []
        : Object.entries(value).flatMap(([key, one]) =>
            [`${at}/${key}`, ...given(one, described, `${at}/${key}`)].filter(
              (path) => described.has(path) || path === `${at}/${key}`,
            ),
          );
    const described = keys(whole).filter((path) => path !== '/global');
    const values = given(load(file('charts/echelon/values.yaml')), new Set(described));
    expect(values.toSorted()).toEqual(described.toSorted());
  });
});
