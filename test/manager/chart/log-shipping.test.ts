import { describe, expect, it } from 'vitest';
import { LOOP, renderChart, valuesWith } from '../../support/render-chart.ts';
import { COMMON_PARAMETERS, DEPLOYMENT, LOCKED, OWN_PARAMETERS } from './base.ts';
import { type Changes, changes } from './changes.ts';
import { CHAT_STORE, ERRORS, ERRORS_END, MATCH_END, READ, slackStore, TO_ERRORS } from './pipeline.ts';

const POD = 'spec.template.spec';
const INT = `${POD}.containers[int]`;

const secret = (name: string, from: string, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: from, key } },
});
const parameter = (name: string, of = name) => ({ name, value: `\${${of}}` });

const CLOUDWATCH_ENV = [
  secret('AWS_ACCESS_KEY_ID', '${CLOUDWATCH_SECRET}', 'aws_access_key_id'),
  secret('AWS_REGION', '${CLOUDWATCH_SECRET}', 'aws_region'),
  secret('AWS_SECRET_ACCESS_KEY', '${CLOUDWATCH_SECRET}', 'aws_secret_access_key'),
  secret('LOG_GROUP_NAME', '${CLOUDWATCH_SECRET}', 'log_group_name'),
];

const POD_NAME = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };

const webhook = (name: string, key: string) => secret(name, 'app-interface', key);

const configContainer = (FLUENT_CONF: string) => ({
  name: 'config',
  image: '${BUSYBOX_IMAGE}:${BUSYBOX_IMAGE_TAG}@${BUSYBOX_IMAGE_DIGEST}',
  imagePullPolicy: '${BUSYBOX_IMAGE_PULL_POLICY}',
  command: ['/bin/sh', '-c', `printf '%s' "$FLUENT_CONF" > /fluentd/etc/fluent.conf`],
  env: [{ name: 'FLUENT_CONF', value: FLUENT_CONF }],
  resources: { requests: { cpu: '15m', memory: '10Mi' }, limits: { memory: '20Mi' } },
  securityContext: LOCKED,
  volumeMounts: [{ name: 'fluentd-config', mountPath: '/fluentd/etc/' }],
});

const shipper = (env: readonly object[], resources: object) => ({
  image: '${FLUENTD_IMAGE}:${FLUENTD_IMAGE_TAG}@${FLUENTD_IMAGE_DIGEST}',
  imagePullPolicy: '${FLUENTD_IMAGE_PULL_POLICY}',
  env: [...CLOUDWATCH_ENV, ...env],
  resources,
  securityContext: LOCKED,
  volumeMounts: [
    { name: 'tmp-dir', mountPath: '/tmp' },
    { name: 'logs', mountPath: '/fluentd/log/' },
    { name: 'fluentd-config', mountPath: '/fluentd/etc/' },
    { name: 'fluentd-buffer', mountPath: '/fluentd/buffer' },
  ],
});

interface Expected {
  readonly pipeline: string;
  readonly env: readonly object[];
  readonly resources?: object;
  readonly prefixed?: boolean;
}

/** Everything that a pod has more when its log lines leave it. */
const shipping = ({ pipeline, env, resources, prefixed = false }: Expected): Changes => ({
  [`${POD}.initContainers`]: [configContainer(pipeline)],
  [`${POD}.containers[fluentd]`]: shipper(
    env,
    resources ?? { requests: { cpu: '15m', memory: '30Mi' }, limits: { memory: '120Mi' } },
  ),
  ...(prefixed ? { [`${INT}.env[PREFIX_LOG_LEVEL]`]: { value: 'true' } } : {}),
  [`${INT}.env[LOG_FILE]`]: { value: '${LOG_FILE}' },
  [`${INT}.volumeMounts[logs]`]: { mountPath: '/fluentd/log/' },
  [`${POD}.volumes[logs]`]: { emptyDir: {} },
  [`${POD}.volumes[fluentd-config]`]: { emptyDir: {} },
  [`${POD}.volumes[fluentd-buffer]`]: { emptyDir: {} },
});

const SLACK = slackStore('SLACK_WEBHOOK_URL', 'SLACK_CHANNEL', '  ');
const GOV_SLACK = slackStore('GOV_SLACK_WEBHOOK_URL', 'SLACK_CHANNEL', '  ');
const SLACK_ERRORS = slackStore('SLACK_ERRORS_ONLY_WEBHOOK_URL', 'SLACK_RECONCILE_ERR_CHANNEL_NAME', '    ');

const CHANNEL = [parameter('SLACK_CHANNEL'), parameter('SLACK_ICON_EMOJI')];
const TRIGGER_CHANNEL = [parameter('SLACK_CHANNEL', 'SLACK_CHANNEL_TRIGGER'), parameter('SLACK_ICON_EMOJI')];
const ERRORS_ENV = [
  webhook('SLACK_ERRORS_ONLY_WEBHOOK_URL', 'slack.errors_only_webhook_url'),
  parameter('SLACK_RECONCILE_ERR_CHANNEL_NAME'),
];

