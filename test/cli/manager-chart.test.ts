import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ManagerRun, managerRun } from '../support/manager-run.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

let manager: ManagerRun;
beforeEach(async () => {
  manager = await managerRun();
  manager.write('chart/Chart.yaml', 'apiVersion: v2\nname: small\nversion: 0.1.0\n');
});
afterEach(() => manager.dispose());

const CHART = ['--chart', 'chart'];

interface Item {
  readonly namespace: string;
  readonly objects: readonly object[];
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
{{- end }}
parameters:
- { name: IMAGE, value: x }
- { name: IMAGE_TAG, value: 7 }
- { name: LOG_LEVEL }
- { name: FROZEN, value: "true" }
`;

const configMap = (name: string, rest: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'edge-lab' },
  ...rest,
});

describe('a chart of your own', () => {
  it('may write plain manifests, which are placed and left as they are', async () => {
    const data = { shards: '1', kept: '${IMAGE}' };
    const objects = ['fleet-label-exporter', 'integrations-manager'].map((name) => configMap(name, { data }));
    expect(await render(MANIFESTS)).toMatchObject({ code: 0, stderr: '', objects });
  });

  it('may write a Template, which is processed', async () => {
    const images: Record<string, string> = {
      'fleet-label-exporter': 'quay.io/example/fleet-tools:a4e1c58',
      'integrations-manager': 'quay.io/app-sre/qontract-reconcile:7',
    };
    const { code, stderr, objects } = await render(TEMPLATE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(objects).toEqual(
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

describe('what bootstrap makes of a chart of your own', () => {
  it('has the access of the manager before it', async () => {
    manager.write('chart/templates/all.yaml', MANIFESTS);
    const line = ['bootstrap', ...CHART, '--format', 'manifests', '--image', 'x', '-n', 'here', '-o', 'json'];
    const { stdout } = await manager.run(line, { cwd: manager.root });
    const kinds = JSON.parse(stdout).items.map(({ kind }: { kind: string }) => kind);
    const account = ['ServiceAccount', 'Role', 'RoleBinding'];
    const access = ['Namespace', ...account, ...account, 'ClusterRole', 'ClusterRoleBinding'];
    expect(kinds).toEqual([...access, 'ConfigMap']);
  });
});
