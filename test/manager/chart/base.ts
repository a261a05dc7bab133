/** What the chart renders when only a name, resources and one shard are given and no logs are shipped, written out. */

const fromConfigMap = (key: string) => ({
  name: key,
  valueFrom: { configMapKeyRef: { name: 'app-interface', key, optional: true } },
});

const fromUnleash = (name: string, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: 'unleash', key, optional: true } },
});

const ENV = {
  dryRun: { name: 'DRY_RUN', value: '${DRY_RUN}' },
  integration: { name: 'INTEGRATION_NAME', value: 'integ' },
  config: [fromConfigMap('GITHUB_API'), fromConfigMap('SENTRY_DSN')],
  unleash: [
    fromUnleash('UNLEASH_API_URL', 'API_URL'),
    fromUnleash('UNLEASH_CLIENT_ACCESS_TOKEN', 'CLIENT_ACCESS_TOKEN'),
  ],
  token: { name: 'KUBE_SA_TOKEN_PATH', value: '${KUBE_SA_TOKEN_MOUNT_PATH}/${KUBE_SA_TOKEN_FILENAME}' },
  security: { name: 'USED_FOR_SECURITY', value: '${USED_FOR_SECURITY}' },
};

const RESOURCES = {
  limits: { memory: '${INTEG_MEMORY_LIMIT}' },
  requests: { cpu: '${INTEG_CPU_REQUEST}', memory: '${INTEG_MEMORY_REQUEST}' },
};

/** Of every container. */
export const LOCKED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

const MOUNTS = [
  { name: 'tmp-dir', mountPath: '/tmp' },
  { name: 'qontract-reconcile-toml', mountPath: '/config' },
  { name: 'qontract-reconcile-sa-token', mountPath: '${KUBE_SA_TOKEN_MOUNT_PATH}', readOnly: true },
];

const VOLUMES = [
  { name: 'tmp-dir', emptyDir: {} },
  {
    name: 'qontract-reconcile-toml',
    secret: { secretName: '${QONTRACT_RECONCILE_TOML_SECRET_NAME}', optional: true },
  },
  {
    name: 'qontract-reconcile-sa-token',
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 1800, path: '${KUBE_SA_TOKEN_FILENAME}' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
      ],
    },
  },
];

const POD = {
  serviceAccountName: 'qontract-reconcile',
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
};

const LABELS = { app: 'qontract-reconcile-integ', shard: 'all' };

export const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'qontract-reconcile-integ', labels: LABELS },
  spec: {
    replicas: 1,
    revisionHistoryLimit: 5,
    selector: { matchLabels: LABELS },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    template: {
      metadata: { labels: { ...LABELS, component: 'qontract-reconcile' } },
      spec: {
        ...POD,
        containers: [
          {
            name: 'int',
            image: '${IMAGE}:${IMAGE_TAG}@${IMAGE_DIGEST}',
            ports: [{ name: 'http', containerPort: 9090 }],
            livenessProbe: {
              httpGet: { path: '/healthz', port: 'http' },
              periodSeconds: 30,
              timeoutSeconds: 10,
              failureThreshold: 6,
            },
            readinessProbe: {
              httpGet: { path: '/healthz', port: 'http' },
              periodSeconds: 15,
              timeoutSeconds: 10,
            },
            env: [
              { name: 'SHARDS', value: '1' },
              { name: 'SHARD_ID', value: '0' },
              ENV.dryRun,
              ENV.integration,
              { name: 'SLEEP_DURATION_SECS', value: '${SLEEP_DURATION_SECS}' },
              ...ENV.config,
              ...ENV.unleash,
              { name: 'SLOW_OC_RECONCILE_THRESHOLD', value: '${SLOW_OC_RECONCILE_THRESHOLD}' },
              { name: 'LOG_SLOW_OC_RECONCILE', value: '${LOG_SLOW_OC_RECONCILE}' },
              { name: 'USE_NATIVE_CLIENT', value: '${USE_NATIVE_CLIENT}' },
              ENV.token,
              ENV.security,
            ],
            resources: RESOURCES,
            securityContext: LOCKED,
            volumeMounts: MOUNTS,
          },
        ],
        volumes: VOLUMES,
      },
    },
  },
};

