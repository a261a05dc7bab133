import { describe, expect, it } from 'vitest';
import { CRON, ONLY_SHARD, renderChart, valuesWith } from '../../support/render-chart.ts';
import { COMMON_PARAMETERS, CRON_JOB, OWN_PARAMETERS, SERVICE } from './base.ts';
import { type Changes, changes, GONE } from './changes.ts';

const POD = 'spec.jobTemplate.spec.template.spec';
const INT = `${POD}.containers[int]`;

interface Row {
  readonly given: string;
  readonly spec: object;
  readonly workload?: Changes;
  readonly parameters?: Changes;
}

const fromSecret = (name: string, key: string) => ({ valueFrom: { secretKeyRef: { name, key } } });

const ROWS: readonly Row[] = [
  { given: 'nothing more', spec: {} },
  { given: 'a schedule', spec: { cron: '0 3,9 * * 1-5' }, workload: { 'spec.schedule': '0 3,9 * * 1-5' } },
  {
    given: 'concurrencyPolicy',
    spec: { concurrencyPolicy: 'Forbid' },
    workload: { 'spec.concurrencyPolicy': 'Forbid' },
  },
  { given: 'restartPolicy', spec: { restartPolicy: 'Never' }, workload: { [`${POD}.restartPolicy`]: 'Never' } },
  {
    given: 'successfulJobHistoryLimit',
    spec: { successfulJobHistoryLimit: 42 },
    workload: { 'spec.successfulJobsHistoryLimit': 42 },
  },
  {
    given: 'a history of nothing',
    spec: { successfulJobHistoryLimit: 0, failedJobHistoryLimit: 0 },
    workload: { 'spec.successfulJobsHistoryLimit': 0, 'spec.failedJobsHistoryLimit': 0 },
  },
  {
    given: 'failedJobHistoryLimit',
    spec: { failedJobHistoryLimit: 24 },
    workload: { 'spec.failedJobsHistoryLimit': 24 },
  },
  {
    given: 'dashdotdb',
    spec: { dashdotdb: true },
    workload: { [`${INT}.env[DASHDOTDB_SECRET]`]: fromSecret('dashdotdb', 'AUTH_VAULT_PATH') },
  },
  {
    given: 'enablePushgateway',
    spec: { enablePushgateway: true },
    workload: {
      [`${INT}.env[PUSHGATEWAY_ENABLED]`]: { value: 'true' },
      [`${INT}.env[PUSHGATEWAY_URL]`]: fromSecret('${PUSHGATEWAY_SECRET_NAME}', 'server'),
      [`${INT}.env[PUSHGATEWAY_USERNAME]`]: fromSecret('${PUSHGATEWAY_SECRET_NAME}', 'username'),
      [`${INT}.env[PUSHGATEWAY_PASSWORD]`]: fromSecret('${PUSHGATEWAY_SECRET_NAME}', 'password'),
    },
  },
  {
    given: 'command',
    spec: { command: 'app-interface-reporter' },
    workload: { [`${INT}.env[COMMAND_NAME]`]: { value: 'app-interface-reporter' } },
  },
  {
    given: 'extraArgs',
    spec: { extraArgs: '--a b', shard_specs: [{ ...ONLY_SHARD, extra_args: '--a b' }] },
    workload: { [`${INT}.env[INTEGRATION_EXTRA_ARGS]`]: { value: '--a b' } },
  },
  {
    given: 'extraEnv',
    spec: {
      extraEnv: [
        { secretName: 'a-secret', secretKey: 'A_KEY' },
        { name: 'A_NAME', value: 'true' },
        { name: 'ANOTHER', value: '1' },
      ],
    },
    workload: {
      [`${INT}.env[A_KEY]`]: fromSecret('a-secret', 'A_KEY'),
      [`${INT}.env[A_NAME]`]: { value: 'true' },
      [`${INT}.env[ANOTHER]`]: { value: '1' },
    },
  },
  {
    given: 'disableUnleash',
    spec: { disableUnleash: true },
    workload: { [`${INT}.env[UNLEASH_API_URL]`]: GONE, [`${INT}.env[UNLEASH_CLIENT_ACCESS_TOKEN]`]: GONE },
  },
  { given: 'imageRef', spec: { imageRef: '8c41f7e' }, workload: { [`${INT}.image`]: '${IMAGE}:8c41f7e' } },
  {
    given: 'resources',
    spec: { resources: { requests: { cpu: '0.5', memory: '1Gi' }, limits: { cpu: '1', memory: '2Gi' } } },
    workload: { [`${INT}.resources.limits.cpu`]: '${INTEG_CPU_LIMIT}' },
    parameters: {
      ...{ INTEG_CPU_LIMIT: '1', INTEG_MEMORY_LIMIT: '2Gi', INTEG_CPU_REQUEST: '0.5', INTEG_MEMORY_REQUEST: '1Gi' },
    },
  },
  {
    given: 'internalCertificates',
    spec: { internalCertificates: true },
    workload: {
      [`${POD}.initContainers`]: [expect.objectContaining({ name: 'internal-certificates' })],
      [`${INT}.volumeMounts[internal-certificates]`]: { mountPath: '/etc/pki/' },
      [`${POD}.volumes[internal-certificates]`]: { emptyDir: {} },
    },
  },
  {
    given: 'what only a loop has a use for',
    spec: { cache: true, storage: '25Gi', trigger: true, logs: { slack: true, googleChat: true } },
  },
];

