import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ManagerRun, managerRun } from '../support/manager-run.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';
import { integrationText, type SimFleet, simFleet, writesOf } from '../support/sim-fleet.ts';

let manager: ManagerRun;
beforeEach(async () => {
  manager = await managerRun();
  manager.write('chart/Chart.yaml', 'apiVersion: v2\nname: small\nversion: 0.1.0\n');
});
afterEach(() => manager.dispose());

const CHART = ['--chart', 'chart'];

interface Item {
  readonly namespace: string;
  readonly objects: readonly { readonly kind: string; readonly metadata: { readonly name: string } }[];
}

/** Renders with a chart of one file for the lab, which has two integrations of different upstreams, unless other arguments are given. */
async function render(template: string, args: readonly string[] = ['--environment-name', 'edge-lab']) {
  manager.write('chart/templates/all.yaml', template);
  const line = ['render', '--data', EXAMPLE_INSTANCE, '-o', 'json', ...CHART, ...args];
  const { code, stdout, stderr } = await manager.run(line, { cwd: manager.root });
  const items: Item[] = stdout === '' ? [] : JSON.parse(stdout).items;
  return { code, stderr, items, objects: items.flatMap(({ objects }) => objects) };
}

const MANIFESTS = `
{{- range .Values.integrations }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .name }}
  namespace: elsewhere
data:
  shards: {{ len .shard_specs | quote }}
  kept: \${IMAGE}
{{- end }}
{{- range $entry := concat .Values.integrations .Values.cronjobs }}
{{- range .shard_specs }}
---
apiVersion: {{ if $entry.cron }}batch/v1{{ else }}apps/v1{{ end }}
kind: {{ if $entry.cron }}CronJob{{ else if $entry.cache }}StatefulSet{{ else }}Deployment{{ end }}
metadata:
  name: qontract-reconcile-{{ $entry.name }}{{ .shard_name_suffix }}
{{- end }}
{{- end }}
`;

const TEMPLATE = `
apiVersion: template.openshift.io/v1
kind: Template
metadata: { name: small }
labels: { from: template }
objects:
{{- range .Values.integrations }}
- apiVersion: v1
  kind: ConfigMap
  metadata: { name: {{ .name }} }
  data: { image: "\${IMAGE}:\${IMAGE_TAG}", unknown: "\${NOBODY}", level: "\${LOG_LEVEL}" }
  immutable: \${{ "{{" }}FROZEN{{ "}}" }}
- apiVersion: apps/v1
  kind: Deployment
  metadata: { name: qontract-reconcile-{{ .name }} }
{{- end }}
parameters:
- { name: IMAGE, value: x }
- { name: IMAGE_TAG, value: 7 }
- { name: LOG_LEVEL }
- { name: FROZEN, value: "true" }
`;

const configMapsOf = (objects: Item['objects']) => objects.filter(({ kind }) => kind === 'ConfigMap');

const configMap = (name: string, rest: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'edge-lab' },
  ...rest,
});