export const CRON_JOB = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'qontract-reconcile-integ', labels: LABELS },
  spec: {
    schedule: '* * * * *',
    concurrencyPolicy: 'Allow',
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    jobTemplate: {
      spec: {
        template: {
          metadata: { labels: LABELS },
          spec: {
            ...POD,
            restartPolicy: 'OnFailure',
            containers: [
              {
                name: 'int',
                image: '${IMAGE}:${IMAGE_TAG}@${IMAGE_DIGEST}',
                env: [
                  { name: 'RUN_ONCE', value: 'true' },
                  ENV.dryRun,
                  ENV.integration,
                  ...ENV.config,
                  ...ENV.unleash,
                  ENV.token,
                  ENV.security,
                ],
                resources: RESOURCES,
                securityContext: LOCKED,
                volumeMounts: MOUNTS,
              },
            ],
            volumes: VOLUMES,
          },
        },
      },
    },
  },
};

export const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'qontract-reconcile', labels: { app: 'qontract-reconcile' } },
  spec: {
    ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 9090 }],
    selector: { component: 'qontract-reconcile' },
  },
};

/** Declared by every Template. */
export const COMMON_PARAMETERS: Readonly<Record<string, string>> = {
  APP_INTERFACE_STATE_BUCKET_ACCOUNT: 'app-sre',
  AWS_CONFIG_SECRET_NAME: 'app-interface-aws-config',
  BUSYBOX_IMAGE: 'registry.access.redhat.com/ubi9/ubi-minimal',
  BUSYBOX_IMAGE_DIGEST: 'sha256:34880b64c07f28f64d95737f82f891516de9a3b43583f39970f7bf8e4cfa48b7',
  BUSYBOX_IMAGE_PULL_POLICY: 'IfNotPresent',
  BUSYBOX_IMAGE_TAG: '9.6',
  CLOUDWATCH_SECRET: 'app-interface-cloudwatch',
  DRY_RUN: '--dry-run',
  ENVIRONMENT_NAME: 'app-interface',
  FLUENTD_IMAGE: 'quay.io/app-sre/fluentd',
  FLUENTD_IMAGE_DIGEST: '',
  FLUENTD_IMAGE_PULL_POLICY: 'IfNotPresent',
  FLUENTD_IMAGE_TAG: 'latest',
  IMAGE: 'quay.io/app-sre/qontract-reconcile',
  IMAGE_DIGEST: '',
  IMAGE_TAG: 'latest',
  INTEGRATIONS_MANAGER_IMAGE: '',
  INTEGRATIONS_MANAGER_IMAGE_TAG_FROM_REF: '',
  INTEGRATIONS_MANAGER_UPSTREAM: '',
  INTERNAL_CERTIFICATES_IMAGE: 'quay.io/app-sre/internal-redhat-ca',
  INTERNAL_CERTIFICATES_IMAGE_DIGEST: '',
  INTERNAL_CERTIFICATES_IMAGE_PULL_POLICY: 'Always',
  INTERNAL_CERTIFICATES_IMAGE_TAG: 'latest',
  KUBE_SA_TOKEN_FILENAME: 'token',
  KUBE_SA_TOKEN_MOUNT_PATH: '/var/run/secrets/kubernetes.io/serviceaccount',
  LOG_FILE: '/fluentd/log/integration.log',
  LOG_SLOW_OC_RECONCILE: 'false',
  MANAGER_DRY_RUN: '--dry-run',
  PUSHGATEWAY_SECRET_NAME: 'push-gateway-auth-url',
  QONTRACT_RECONCILE_TOML_SECRET_NAME: 'qontract-reconcile-toml',
  SLACK_CHANNEL: 'sd-app-sre-reconcile-stage',
  SLACK_CHANNEL_TRIGGER: 'sd-app-sre-triggers-stage',
  SLACK_ICON_EMOJI: ':bust_in_silhouette:',
  SLACK_RECONCILE_ERR_CHANNEL_NAME: 'sd-app-sre-reconcile-errors-stage',
  SLEEP_DURATION_SECS: '300',
  SLOW_OC_RECONCILE_THRESHOLD: '600',
  USED_FOR_SECURITY: '',
  USE_NATIVE_CLIENT: '',
};

/** Declared for the resources of the base. */
export const OWN_PARAMETERS: Readonly<Record<string, string>> = {
  INTEG_MEMORY_LIMIT: '90Mi',
  INTEG_CPU_REQUEST: '123',
  INTEG_MEMORY_REQUEST: '45Mi',
};
