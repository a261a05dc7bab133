import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CRON,
  EVERY_OPTION,
  LOOP,
  ONLY_SHARD,
  OWN_CHART,
  type RenderedChart,
  renderChart,
  testHelm,
  valuesWith,
} from '../../support/render-chart.ts';
import { COMMON_PARAMETERS, CRON_JOB, DEPLOYMENT, OWN_PARAMETERS, SERVICE } from './base.ts';

describe('the Template', () => {
  it('of an empty namespace has the Service alone', async () => {
    const { workloads, services } = await renderChart(valuesWith());
    expect({ workloads, services }).toEqual({ workloads: [], services: [SERVICE] });
  });

  it('declares nothing that is not text, and nothing twice', async () => {
    const other = { ...LOOP, ...EVERY_OPTION, name: 'other' };
    const { parameters } = await renderChart(
      valuesWith({ ...LOOP, ...EVERY_OPTION }, other, { ...CRON, name: 'timed' }),
    );
    expect(parameters.filter(({ value }) => typeof value !== 'string')).toEqual([]);
    const names = parameters.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(parameters).toEqual(
      expect.arrayContaining([
        { name: 'INTEG_CPU_REQUEST', value: '1' },
        { name: 'INTEG_CPU_LIMIT', value: '0.5' },
        { name: 'OTHER_FLUENTD_MEMORY_LIMIT', value: '1e3' },
        { name: 'OTHER_SLEEP_DURATION_SECS', value: '29' },
        { name: 'TIMED_CPU_REQUEST', value: '123' },
      ]),
    );
  });

  it.each([
    {
      given: 'numbers',
      resources: { requests: { cpu: 1, memory: 45 }, limits: { memory: 0.5 } },
      texts: ['0.5', '1', '45'],
    },
    {
      given: 'text',
      resources: { requests: { cpu: '1', memory: '45' }, limits: { memory: '0.5' } },
      texts: ['0.5', '1', '45'],
    },
  ])('declares quantities that the values have as $given as text', async ({ resources, texts }) => {
    const { parameters } = await renderChart(valuesWith({ ...LOOP, resources }));
    expect(parameters.filter(({ name }) => name in OWN_PARAMETERS).map(({ value }) => value)).toEqual(texts);
  });

  it('declares everything that it refers to', async () => {
    const { text, parameters } = await renderChart(
      valuesWith({ ...LOOP, ...EVERY_OPTION }, { ...CRON, ...EVERY_OPTION, name: 'timed' }),
    );
    const declared = new Set(parameters.map(({ name }) => name));
    const references = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name ?? '');
    expect(references.filter((name) => !declared.has(name))).toEqual([]);
  });

  it('has the workloads of several integrations, those on a schedule after the others, and one Service', async () => {
    const values = valuesWith({ ...LOOP, name: 'b' }, { ...CRON, name: 'c' }, { ...LOOP, name: 'a' });
    const { workloads, services, parameters } = await renderChart(values);
    const named = (name: string, base: object) => JSON.parse(renamed(base, name));
    expect(workloads).toEqual([named('b', DEPLOYMENT), named('a', DEPLOYMENT), named('c', CRON_JOB)]);
    expect(services).toEqual([SERVICE]);
    expect(parameters.map(({ name }) => name)).toEqual([
      ...Object.keys(COMMON_PARAMETERS),
      ...['B', 'A', 'C'].flatMap((name) => Object.keys(OWN_PARAMETERS).map((own) => own.replace('INTEG', name))),
    ]);
  });

  it('leaves the Service out when it is told to', async () => {
    const { workloads, services } = await renderChart({ ...valuesWith(LOOP), excludeService: true });
    expect({ workloads, services }).toEqual({ workloads: [DEPLOYMENT], services: [] });
  });

  it('has the same bytes each time', async () => {
    const values = valuesWith({ ...LOOP, ...EVERY_OPTION }, { ...CRON, ...EVERY_OPTION, name: 'timed' });
    expect((await renderChart(values)).text).toBe((await renderChart(values)).text);
  });
});

function renamed(base: object, name: string): string {
  return JSON.stringify(base)
    .replaceAll('reconcile-integ', `reconcile-${name}`)
    .replaceAll('"integ"', `"${name}"`)
    .replaceAll('INTEG_', `${name.toUpperCase()}_`);
}

describe('the chart', () => {
  it('passes helm lint --strict', async () => {
    const said = execFileSync(await testHelm(), ['lint', '--strict', OWN_CHART], { encoding: 'utf8' });
    expect(said).toContain('0 chart(s) failed');
    expect(said).not.toMatch(/\[(WARNING|ERROR)\]/);
  });
});

interface Container {
  readonly name: string;
  readonly securityContext?: object;
  readonly resources?: { readonly requests?: object; readonly limits?: object };
}

describe('every container of every pod, with every option on', () => {
  let rendered: RenderedChart;
  beforeAll(async () => {
    const shard_specs = [ONLY_SHARD, { ...ONLY_SHARD, shard_name_suffix: '-x', shard_key: 'x' }];
    const timed = { ...CRON, ...EVERY_OPTION, name: 'timed', shard_specs };
    rendered = await renderChart(valuesWith({ ...LOOP, ...EVERY_OPTION, shard_specs }, timed));
  });

  const pods = () =>
    rendered.workloads.map((object) => {
      const spec = object['spec'] as { template?: object; jobTemplate?: { spec: { template: object } } };
      return (spec.template ?? spec.jobTemplate?.spec.template) as {
        spec: { securityContext: object; containers: Container[]; initContainers?: Container[] };
      };
    });
  const containers = () => pods().flatMap(({ spec }) => [...(spec.initContainers ?? []), ...spec.containers]);

  it('is there', () => {
    const loop = ['internal-certificates', 'config', 'int', 'fluentd'];
    const timed = ['internal-certificates', 'int'];
    expect(containers().map(({ name }) => name)).toEqual([...loop, ...loop, ...timed, ...timed]);
  });

  it('runs as nobody in particular, without privileges, on a file system that it cannot write to', () => {
    const pod = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
    expect(pods().map(({ spec }) => spec.securityContext)).toEqual(pods().map(() => pod));
    const container = {
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    };
    expect(containers().map(({ securityContext }) => securityContext)).toEqual(containers().map(() => container));
  });

  it('asks for something and is limited in memory', () => {
    const incomplete = containers().filter(
      ({ resources }) => resources?.requests === undefined || !('memory' in (resources.limits ?? {})),
    );
    expect(incomplete.map(({ name }) => name)).toEqual([]);
  });
});