describe('log lines leave the pod', () => {
  it.each([
    {
      given: 'slack',
      spec: { logs: { slack: true } },
      expected: {
        pipeline: READ + SLACK + MATCH_END,
        env: [webhook('SLACK_WEBHOOK_URL', 'slack.webhook_url'), ...CHANNEL],
      },
    },
    {
      given: 'slack and trigger',
      spec: { logs: { slack: true }, trigger: true },
      expected: {
        pipeline: READ + SLACK + MATCH_END,
        env: [webhook('SLACK_WEBHOOK_URL', 'slack.triggers_url'), ...TRIGGER_CHANNEL],
      },
    },
    {
      given: 'slackErrorFilter alone',
      spec: { logs: { slackErrorFilter: true } },
      expected: {
        pipeline: READ + TO_ERRORS + MATCH_END + ERRORS + SLACK_ERRORS + ERRORS_END,
        env: [...ERRORS_ENV, ...CHANNEL],
        prefixed: true,
      },
    },
    {
      given: 'slack and slackErrorFilter',
      spec: { logs: { slack: true, slackErrorFilter: true } },
      expected: {
        pipeline: READ + SLACK + TO_ERRORS + MATCH_END + ERRORS + SLACK_ERRORS + ERRORS_END,
        env: [webhook('SLACK_WEBHOOK_URL', 'slack.webhook_url'), ...ERRORS_ENV, ...CHANNEL],
        prefixed: true,
      },
    },
    {
      given: 'googleChat',
      spec: { logs: { googleChat: true } },
      expected: {
        pipeline: READ + TO_ERRORS + MATCH_END + ERRORS + CHAT_STORE + ERRORS_END,
        env: [webhook('GOOGLE_CHAT_WEBHOOK_URL', 'google_chat.webhook_url'), POD_NAME],
        prefixed: true,
      },
    },
    {
      given: 'googleChat and trigger',
      spec: { logs: { googleChat: true }, trigger: true },
      expected: {
        pipeline: READ + TO_ERRORS + MATCH_END + ERRORS + CHAT_STORE + ERRORS_END,
        env: [webhook('GOOGLE_CHAT_WEBHOOK_URL', 'google_chat.triggers_url'), POD_NAME],
        prefixed: true,
      },
    },
    {
      given: 'govSlack',
      spec: { logs: { govSlack: true } },
      expected: {
        pipeline: READ + GOV_SLACK + MATCH_END,
        env: [webhook('GOV_SLACK_WEBHOOK_URL', 'slack.webhook_url'), ...CHANNEL],
        prefixed: true,
      },
    },
    {
      given: 'everything and trigger',
      spec: { logs: { slack: true, slackErrorFilter: true, googleChat: true, govSlack: true }, trigger: true },
      expected: {
        pipeline: READ + SLACK + GOV_SLACK + TO_ERRORS + MATCH_END + ERRORS + SLACK_ERRORS + CHAT_STORE + ERRORS_END,
        env: [
          webhook('SLACK_WEBHOOK_URL', 'slack.triggers_url'),
          webhook('GOV_SLACK_WEBHOOK_URL', 'slack.triggers_url'),
          ...ERRORS_ENV,
          ...TRIGGER_CHANNEL,
          webhook('GOOGLE_CHAT_WEBHOOK_URL', 'google_chat.triggers_url'),
          POD_NAME,
        ],
        prefixed: true,
      },
    },
  ])('with $given', async ({ spec, expected }) => {
    const { workloads } = await renderChart(valuesWith({ ...LOOP, ...spec }));
    expect(workloads.map((object) => changes(DEPLOYMENT, object))).toEqual([shipping(expected)]);
  });

  it('with resources of its own, which are parameters', async () => {
    const fluentdResources = { requests: { cpu: '1', memory: '30Mi' }, limits: { cpu: '0.5', memory: '1' } };
    const rendered = await renderChart(valuesWith({ ...LOOP, logs: { slack: true }, fluentdResources }));
    const env = [webhook('SLACK_WEBHOOK_URL', 'slack.webhook_url'), ...CHANNEL];
    const resources = {
      limits: { cpu: '${INTEG_FLUENTD_CPU_LIMIT}', memory: '${INTEG_FLUENTD_MEMORY_LIMIT}' },
      requests: { cpu: '${INTEG_FLUENTD_CPU_REQUEST}', memory: '${INTEG_FLUENTD_MEMORY_REQUEST}' },
    };
    expect(rendered.workloads.map((object) => changes(DEPLOYMENT, object))).toEqual([
      shipping({ pipeline: READ + SLACK + MATCH_END, env, resources }),
    ]);
    const declared = Object.fromEntries(rendered.parameters.map(({ name, value }) => [name, value]));
    expect(changes({ ...COMMON_PARAMETERS, ...OWN_PARAMETERS }, declared)).toEqual({
      INTEG_FLUENTD_CPU_LIMIT: '0.5',
      INTEG_FLUENTD_MEMORY_LIMIT: '1',
      INTEG_FLUENTD_CPU_REQUEST: '1',
      INTEG_FLUENTD_MEMORY_REQUEST: '30Mi',
    });
  });
});

describe('log lines stay in the pod', () => {
  it.each([
    { given: 'no logs', spec: {} },
    { given: 'every destination switched off', spec: { logs: { slack: false, googleChat: false, govSlack: false } } },
    { given: 'trigger alone', spec: { trigger: true } },
  ])('with $given', async ({ spec }) => {
    const { workloads } = await renderChart(valuesWith({ ...LOOP, ...spec }));
    expect(workloads).toEqual([DEPLOYMENT]);
  });
});