describe('an integration that runs on a schedule', () => {
  it.each(ROWS)('with $given', async ({ spec, workload = {}, parameters = {} }) => {
    const rendered = await renderChart(valuesWith({ ...CRON, ...spec }));
    expect(rendered.workloads.map((object) => changes(CRON_JOB, object))).toEqual([workload]);
    expect(rendered.services).toEqual([SERVICE]);
    const declared = Object.fromEntries(rendered.parameters.map(({ name, value }) => [name, value]));
    expect(changes({ ...COMMON_PARAMETERS, ...OWN_PARAMETERS }, declared)).toEqual(parameters);
  });

  it('is told about state as one that runs in a loop', async () => {
    const env = async (entry: object) => {
      const { workloads } = await renderChart(valuesWith(entry));
      return JSON.stringify(workloads).match(/APP_INTERFACE_STATE_\w+|AWS_CONFIG_FILE/g);
    };
    const { cron: _, ...loop } = CRON;
    expect(await env({ ...CRON, state: true })).toEqual(await env({ ...loop, state: true }));
  });
});

describe('shards on a schedule', () => {
  const names = (suffix: string, shard: string): Changes => ({
    'metadata.name': `qontract-reconcile-integ${suffix}`,
    'metadata.labels.shard': shard,
    'spec.jobTemplate.spec.template.metadata.labels.shard': shard,
  });

  it.each([
    {
      given: 'two static shards',
      shards: [
        { ...ONLY_SHARD, shards: '2', shard_id: '0', shard_name_suffix: '-0' },
        { ...ONLY_SHARD, shards: '2', shard_id: '1', shard_name_suffix: '-1' },
      ],
      workloads: [
        {
          ...names('-0', '0'),
          [`${INT}.env[SHARDS]`]: { value: '2' },
          [`${INT}.env[SHARD_ID]`]: { value: '0' },
        },
        { ...names('-1', '1'), [`${INT}.env[SHARDS]`]: { value: '2' }, [`${INT}.env[SHARD_ID]`]: { value: '1' } },
      ],
    },
    {
      given: 'a shard by key, with overrides',
      shards: [
        {
          ...{ shards: '', shard_id: '', shard_key: 'acc', shard_name_suffix: '-acc' },
          extra_args: ' --account-name acc',
          shard_spec_overrides: {
            ...{ shard: { name: 'acc' }, imageRef: 'foobar', disabled: true },
            resources: { requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '3Gi' } },
          },
        },
      ],
      workloads: [
        {
          ...names('-acc', 'acc'),
          'spec.suspend': true,
          [`${INT}.image`]: '${IMAGE}:foobar',
          [`${INT}.env[SHARD_KEY]`]: { value: 'acc' },
          [`${INT}.env[INTEGRATION_EXTRA_ARGS]`]: { value: ' --account-name acc' },
          [`${INT}.resources.requests.cpu`]: '1',
          [`${INT}.resources.requests.memory`]: '2Gi',
          [`${INT}.resources.limits.memory`]: '3Gi',
        },
      ],
    },
    {
      given: 'one part of a key',
      shards: [
        { shards: '1', shard_id: '0', shard_key: 'c', shard_name_suffix: '-c-0', extra_args: ' --cluster-name c' },
      ],
      workloads: [
        {
          ...names('-c-0', 'c-0'),
          [`${INT}.env[SHARDS]`]: { value: '1' },
          [`${INT}.env[SHARD_ID]`]: { value: '0' },
          [`${INT}.env[SHARD_KEY]`]: { value: 'c' },
          [`${INT}.env[INTEGRATION_EXTRA_ARGS]`]: { value: ' --cluster-name c' },
        },
      ],
    },
  ])('$given', async ({ shards, workloads }) => {
    const rendered = await renderChart(valuesWith({ ...CRON, shard_specs: shards }));
    expect(rendered.workloads.map((object) => changes(CRON_JOB, object))).toEqual(workloads);
  });
});
