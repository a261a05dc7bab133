import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processTemplate, type Template } from '../../src/manager/desired/template.ts';
import { readChartOutput } from '../../src/manager/index.ts';
import { schemaFaults } from '../support/kubernetes-schema.ts';
import { CRON, EVERY_OPTION, LOOP, renderChart, testHelm, valuesWith } from '../support/render-chart.ts';
import { runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE } from '../support/shared.ts';

interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

let env: Record<string, string>;
let objects: KubeObject[];

beforeAll(async () => {
  env = { HELM_BIN: await testHelm(), XDG_CACHE_HOME: mkdtempSync(join(tmpdir(), 'echelon-cache-')) };
  const { stdout } = await runCli(['manager', 'render', '-o', 'json', '--data', EXAMPLE_INSTANCE], { env });
  objects = JSON.parse(stdout).items.flatMap((item: { objects: KubeObject[] }) => item.objects);
});
afterAll(() => rmSync(env['XDG_CACHE_HOME'] ?? '', { recursive: true, force: true }));

describe('what Kubernetes would refuse', () => {
  it('is nothing in all that the example renders to', () => {
    const faults = objects.flatMap((object) =>
      schemaFaults(object).map((fault) => `${object.kind} ${object.metadata.name} ${fault}`),
    );
    expect(faults).toEqual([]);
    expect([...new Set(objects.map(({ kind }) => kind))].sort()).toEqual([
      ...['CronJob', 'Deployment', 'Service', 'StatefulSet'],
    ]);
    expect(objects.length).toBeGreaterThan(100);
  });

  it('is nothing with every option on', async () => {
    const loop = { ...LOOP, ...EVERY_OPTION };
    const { text } = await renderChart(valuesWith(loop, { ...loop, cache: false }, { ...CRON, ...EVERY_OPTION }));
    const rendered = processTemplate(readChartOutput(text) as Template, new Map()) as unknown as KubeObject[];
    expect(rendered.flatMap(schemaFaults)).toEqual([]);
    expect(rendered.map(({ kind }) => kind)).toEqual(['StatefulSet', 'Deployment', 'CronJob', 'Service']);
  });

  it("is nothing in the manager's own deployment", async () => {
    const args = ['manager', 'bootstrap', '--format', 'manifests', '--image', 'example.com/echelon', '-o', 'json'];
    const { stdout } = await runCli([...args, '-n', 'here'], { env });
    const { items } = JSON.parse(stdout) as { items: KubeObject[] };
    expect(items.flatMap(schemaFaults)).toEqual([]);
    expect(items.map(({ kind }) => kind)).toEqual([
      ...['Namespace', 'ServiceAccount', 'Role', 'RoleBinding', 'ServiceAccount', 'Role', 'RoleBinding'],
      ...['ClusterRole', 'ClusterRoleBinding', 'Deployment'],
    ]);
  });
});

/** A change to the text of an object, and the fault that it makes. */
const MUTATIONS = [
  { kind: 'Deployment', from: '"replicas":', to: '"replica":', fault: '/spec/replica: no such field' },
  { kind: 'Deployment', from: '"replicas":1', to: '"replicas":"1"', fault: '/spec/replicas: type' },
  { kind: 'Deployment', from: '"type":"RollingUpdate"', to: '"type":"Rolling"', fault: '/spec/strategy/type: enum' },
  {
    kind: 'Deployment',
    from: '"selector":',
    to: '"selektor":',
    fault: '/spec: required {"missingProperty":"selector"}',
  },
  {
    kind: 'Deployment',
    from: '"allowPrivilegeEscalation":',
    to: '"allowPrivilegeEscalations":',
    fault: '/securityContext/allowPrivilegeEscalations: no such field',
  },
  {
    kind: 'Deployment',
    from: '"containerPort":9090',
    to: '"containerPort":"9090"',
    fault: '/spec/template/spec/containers/0/ports/0/containerPort: type',
  },
  {
    kind: 'Deployment',
    from: '"name":"DRY_RUN","value":"--no-dry-run"',
    to: '"name":"DRY_RUN","value":true',
    fault: '/value: type',
  },
  { kind: 'Deployment', from: '"shard":"0"', to: '"shard":0', fault: '/metadata/labels/shard: type' },
  {
    kind: 'StatefulSet',
    from: '"volumeClaimTemplates":',
    to: '"volumeClaims":',
    fault: '/spec/volumeClaims: no such field',
  },
  {
    kind: 'StatefulSet',
    from: '"accessModes":["ReadWriteOnce"]',
    to: '"accessModes":"ReadWriteOnce"',
    fault: '/spec/volumeClaimTemplates/0/spec/accessModes: type',
  },
  { kind: 'CronJob', from: '"schedule":', to: '"cron":', fault: '/spec: required {"missingProperty":"schedule"}' },
  {
    kind: 'CronJob',
    from: '"concurrencyPolicy":"Forbid"',
    to: '"concurrencyPolicy":"Never"',
    fault: '/spec/concurrencyPolicy: enum',
  },
  {
    kind: 'Deployment',
    from: '"memory":"500Mi"',
    to: '"memory":"500 MB"',
    fault: '/memory: format {"format":"quantity"}',
  },
  { kind: 'Service', from: '"port":80', to: '"port":"80"', fault: '/spec/ports/0/port: type' },
  { kind: 'Service', from: '"apiVersion":"v1"', to: '"apiVersion":"v2"', fault: 'no schema for v2 Service' },
];

describe('what Kubernetes would refuse is found', () => {
  it.each(MUTATIONS)('in a $kind where $from is $to', ({ kind, from, to, fault }) => {
    const texts = objects.filter((object) => object.kind === kind).map((object) => JSON.stringify(object));
    const text = texts.find((candidate) => candidate.includes(from)) ?? '';
    const faults = schemaFaults(JSON.parse(text.replace(from, to)));
    expect(faults).toEqual(expect.arrayContaining([expect.stringContaining(fault)]));
  });
});
