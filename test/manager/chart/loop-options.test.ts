import { describe, expect, it } from 'vitest';
import { LOOP, renderChart, valuesWith } from '../../support/render-chart.ts';
import { COMMON_PARAMETERS, DEPLOYMENT, LOCKED, OWN_PARAMETERS, SERVICE } from './base.ts';
import { type Changes, changes, GONE } from './changes.ts';

const POD = 'spec.template.spec';
const INT = `${POD}.containers[int]`;

interface Row {
  readonly given: string;
  readonly spec: object;
  readonly workload?: Changes;
  readonly parameters?: Changes;
}

const fromSecret = (name: string, key: string, optional?: true) => ({
  valueFrom: { secretKeyRef: { name, key, ...(optional && { optional }) } },
});

const claim = (storageClassName: string, storage: string) => [
  {
    metadata: { name: 'cache' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } },
  },
];

const CACHE = {
  kind: 'StatefulSet',
  'spec.strategy': GONE,
  [`${INT}.volumeMounts[cache]`]: { mountPath: '/.cache' },
};

const ROWS: readonly Row[] = [
  { given: 'nothing more', spec: {} },
  {
    given: 'everything switched off',
    spec: {
      ...{ cache: false, state: false, disableUnleash: false, environmentAware: false, internalCertificates: false },
      ...{ trigger: false, extraEnv: [], extraArgs: '' },
      logs: { cloudwatch: false, slack: false, googleChat: false, govSlack: false },
    },
  },
  {
    given: 'no /healthz, so that nothing kills a pod that serves only its metrics',
    spec: { healthz: false },
    workload: { [`${INT}.livenessProbe`]: GONE, [`${INT}.readinessProbe`]: GONE },
  },
  {
    given: 'cache',
    spec: { cache: true },
    workload: { ...CACHE, 'spec.volumeClaimTemplates': claim('gp2', '1Gi') },
  },
  {
    given: 'cache with a size and a class',
    spec: { cache: true, storage: '25Gi', storageClassName: 'gp2-csi' },
    workload: { ...CACHE, 'spec.volumeClaimTemplates': claim('gp2-csi', '25Gi') },
  },
  { given: 'storage without cache', spec: { storage: '25Gi', storageClassName: 'gp3-csi' } },
  {
    given: 'command',
    spec: { command: 'app-interface-reporter' },
    workload: { [`${INT}.env[COMMAND_NAME]`]: { value: 'app-interface-reporter' } },
  },
  {
    given: 'disableUnleash',
    spec: { disableUnleash: true },
    workload: { [`${INT}.env[UNLEASH_API_URL]`]: GONE, [`${INT}.env[UNLEASH_CLIENT_ACCESS_TOKEN]`]: GONE },
  },
  {
    given: 'environmentAware',
    spec: { environmentAware: true },
    workload: Object.fromEntries(
      [
        ...['ENVIRONMENT_NAME', 'IMAGE', 'IMAGE_TAG', 'IMAGE_DIGEST'],
        ...['BUSYBOX_IMAGE', 'BUSYBOX_IMAGE_TAG', 'BUSYBOX_IMAGE_DIGEST', 'BUSYBOX_IMAGE_PULL_POLICY'],
        ...['FLUENTD_IMAGE', 'FLUENTD_IMAGE_TAG', 'FLUENTD_IMAGE_DIGEST', 'FLUENTD_IMAGE_PULL_POLICY'],
        ...['CLOUDWATCH_SECRET', 'INTERNAL_CERTIFICATES_IMAGE', 'INTERNAL_CERTIFICATES_IMAGE_TAG'],
        ...['INTERNAL_CERTIFICATES_IMAGE_DIGEST', 'INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY'],
      ].map((name) => [`${INT}.env[${name}]`, { value: `\${${name}}` }]),
    ),
  },
  {
    given: 'extraEnv from a secret and as text',
    spec: {
      extraEnv: [
        { secretName: 'a-secret', secretKey: 'A_KEY' },
        { name: 'A_NAME', value: 'a value' },
      ],
    },
    workload: {
      [`${INT}.env[A_KEY]`]: fromSecret('a-secret', 'A_KEY'),
      [`${INT}.env[A_NAME]`]: { value: 'a value' },
    },
  },
  ...['true', '1', '0.5', '0o17', '1e3', 'null', '~', '', 'a: b', '# c', '"', "'", '{x}', '$HOME', '\\n', 'ä\n'].map(
    (value) => ({
      given: `extraEnv with the text ${JSON.stringify(value)}`,
      spec: { extraEnv: [{ name: 'A_NAME', value }] },
      workload: { [`${INT}.env[A_NAME]`]: { value } },
    }),
  ),
  ...['NO', 'on', 'y', 'null', '_1'].map((name) => ({
    given: `extraEnv with the name ${name}`,
    spec: { extraEnv: [{ name, value: 'x' }] },
    workload: { [`${INT}.env[${name}]`]: { value: 'x' } },
  })),
  {
    given: 'extraEnv from a secret whose name and key look like numbers',
    spec: { extraEnv: [{ secretName: '0123', secretKey: '1e3' }] },
    workload: { [`${INT}.env[1e3]`]: fromSecret('0123', '1e3') },
  },
  {
    given: 'imageRef',
    spec: { imageRef: '0473914' },
    workload: { [`${INT}.image`]: '${IMAGE}:0473914' },
  },
  {
    given: 'internalCertificates',
    spec: { internalCertificates: true },
    workload: {
      [`${POD}.initContainers`]: [
        {
          name: 'internal-certificates',
          image:
            '${INTERNAL_CERTIFICATES_IMAGE}:${INTERNAL_CERTIFICATES_IMAGE_TAG}@${INTERNAL_CERTIFICATES_IMAGE_DIGEST}',
          imagePullPolicy: '${INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY}',
          command: ['cp', '-rp', '/etc/pki/.', '/tmp/etc-pki/'],
          resources: { requests: { cpu: '15m', memory: '10Mi' }, limits: { memory: '20Mi' } },
          securityContext: LOCKED,
          volumeMounts: [{ name: 'internal-certificates', mountPath: '/tmp/etc-pki/' }],
        },
      ],
      [`${INT}.volumeMounts[internal-certificates]`]: { mountPath: '/etc/pki/' },
      [`${POD}.volumes[internal-certificates]`]: { emptyDir: {} },
    },
  },
  {
    given: 'limits.cpu',
    spec: { resources: { requests: { cpu: '0.5', memory: '45Mi' }, limits: { cpu: '1', memory: '90Mi' } } },
    workload: { [`${INT}.resources.limits.cpu`]: '${INTEG_CPU_LIMIT}' },
    parameters: { INTEG_CPU_LIMIT: '1', INTEG_CPU_REQUEST: '0.5' },
  },
  {
    given: 'requests alone',
    spec: { resources: { requests: { cpu: '1', memory: '1Gi' } } },
    workload: { [`${INT}.resources.limits`]: GONE },
    parameters: { INTEG_MEMORY_LIMIT: GONE, INTEG_CPU_REQUEST: '1', INTEG_MEMORY_REQUEST: '1Gi' },
  },
  {
    given: 'limits alone',
    spec: { resources: { limits: { memory: '90Mi' } } },
    workload: { [`${INT}.resources.requests`]: GONE },
    parameters: { INTEG_CPU_REQUEST: GONE, INTEG_MEMORY_REQUEST: GONE },
  },
  {
    given: 'sleepDurationSecs',
    spec: { sleepDurationSecs: '29' },
    workload: { [`${INT}.env[SLEEP_DURATION_SECS].value`]: '${INTEG_SLEEP_DURATION_SECS}' },
    parameters: { INTEG_SLEEP_DURATION_SECS: '29' },
  },
  {
    given: 'state',
    spec: { state: true },
    workload: {
      [`${INT}.env[APP_INTERFACE_STATE_BUCKET]`]: fromSecret('app-interface', 'aws.s3.bucket'),
      [`${INT}.env[APP_INTERFACE_STATE_BUCKET_ACCOUNT]`]: { value: '${APP_INTERFACE_STATE_BUCKET_ACCOUNT}' },
      [`${INT}.env[APP_INTERFACE_STATE_BUCKET_REGION]`]: fromSecret('app-interface', 'aws.region', true),
      [`${INT}.env[AWS_CONFIG_FILE]`]: { value: '/aws/config' },
      [`${INT}.env[APP_INTERFACE_STATE_AWS_PROFILE]`]: fromSecret('app-interface', 'aws.profile.state', true),
      [`${INT}.volumeMounts[aws-config]`]: { mountPath: '/aws' },
      [`${INT}.volumeMounts[bound-qontract-reconcile-sa-token]`]: {
        mountPath: '/var/run/secrets/openshift/serviceaccount',
        readOnly: true,
      },
      [`${POD}.volumes[aws-config]`]: { secret: { secretName: '${AWS_CONFIG_SECRET_NAME}', optional: true } },
      [`${POD}.volumes[bound-qontract-reconcile-sa-token]`]: {
        projected: {
          sources: [{ serviceAccountToken: { audience: 'openshift', expirationSeconds: 1800, path: 'token' } }],
        },
      },
    },
  },
  { given: 'trigger without logs', spec: { trigger: true } },
  {
    given: 'what only a schedule has a use for',
    spec: {
      ...{ dashdotdb: true, concurrencyPolicy: 'Forbid', restartPolicy: 'Never', enablePushgateway: true },
      ...{ successfulJobHistoryLimit: 7, failedJobHistoryLimit: 7 },
    },
  },
  {
    given: 'the name integrations-manager',
    spec: { name: 'integrations-manager' },
    workload: {
      'metadata.name': 'qontract-reconcile-integrations-manager',
      'metadata.labels.app': 'qontract-reconcile-integrations-manager',
      'spec.selector.matchLabels.app': 'qontract-reconcile-integrations-manager',
      'spec.template.metadata.labels.app': 'qontract-reconcile-integrations-manager',
      [`${INT}.env[MANAGER_DRY_RUN]`]: { value: '${MANAGER_DRY_RUN}' },
      [`${INT}.env[INTEGRATIONS_MANAGER_UPSTREAM]`]: { value: '${INTEGRATIONS_MANAGER_UPSTREAM}' },
      [`${INT}.env[INTEGRATIONS_MANAGER_IMAGE]`]: { value: '${INTEGRATIONS_MANAGER_IMAGE}' },
      [`${INT}.env[INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF]`]: { value: '${INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF}' },
      [`${INT}.env[INTEGRATION_NAME].value`]: 'integrations-manager',
      [`${INT}.resources.limits.memory`]: '${INTEGRATIONS_MANAGER_MEMORY_LIMIT}',
      [`${INT}.resources.requests.cpu`]: '${INTEGRATIONS_MANAGER_CPU_REQUEST}',
      [`${INT}.resources.requests.memory`]: '${INTEGRATIONS_MANAGER_MEMORY_REQUEST}',
    },
    parameters: {
      ...{ INTEG_MEMORY_LIMIT: GONE, INTEG_CPU_REQUEST: GONE, INTEG_MEMORY_REQUEST: GONE },
      INTEGRATIONS_MANAGER_MEMORY_LIMIT: '90Mi',
      INTEGRATIONS_MANAGER_CPU_REQUEST: '123',
      INTEGRATIONS_MANAGER_MEMORY_REQUEST: '45Mi',
    },
  },
];

describe('an integration that runs in a loop', () => {
  it.each(ROWS)('with $given', async ({ spec, workload = {}, parameters = {} }) => {
    const rendered = await renderChart(valuesWith({ ...LOOP, ...spec }));
    expect(rendered.workloads.map((object) => changes(DEPLOYMENT, object))).toEqual([workload]);
    expect(rendered.services).toEqual([SERVICE]);
    const declared = Object.fromEntries(rendered.parameters.map(({ name, value }) => [name, value]));
    expect(changes({ ...COMMON_PARAMETERS, ...OWN_PARAMETERS }, declared)).toEqual(parameters);
  });
});
