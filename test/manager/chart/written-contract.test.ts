import { beforeAll, describe, expect, it } from 'vitest';
import { appliesTo, type ContractPod, codeIn, contractTable, namedFields } from '../../support/contract-tables.ts';
import { CRON, LOOP, ONLY_SHARD, renderChart, valuesWith } from '../../support/render-chart.ts';

/** What each field that the guide names is in the values of an entry. */
const KEYED = { ...ONLY_SHARD, shards: '', shard_id: '', shard_key: 'east', shard_name_suffix: '-east' };
const FIELDS: Readonly<Record<string, object>> = {
  'spec.extraArgs': { shard_specs: [{ ...ONLY_SHARD, extra_args: '--x' }] },
  'spec.command': { command: 'x' },
  'spec.state': { state: true },
  'spec.disableUnleash': { disableUnleash: true },
  'spec.environmentAware': { environmentAware: true },
  'spec.dashdotdb': { dashdotdb: true },
  'spec.enablePushgateway': { enablePushgateway: true },
  'spec.cache': { cache: true },
  'spec.internalCertificates': { internalCertificates: true },
  'sharding.shards': { shard_specs: [{ ...ONLY_SHARD, shards: '3', shard_id: '1', shard_name_suffix: '-1' }] },
  'sharding.strategy': { shard_specs: [{ ...KEYED, extra_args: ' --cluster-name east' }] },
  'sharding.membership': { shard_specs: [{ ...ONLY_SHARD, shards: '3', shard_membership: 'rendezvous' }] },
  subSharding: {
    shard_specs: [{ ...KEYED, shards: '3', shard_id: '1', extra_args: ' --cluster-name east' }],
  },
  logs: { logs: {} },
  'logs.googleChat': { logs: { googleChat: true } },
  'logs.govSlack': { logs: { govSlack: true } },
  'logs.slackErrorFilter': { logs: { slackErrorFilter: true } },
};
/** Fields that come with another one. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  'sharding.membership': ['sharding.shards'],
  subSharding: ['sharding.strategy'],
  'logs.googleChat': ['logs'],
  'logs.govSlack': ['logs'],
  'logs.slackErrorFilter': ['logs'],
};

const PODS: readonly ContractPod[] = (['loop', 'schedule'] as const).flatMap((kind) => [
  { kind, fields: [] },
  ...Object.keys(FIELDS).map((field) => ({ kind, fields: [field, ...(IMPLIED[field] ?? [])] })),
]);
const nameOf = ({ kind, fields: [field = 'nothing'] }: ContractPod): string =>
  `${kind}-${field.toLowerCase().replace('.', '-')}`;

interface Container {
  readonly name: string;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string }[];
  readonly volumeMounts: readonly { readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly securityContext: object;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold?: number;
}

interface Pod {
  readonly containers: readonly Container[];
  readonly terminationGracePeriodSeconds?: number;
}

interface Workload {
  readonly metadata: { readonly name: string };
  readonly spec: { template?: { spec: Pod }; jobTemplate?: { spec: { template: { spec: Pod } } } };
}

let rendered: ReadonlyMap<string, Pod>;
beforeAll(async () => {
  const entries = PODS.map((pod) => ({
    ...(pod.kind === 'loop' ? LOOP : CRON),
    ...FIELDS[pod.fields[0] ?? ''],
    name: nameOf(pod),
  }));
  const { workloads } = await renderChart(valuesWith(...entries));
  rendered = new Map(
    (workloads as unknown as Workload[]).map(({ metadata, spec }) => [
      metadata.name,
      (spec.template ?? spec.jobTemplate?.spec.template)?.spec as Pod,
    ]),
  );
});

function podOf(pod: ContractPod): Pod {
  const name = [...rendered.keys()].find((each) =>
    new RegExp(`^qontract-reconcile-${nameOf(pod)}(?:-east|-1)?$`).test(each),
  );
  return rendered.get(name ?? '') as Pod;
}

const containerOf = (pod: ContractPod): Container =>
  podOf(pod).containers.find(({ name }) => name === 'int') as Container;

/** Names by the conditions of the guide that hold for a pod. */
const written = (table: string, pod: ContractPod): string[] =>
  contractTable(table)
    .filter(([, condition = '']) => appliesTo(condition, pod))
    .flatMap(([names = '']) => codeIn(names))
    .sort();

describe('the contract in the guide is what the chart renders', () => {
  it.each(PODS)('variables and files of a $kind with $fields', (pod) => {
    const { env, volumeMounts } = containerOf(pod);
    expect(env.map(({ name }) => name).sort()).toEqual(written('variables', pod));
    const account = (path: string): string =>
      path.replace('${KUBE_SA_TOKEN_MOUNT_PATH}', '/var/run/secrets/kubernetes.io/serviceaccount');
    expect(volumeMounts.map(({ mountPath }) => account(mountPath)).sort()).toEqual(written('files', pod));
  });

  it('no field that a condition names is left untested, and no variable is written twice', () => {
    const rows = [...contractTable('variables'), ...contractTable('files')];
    expect([...namedFields(rows.map(([, condition = '']) => condition))].sort()).toEqual(Object.keys(FIELDS).sort());
    const names = contractTable('variables').flatMap(([cell = '']) => codeIn(cell));
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('files that are read-only are those that the guide says', () => {
    const stated = contractTable('files').filter(([, , holds = '']) => holds.includes('read-only'));
    const { volumeMounts } = containerOf({ kind: 'loop', fields: ['spec.state'] });
    const mounted = volumeMounts.filter(({ readOnly }) => readOnly === true).map(({ mountPath }) => mountPath);
    expect(mounted).toHaveLength(stated.length);
  });

  it('probes and their port', () => {
    const loop = containerOf({ kind: 'loop', fields: [] });
    const port = (name: string) => loop.ports?.find((each) => each.name === name)?.containerPort;
    const row = (name: string, { httpGet, periodSeconds, timeoutSeconds, failureThreshold = 3 }: Probe) => [
      ...[name, String(port(httpGet.port)), `\`${httpGet.path}\``],
      ...[`${periodSeconds} s`, `${timeoutSeconds} s`, String(failureThreshold)],
    ];
    expect([row('liveness', loop.livenessProbe as Probe), row('readiness', loop.readinessProbe as Probe)]).toEqual(
      contractTable('probes'),
    );
    const { ports, livenessProbe, readinessProbe } = containerOf({ kind: 'schedule', fields: [] });
    expect([ports, livenessProbe, readinessProbe]).toEqual([undefined, undefined, undefined]);
  });

  it('30 s from SIGTERM to SIGKILL, which is the default, and a read-only root file system', () => {
    const pod = podOf({ kind: 'loop', fields: [] });
    expect(pod.terminationGracePeriodSeconds).toBeUndefined();
    expect(containerOf({ kind: 'loop', fields: [] }).securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  });
});
