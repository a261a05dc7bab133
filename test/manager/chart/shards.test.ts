import { describe, expect, it } from 'vitest';
import { LOOP, ONLY_SHARD, renderChart, valuesWith } from '../../support/render-chart.ts';
import { DEPLOYMENT } from './base.ts';
import { type Changes, changes, GONE } from './changes.ts';

const INT = 'spec.template.spec.containers[int]';

/** Where the name of a shard shows. */
const named = (suffix: string, shard: string): Changes => ({
  'metadata.name': `qontract-reconcile-integ${suffix}`,
  'metadata.labels.shard': shard,
  'spec.selector.matchLabels.shard': shard,
  'spec.template.metadata.labels.shard': shard,
});

const UNCOUNTED: Changes = { [`${INT}.env[SHARDS]`]: GONE, [`${INT}.env[SHARD_ID]`]: GONE };

const account = (name: string, overrides?: object) => ({
  ...{ shards: '', shard_id: '', shard_key: name, shard_name_suffix: `-${name}` },
  extra_args: ` --account-name ${name}`,
  ...(overrides && { shard_spec_overrides: { shard: { name }, ...overrides } }),
});

const ofAccount = (name: string): Changes => ({
  ...named(`-${name}`, name),
  ...UNCOUNTED,
  [`${INT}.env[SHARD_KEY]`]: { value: name },
  [`${INT}.env[INTEGRATION_EXTRA_ARGS]`]: { value: ` --account-name ${name}` },
});

interface Row {
  readonly given: string;
  readonly spec?: object;
  readonly shards: readonly object[];
  readonly workloads: readonly Changes[];
}

const ROWS: readonly Row[] = [
  { given: 'the only static shard', shards: [ONLY_SHARD], workloads: [{}] },
  {
    given: 'two static shards',
    shards: [
      { ...ONLY_SHARD, shards: '2', shard_id: '0', shard_name_suffix: '-0' },
      { ...ONLY_SHARD, shards: '2', shard_id: '1', shard_name_suffix: '-1' },
    ],
    workloads: [
      { ...named('-0', '0'), [`${INT}.env[SHARDS].value`]: '2' },
      { ...named('-1', '1'), [`${INT}.env[SHARDS].value`]: '2', [`${INT}.env[SHARD_ID].value`]: '1' },
    ],
  },
  { given: 'a shard id that is a number', shards: [{ ...ONLY_SHARD, shard_id: 0 }], workloads: [UNCOUNTED] },
  { given: 'two accounts', shards: [account('a'), account('b-1')], workloads: [ofAccount('a'), ofAccount('b-1')] },
  {
    given: 'two parts of a cluster',
    shards: ['0', '1'].map((id) => ({
      ...{ shards: '2', shard_id: id, shard_key: 'c', shard_name_suffix: `-c-${id}`, extra_args: ' --cluster-name c' },
    })),
    workloads: ['0', '1'].map((id) => ({
      ...named(`-c-${id}`, `c-${id}`),
      [`${INT}.env[SHARDS].value`]: '2',
      ...(id === '0' ? {} : { [`${INT}.env[SHARD_ID].value`]: id }),
      [`${INT}.env[SHARD_KEY]`]: { value: 'c' },
      [`${INT}.env[INTEGRATION_EXTRA_ARGS]`]: { value: ' --cluster-name c' },
    })),
  },
  {
    given: 'an image of its own for one account',
    shards: [account('a'), account('b', { imageRef: 'foobar' })],
    workloads: [ofAccount('a'), { ...ofAccount('b'), [`${INT}.image`]: '${IMAGE}:foobar' }],
  },
  {
    given: 'an image for all and one for an account',
    spec: { imageRef: 'all' },
    shards: [account('a'), account('b', { imageRef: 'b' })],
    workloads: [
      { ...ofAccount('a'), [`${INT}.image`]: '${IMAGE}:all' },
      { ...ofAccount('b'), [`${INT}.image`]: '${IMAGE}:b' },
    ],
  },
  {
    given: 'resources of its own, which replace all of the integration',
    shards: [account('a', { resources: { requests: { cpu: '1', memory: '0.5' } } })],
    workloads: [
      {
        ...ofAccount('a'),
        [`${INT}.resources.limits`]: GONE,
        [`${INT}.resources.requests.cpu`]: '1',
        [`${INT}.resources.requests.memory`]: '0.5',
      },
    ],
  },
  {
    given: 'a shard that is disabled',
    shards: [account('a'), account('b', { disabled: true })],
    workloads: [ofAccount('a'), { ...ofAccount('b'), 'spec.replicas': 0 }],
  },
  {
    given: 'a shard that is not disabled',
    shards: [account('b', { disabled: false })],
    workloads: [ofAccount('b')],
  },
  { given: 'no shards', shards: [], workloads: [] },
  ...['0473914', 'yes', 'null', '1e3', '0x10', '1-2', 'no'].map((name) => ({
    given: `an account that YAML could take for something else, ${name}`,
    shards: [account(name)],
    workloads: [ofAccount(name)],
  })),
];

describe('shards in a loop', () => {
  it.each(ROWS)('$given', async ({ spec, shards, workloads }) => {
    const rendered = await renderChart(valuesWith({ ...LOOP, ...spec, shard_specs: shards }));
    expect(rendered.workloads.map((object) => changes(DEPLOYMENT, object))).toEqual(workloads);
  });

  it.each([
    '--test-extra-args',
    `--json '{"a": ["b"], "c": 'd'}'`,
    '--regex "^a\\.b$" # no comment',
    '--from ${IMAGE} --to $(HOME)',
    '- a: b',
    '{{ .Values }}',
    '--name Zoë --icon 🔧',
    '1',
  ])('gets its arguments as they are written: %s', async (extra_args) => {
    const rendered = await renderChart(valuesWith({ ...LOOP, shard_specs: [{ ...ONLY_SHARD, extra_args }] }));
    const value = { [`${INT}.env[INTEGRATION_EXTRA_ARGS]`]: { value: extra_args } };
    expect(rendered.workloads.map((object) => changes(DEPLOYMENT, object))).toEqual([value]);
  });
});
