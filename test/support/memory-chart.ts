import { EchelonError } from '../../src/base/index.ts';
import type { NamespaceValues } from '../../src/manager/desired/values.ts';
import type { ChartRenderer } from '../../src/manager/index.ts';

type EntryValues = NamespaceValues['integrations'][number];

export interface MemoryChart extends ChartRenderer {
  /** The integrations of each render, in the order of the renders. */
  readonly renders: string[][];
}

export interface MemoryChartOptions {
  readonly identity?: string;
  /** What the chart says to values that it does not take. */
  readonly fault?: (names: readonly string[]) => Error | undefined;
  /** What the chart writes; a Template with a Deployment for each shard when absent. */
  readonly write?: (values: NamespaceValues) => unknown;
  readonly before?: (names: readonly string[]) => void | Promise<void>;
}

/** A chart in memory: no helm, the same contract. */
export function memoryChart({
  identity = 'memory',
  fault,
  write = template,
  before,
}: MemoryChartOptions = {}): MemoryChart {
  const renders: string[][] = [];
  return {
    identity,
    renders,
    render: async (values) => {
      const names = [...values.integrations, ...values.cronjobs].map(({ name }) => name);
      renders.push(names);
      await before?.(names);
      const failure = fault?.(names);
      if (failure !== undefined) throw failure;
      return JSON.stringify(write(values));
    },
  };
}

export const helmFault = (code: string, message = 'no'): EchelonError =>
  new EchelonError({ code, message, hint: 'look' });

function template({ integrations, cronjobs }: NamespaceValues): object {
  return {
    apiVersion: 'template.openshift.io/v1',
    kind: 'Template',
    metadata: { name: 'memory' },
    objects: [...integrations, ...cronjobs].flatMap(deployments),
    parameters: [
      { name: 'IMAGE' },
      { name: 'IMAGE_TAG', value: 'latest' },
      { name: 'IMAGE_DIGEST', value: '' },
      { name: 'LOG_LEVEL', value: 'INFO' },
    ],
  };
}

function deployments({ name, shard_specs }: EntryValues): object[] {
  return shard_specs.map(({ shard_name_suffix }) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `qontract-reconcile-${name}${shard_name_suffix}` },
    spec: { image: '${IMAGE}:${IMAGE_TAG}@${IMAGE_DIGEST}', level: '${LOG_LEVEL}' },
  }));
}
