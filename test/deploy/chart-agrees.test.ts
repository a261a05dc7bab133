import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  ALL_COMPONENTS,
  type ChartContainer,
  type ChartDeployment,
  type ChartObject,
  chartObjects,
  deploymentOf,
  INSTALL_CHART,
  type Json,
  LEAST_VALUES,
  ON_DEMAND,
  ofKind,
  podOf,
  rightsOf,
} from '../support/install-chart.ts';
import { testHelm } from '../support/render-chart.ts';
import { runCli } from '../support/run-cli.ts';
import { REPO } from '../support/shared.ts';

const file = (...path: string[]): string => readFileSync(join(REPO, ...path), 'utf8');

let everything: ChartObject[];
let bootstrap: ChartObject[];

beforeAll(async () => {
  everything = await chartObjects({ ...ALL_COMPONENTS, ...ON_DEMAND });
  const args = ['manager', 'bootstrap', '--format', 'manifests', '--image', 'example/echelon', '--image-tag', '0.1.0'];
  const { stdout } = await runCli([...args, '-n', 'here', '-o', 'json'], { env: { HELM_BIN: await testHelm() } });
  bootstrap = (JSON.parse(stdout) as { items: ChartObject[] }).items;
});

describe('the chart and what else describes a deployment', () => {
  it('has the version of the package', () => {
    const { version } = JSON.parse(file('package.json')) as { version: string };
    expect(load(file('charts/echelon/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('has the alerts of deploy, byte by byte', () => {
    const names = readdirSync(join(REPO, 'deploy/alerts')).filter((name) => name.endsWith('.yaml'));
    expect(readdirSync(join(INSTALL_CHART, 'files/alerts')).sort()).toEqual(names.sort());
    for (const name of names) expect(file('charts/echelon/files/alerts', name)).toBe(file('deploy/alerts', name));
    const [rule] = ofKind(everything, 'PrometheusRule');
    const groups = names.flatMap((name) => (load(file('deploy/alerts', name)) as { groups: Json[] }).groups);
    const byName = (a: Json, b: Json): number => (String(a['name']) < String(b['name']) ? -1 : 1);
    expect((rule as unknown as { spec: { groups: Json[] } }).spec.groups.toSorted(byName)).toEqual(
      groups.toSorted(byName),
    );
  });

  it('gives manager and console together the rights of bootstrap, and each no more than it needs', () => {
    const write = ['create', 'delete', 'list', 'patch', 'watch'];
    const operated = ['apps/deployments', 'apps/statefulsets', 'batch/cronjobs', '/services'];
    const manager = [
      ...operated.flatMap((kind) => write.map((verb) => `${verb} ${kind}`)),
      'list /pods',
      'list batch/jobs',
    ];
    const console = [
      'apps/deployments',
      'apps/statefulsets',
      'batch/cronjobs',
      'batch/jobs',
      'apps/replicasets',
      '/pods',
    ];
    const leases = ['create', 'get', 'update'].map((verb) => `${verb} coordination.k8s.io/leases`);
    const rights = (name: string): string[] => rightsOf(ofKind(everything, 'Role', name));
    expect(rights('echelon-manager')).toEqual(manager.sort());
    expect(rights('echelon-console')).toEqual(console.map((kind) => `list ${kind}`).sort());
    for (const name of ['manager-lease', 'manager-integrations', 'upgrade-scheduler', 'gate-approver'])
      expect(rights(`echelon-${name}`)).toEqual(leases);
    expect(rights('echelon-manager-record')).toEqual(['create', 'get', 'update'].map((verb) => `${verb} /configmaps`));
    expect(rights('echelon-console-record')).toEqual(['get /configmaps']);
    const together = ['manager', 'manager-lease', 'manager-record', 'console'].flatMap((name) =>
      rights(`echelon-${name}`),
    );
    expect([...new Set(together)].sort()).toEqual(rightsOf(ofKind(bootstrap, 'Role', 'integrations-manager')));
    expect(rights('echelon-manager-integrations')).toEqual(rightsOf(ofKind(bootstrap, 'Role', 'qontract-reconcile')));
    expect(rightsOf(ofKind(everything, 'ClusterRole'))).toEqual(rightsOf(ofKind(bootstrap, 'ClusterRole')));
  });

  it('runs the manager as bootstrap does: ports, probes, security, account, environment', () => {
    const name = 'qontract-reconcile-integrations-manager';
    const [ours, theirs] = [deploymentOf(everything, 'echelon-manager'), deploymentOf(bootstrap, name)];
    expect(ours.strategy).toEqual(theirs.strategy);
    const [{ containers: own, ...pod }, { containers: other, ...otherPod }] = [
      ours.template.spec,
      theirs.template.spec,
    ];
    expect(pod.securityContext).toEqual(otherPod.securityContext);
    expect(pod.automountServiceAccountToken).toBe(otherPod.automountServiceAccountToken);
    for (const field of ['ports', 'livenessProbe', 'readinessProbe', 'securityContext', 'resources'] as const)
      expect(own[0][field], field).toEqual(other[0][field]);
    const account = (from: readonly ({ readonly name: string } & Json)[]): unknown =>
      from.find((volume) => 'projected' in volume)?.['projected'];
    expect(account(pod.volumes)).toEqual(account(otherPod.volumes));
    const values = new Map(other[0].env.map((variable) => [variable.name, variable.value]));
    const shared = own[0].env.filter((variable) => values.has(variable.name));
    expect(shared.map((variable) => variable.name)).toEqual(
      expect.arrayContaining(['MANAGER_DRY_RUN', 'ENVIRONMENT_NAME', 'SLEEP_DURATION_SECS', 'KUBE_SA_TOKEN_PATH']),
    );
    for (const variable of shared) expect(variable.value, variable.name).toBe(values.get(variable.name));
    expect(own[0].args).toEqual(['run', values.get('INTEGRATION_NAME')]);
  });

  it('mounts config.toml where bootstrap does', async () => {
    const [container] = podOf(
      await chartObjects({ ...LEAST_VALUES, config: { existingSecret: 'toml' } }),
      'echelon-manager',
    ).containers;
    const [other] = podOf(bootstrap, 'qontract-reconcile-integrations-manager').containers;
    const paths = ({ volumeMounts }: ChartContainer): string[] => volumeMounts.map(({ mountPath }) => mountPath).sort();
    expect(paths(container)).toEqual(paths(other));
    const config = ({ env }: ChartContainer): unknown => env.find(({ name }) => name === 'CONFIG');
    expect(config(container)).toEqual(config(other));
  });

  it('gives every component the cache folder of the image, as bootstrap does: a volume in memory of one container', () => {
    const folder = /XDG_CACHE_HOME=(\S+)/.exec(file('deploy/Containerfile'))?.[1];
    const pods = [...ofKind(everything, 'Deployment'), ...ofKind(bootstrap, 'Deployment')].map(
      ({ spec }) => (spec as ChartDeployment).template.spec,
    );
    expect(pods).toHaveLength(5);
    for (const { containers, volumes } of pods) {
      const mounts = containers.flatMap(({ volumeMounts }) =>
        volumeMounts.filter(({ mountPath }) => mountPath === folder),
      );
      expect(mounts).toEqual([{ name: 'echelon-cache', mountPath: folder }]);
      expect(volumes.filter(({ name }) => name === 'echelon-cache')).toEqual([
        { name: 'echelon-cache', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
      ]);
    }
  });

  it('makes the account of integrations that bootstrap makes', () => {
    const accounts = ofKind(bootstrap, 'ServiceAccount').map(({ metadata }) => metadata.name);
    expect(accounts).toContain('qontract-reconcile');
    expect(ofKind(everything, 'ServiceAccount', 'qontract-reconcile')).toHaveLength(1);
  });

  it('has the network policy of deploy', () => {
    interface Policy {
      readonly ingress: readonly Json[];
      readonly egress: readonly { readonly to?: unknown; readonly ports: readonly Json[] }[];
    }
    const { spec: given } = load(file('deploy/network-policy.yaml')) as { spec: Policy };
    const own = ofKind(everything, 'NetworkPolicy', 'echelon-manager')[0]?.spec as Policy;
    const byPort = (ports: readonly Json[]): Json[] =>
      ports.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    expect(own.egress.map(({ to, ports }) => ({ to, ports: byPort(ports) }))).toEqual(
      given.egress.map(({ to, ports }) => ({ to, ports: byPort(ports) })),
    );
    const ports = podOf(everything, 'echelon-manager').containers[0].ports;
    expect(own.ingress.map((one) => one['from'])).toEqual(given.ingress.map((one) => one['from']));
    expect(own.ingress[0]?.['ports']).toEqual([{ protocol: 'TCP', port: ports[0]?.name }]);
    expect(given.ingress[0]?.['ports']).toEqual([{ protocol: 'TCP', port: ports[0]?.containerPort }]);
  });
});