describe('a chart of your own', () => {
  it('may write plain manifests, which are placed and left as they are', async () => {
    const data = { shards: '1', kept: '${IMAGE}' };
    const { code, stderr, objects } = await render(MANIFESTS);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(configMapsOf(objects)).toEqual(
      ['fleet-label-exporter', 'integrations-manager'].map((name) => configMap(name, { data })),
    );
  });

  it('may write a Template, which is processed', async () => {
    const images: Record<string, string> = {
      'fleet-label-exporter': 'quay.io/example/fleet-tools:a4e1c58',
      'integrations-manager': 'quay.io/app-sre/qontract-reconcile:7',
    };
    const { code, stderr, objects } = await render(TEMPLATE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(configMapsOf(objects)).toEqual(
      Object.entries(images).map(([name, image]) => ({
        ...configMap(name, { data: { image, unknown: '${NOBODY}', level: 'INFO' }, immutable: true }),
        metadata: { name, namespace: 'edge-lab', labels: { from: 'template' } },
      })),
    );
  });

  it('must not write nothing at all', async () => {
    const { code, stderr } = await render('# nothing\n');
    expect(code).toBe(1);
    expect(stderr).toContain('the chart rendered no objects [CHART_OUTPUT]');
  });

  it('is another chart after an edit, whatever was rendered before', async () => {
    await render(MANIFESTS);
    const { objects } = await render(MANIFESTS.replace('ConfigMap', 'Secret'));
    expect(objects).toEqual(expect.arrayContaining([expect.objectContaining({ kind: 'Secret' })]));
  });
});

const FAILING = `
{{- range .Values.integrations }}
{{- if eq .name "fleet-label-exporter" }}{{ fail (printf "%s is not welcome" .name) }}{{ end }}
{{- end }}
${MANIFESTS}`;

const EXPORTER = 'fleet-label-exporter (data/integrations/fleet-label-exporter.yaml)';

describe('a chart that fails', () => {
  it('for one integration leaves the others of the namespace alone, and other namespaces', async () => {
    const { code, stderr, items } = await render(FAILING, []);
    expect(code).toBe(1);
    expect(stderr.match(/^error: \S+, .*?\)/gm)).toEqual(
      ['app-sre-prod-01/app-interface-production', 'app-sre-stage-01/app-interface-stage', 'edge-lab-01/edge-lab'].map(
        (target) => `error: ${target}, ${EXPORTER}`,
      ),
    );
    expect(stderr).toContain('fleet-label-exporter is not welcome [HELM_FAILED]\n');
    expect(items.map(({ namespace, objects }) => [namespace, objects.length > 0])).toEqual([
      ['app-interface-production', true],
      ['app-interface-internal', true],
      ['app-interface-stage', true],
      ['edge-lab', true],
    ]);
    expect(JSON.stringify(items)).not.toContain('fleet-label-exporter');
  });

  it.each([
    {
      given: 'for everything',
      template: '{{ fail "no" }}',
      says: [`${EXPORTER}: helm failed: execution error at (small/templates/all.yaml:1:3): no [HELM_FAILED]`],
    },
    {
      given: 'by a list',
      template: '- a\n- b\n',
      says: [`${EXPORTER}: helm failed: YAML parse error on small/templates/all.yaml: `],
    },
    {
      given: 'by a List with something else in it',
      template: 'apiVersion: v1\nkind: List\nitems: [{kind: x}]\n',
      says: ['the chart rendered an object without apiVersion, kind or metadata.name: '],
    },
    { given: 'by text that is not YAML', template: 'a: [\n', says: ['[HELM_FAILED]'] },
    {
      given: 'by a Template next to other objects',
      template: `${TEMPLATE}---${MANIFESTS}`,
      says: [
        'the chart rendered a Template next to other objects [CHART_OUTPUT]\n    move the objects into the Template',
      ],
    },
    {
      given: 'by an object that stands twice',
      template:
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
      says: ['the chart rendered ConfigMap a twice for edge-lab-01/edge-lab [CHART_OUTPUT]'],
    },
    {
      given: 'by a parameter that nobody sets',
      template: 'kind: Template\nobjects: []\nparameters:\n- {name: TOKEN, required: true}\n',
      says: [
        `${EXPORTER}: no value for the template parameter TOKEN [PARAMETER_MISSING]`,
        "set TOKEN in the environment's parameters, or pass --parameter TOKEN=VALUE",
      ],
    },
  ])('$given says where and why', async ({ template, says }) => {
    const { code, stderr, objects } = await render(template);
    expect({ code, objects }).toEqual({ code: 1, objects: [] });
    expect(stderr).toMatch(/^error: edge-lab-01\/edge-lab, /);
    for (const text of says) expect(stderr).toContain(text);
    expect(stderr).not.toContain('echelon-helm-');
  });

  it('is told apart from a folder that is no chart', async () => {
    const { code, stdout, stderr } = await manager.run(['render', '--data', EXAMPLE_INSTANCE, '--chart', manager.root]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${manager.root} is not a chart: it has no Chart.yaml\n code: CHART_NOT_FOUND\n`);
  });
});

/** A chart of Deployments with these objects for every shard. */
const SHARDS = (objects: string): string => `
{{- range $entry := .Values.integrations }}
{{- range .shard_specs }}
{{- $shard := printf "%s%s" $entry.name .shard_name_suffix }}
${objects}
{{- end }}
{{- end }}
---
apiVersion: v1
kind: Service
metadata: { name: qontract-reconcile }
spec: { ports: [{ port: 80 }] }
`;

const DEPLOYMENT = (name: string): string => `
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: "${name}{{ $shard }}" }
spec:
  selector: { matchLabels: { app: "{{ $shard }}" } }
  template: { metadata: { labels: { app: "{{ $shard }}" } }, spec: { containers: [{ name: int, image: x }] } }
`;

const USUAL = DEPLOYMENT('qontract-reconcile-');
const RESOURCES = 'lab/fleet, terraform-resources (data/integrations/terraform-resources.yml): the chart rendered';

describe('S8: a running fleet', () => {
  let fleet: SimFleet;
  beforeEach(async () => {
    fleet = await simFleet();
    for (const name of ['terraform-users', 'terraform-gone']) {
      fleet.write(`integrations/${name}.yml`, integrationText(name, ['lab']).replace('per-aws-account', 'static'));
    }
  });
  afterEach(() => fleet.dispose());

  function apply(objects: string) {
    fleet.sim.clearRequests();
    fleet.manager.write('chart/Chart.yaml', 'apiVersion: v2\nname: small\nversion: 0.1.0\n');
    fleet.manager.write('chart/templates/all.yaml', SHARDS(objects));
    return fleet.run(['apply', '--yes', '--chart', fleet.manager.path('chart')]);
  }

  const deletions = (): string[] => writesOf(fleet.sim).filter((write) => write.startsWith('DELETE'));

  it.each([
    {
      given: 'leaves out a shard',
      objects: `{{- if ne $shard "terraform-resources-beta" }}${USUAL}{{ end }}`,
      says: [`${RESOURCES} no workload for shard beta [CHART_OUTPUT]`],
    },
    {
      given: 'leaves out an integration',
      objects: `{{- if ne $entry.name "terraform-resources" }}${USUAL}{{ end }}`,
      says: [`${RESOURCES} no workload for shards alpha, beta, gamma [CHART_OUTPUT]`],
    },
    {
      given: 'doubles a shard',
      objects: `${USUAL}{{- if eq $shard "terraform-resources-beta" }}${DEPLOYMENT('copy-')}{{ end }}`,
      says: [
        `${RESOURCES} 2 workloads for shard beta (Deployment/copy-terraform-resources-beta, Deployment/qontract-reconcile-terraform-resources-beta) [CHART_OUTPUT]`,
      ],
    },
    {
      given: 'renders only the Service',
      objects: '',
      says: ['terraform-users (data/integrations/terraform-users.yml): the chart rendered no workloads [CHART_OUTPUT]'],
    },
  ])('loses nothing to a chart that $given, until the chart is mended', async ({ objects, says }) => {
    expect(await apply(USUAL)).toMatchObject({ code: 0, stderr: '' });
    fleet.write('integrations/terraform-gone.yml', integrationText('terraform-gone', []).replace('managed:\n', ''));
    const { code, stdout, stderr } = await apply(objects);
    expect(code).toBe(1);
    for (const text of says) expect(stderr).toContain(text);
    expect(stdout).toContain('its namespace could not be rendered completely');
    expect(writesOf(fleet.sim)).toEqual([]);

    expect(await apply(USUAL)).toMatchObject({ code: 0 });
    expect(deletions()).toEqual([expect.stringMatching(/\/qontract-reconcile-terraform-gone$/)]);
  });

  it('loses nothing to a values document of any size around a page', async () => {
    const padded = (padding: number): void =>
      fleet.write(
        'integrations/terraform-users.yml',
        integrationText('terraform-users', ['lab'])
          .replace('per-aws-account', 'static')
          .replace('  spec:\n', `  spec:\n    extraEnv: [{ name: PADDING, value: ${'x'.repeat(padding)} }]\n`),
      );
    const documentBytes = async (): Promise<number> => {
      const { stdout } = await fleet.run(['values', '-o', 'json']);
      return Buffer.byteLength(JSON.stringify(JSON.parse(stdout).items[0].values));
    };
    padded(1);
    expect(await fleet.run(['apply', '--yes'])).toMatchObject({ code: 0, stderr: '' });
    const room = 4096 - (await documentBytes());
    for (const more of [-1, 0, 1]) {
      padded(room + 1 + more);
      expect(await documentBytes()).toBe(4096 + more);
      fleet.sim.clearRequests();
      expect(await fleet.run(['apply', '--yes'])).toMatchObject({ code: 0, stderr: '' });
      expect(deletions()).toEqual([]);
    }
  });
});

describe('what bootstrap makes of a chart of your own', () => {
  it('has the access of the manager before it', async () => {
    manager.write('chart/templates/all.yaml', MANIFESTS);
    const line = ['bootstrap', ...CHART, '--format', 'manifests', '--image', 'x', '-n', 'here', '-o', 'json'];
    const { stdout } = await manager.run(line, { cwd: manager.root });
    const kinds = JSON.parse(stdout).items.map(({ kind }: { kind: string }) => kind);
    const account = ['ServiceAccount', 'Role', 'RoleBinding'];
    const access = ['Namespace', ...account, ...account, 'ClusterRole', 'ClusterRoleBinding'];
    expect(kinds).toEqual([...access, 'ConfigMap', 'Deployment']);
  });
});
