import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOOP, renderChart, valuesWith } from '../../support/render-chart.ts';
import { COMMON_PARAMETERS, DEPLOYMENT, LOCKED, OWN_PARAMETERS } from './base.ts';
import { type Changes, changes } from './changes.ts';
import {
  CHAT_STORE,
  CLOUDWATCH,
  ERRORS,
  ERRORS_END,
  MATCH_END,
  READ,
  slackStore,
  TO_CLOUDWATCH,
  TO_ERRORS,
} from './pipeline.ts';

const POD = 'spec.template.spec';
const INT = `${POD}.containers[int]`;

const secret = (name: string, from: string, key: string, optional: object = {}) => ({
  name,
  valueFrom: { secretKeyRef: { name: from, key, ...optional } },
});
const cloudwatch = (name: string, key: string) => secret(name, '${CLOUDWATCH_SECRET}', key, { optional: true });
const parameter = (name: string, of = name) => ({ name, value: `\${${of}}` });

const CLOUDWATCH_ENV = [
  cloudwatch('AWS_ACCESS_KEY_ID', 'aws_access_key_id'),
  cloudwatch('AWS_REGION', 'aws_region'),
  cloudwatch('AWS_SECRET_ACCESS_KEY', 'aws_secret_access_key'),
  cloudwatch('LOG_GROUP_NAME', 'log_group_name'),
];

const POD_NAME = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };

const webhook = (name: string, key: string) => secret(name, 'app-interface', key);

const WRITE = `printf '%s' "$FLUENT_CONF" > /fluentd/etc/fluent.conf`;
const WRITE_CLOUDWATCH = `
if [ -n "$LOG_GROUP_NAME" ]; then
  printf '%s' "$CLOUDWATCH_CONF"
else
  printf '<store>\\n  @type null\\n</store>\\n'
fi > /fluentd/etc/cloudwatch.conf`;

const configContainer = (FLUENT_CONF: string, toCloudwatch: boolean) => ({
  name: 'config',
  image: '${BUSYBOX_IMAGE}:${BUSYBOX_IMAGE_TAG}@${BUSYBOX_IMAGE_DIGEST}',
  imagePullPolicy: '${BUSYBOX_IMAGE_PULL_POLICY}',
  command: ['/bin/sh', '-c', toCloudwatch ? WRITE + WRITE_CLOUDWATCH : WRITE],
  env: [
    { name: 'FLUENT_CONF', value: FLUENT_CONF },
    ...(toCloudwatch
      ? [{ name: 'CLOUDWATCH_CONF', value: CLOUDWATCH }, cloudwatch('LOG_GROUP_NAME', 'log_group_name')]
      : []),
  ],
  resources: { requests: { cpu: '15m', memory: '10Mi' }, limits: { memory: '20Mi' } },
  securityContext: LOCKED,
  volumeMounts: [{ name: 'fluentd-config', mountPath: '/fluentd/etc/' }],
});

const shipper = (env: readonly object[], resources: object) => ({
  image: '${FLUENTD_IMAGE}:${FLUENTD_IMAGE_TAG}@${FLUENTD_IMAGE_DIGEST}',
  imagePullPolicy: '${FLUENTD_IMAGE_PULL_POLICY}',
  env,
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
  /** On unless switched off. */
  readonly toCloudwatch?: boolean;
}

/** Everything that a pod has more when its log lines leave it. */
const shipping = ({ pipeline, env, resources, prefixed = false, toCloudwatch = true }: Expected): Changes => ({
  [`${POD}.initContainers`]: [configContainer(READ + (toCloudwatch ? TO_CLOUDWATCH : '') + pipeline, toCloudwatch)],
  [`${POD}.containers[fluentd]`]: shipper(
    toCloudwatch ? [...CLOUDWATCH_ENV, ...env] : env,
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
    { given: 'nothing said', spec: { logs: undefined }, expected: { pipeline: MATCH_END, env: [] } },
    { given: 'no destination named', spec: { logs: {} }, expected: { pipeline: MATCH_END, env: [] } },
    { given: 'trigger alone', spec: { logs: undefined, trigger: true }, expected: { pipeline: MATCH_END, env: [] } },
    {
      given: 'other destinations switched off',
      spec: { logs: { slack: false, googleChat: false, govSlack: false } },
      expected: { pipeline: MATCH_END, env: [] },
    },
    {
      given: 'slack and not CloudWatch',
      spec: { logs: { slack: true, cloudwatch: false } },
      expected: {
        pipeline: SLACK + MATCH_END,
        env: [webhook('SLACK_WEBHOOK_URL', 'slack.webhook_url'), ...CHANNEL],
        toCloudwatch: false,
      },
    },
    {
      given: 'slack',
      spec: { logs: { slack: true } },
      expected: {
        pipeline: SLACK + MATCH_END,
        env: [webhook('SLACK_WEBHOOK_URL', 'slack.webhook_url'), ...CHANNEL],
      },
    },
    {
      given: 'slack and trigger',
      spec: { logs: { slack: true }, trigger: true },
      expected: {
        pipeline: SLACK + MATCH_END,
        env: [webhook('SLACK_WEBHOOK_URL', 'slack.triggers_url'), ...TRIGGER_CHANNEL],
      },
    },
    {
      given: 'slackErrorFilter alone',
      spec: { logs: { slackErrorFilter: true } },
      expected: {
        pipeline: TO_ERRORS + MATCH_END + ERRORS + SLACK_ERRORS + ERRORS_END,
        env: [...ERRORS_ENV, ...CHANNEL],
        prefixed: true,
      },
    },
    {
      given: 'slack and slackErrorFilter',
      spec: { logs: { slack: true, slackErrorFilter: true } },
      expected: {
        pipeline: SLACK + TO_ERRORS + MATCH_END + ERRORS + SLACK_ERRORS + ERRORS_END,
        env: [webhook('SLACK_WEBHOOK_URL', 'slack.webhook_url'), ...ERRORS_ENV, ...CHANNEL],
        prefixed: true,
      },
    },
    {
      given: 'googleChat',
      spec: { logs: { googleChat: true } },
      expected: {
        pipeline: TO_ERRORS + MATCH_END + ERRORS + CHAT_STORE + ERRORS_END,
        env: [webhook('GOOGLE_CHAT_WEBHOOK_URL', 'google_chat.webhook_url'), POD_NAME],
        prefixed: true,
      },
    },
    {
      given: 'googleChat and trigger',
      spec: { logs: { googleChat: true }, trigger: true },
      expected: {
        pipeline: TO_ERRORS + MATCH_END + ERRORS + CHAT_STORE + ERRORS_END,
        env: [webhook('GOOGLE_CHAT_WEBHOOK_URL', 'google_chat.triggers_url'), POD_NAME],
        prefixed: true,
      },
    },
    {
      given: 'govSlack',
      spec: { logs: { govSlack: true } },
      expected: {
        pipeline: GOV_SLACK + MATCH_END,
        env: [webhook('GOV_SLACK_WEBHOOK_URL', 'slack.webhook_url'), ...CHANNEL],
        prefixed: true,
      },
    },
    {
      given: 'everything and trigger',
      spec: { logs: { slack: true, slackErrorFilter: true, googleChat: true, govSlack: true }, trigger: true },
      expected: {
        pipeline: SLACK + GOV_SLACK + TO_ERRORS + MATCH_END + ERRORS + SLACK_ERRORS + CHAT_STORE + ERRORS_END,
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
      shipping({ pipeline: SLACK + MATCH_END, env, resources }),
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
    { given: 'CloudWatch switched off', spec: { logs: { cloudwatch: false } } },
    { given: 'every destination switched off', spec: { logs: { cloudwatch: false, slack: false, googleChat: false } } },
    { given: 'CloudWatch switched off, and trigger', spec: { logs: { cloudwatch: false }, trigger: true } },
  ])('with $given', async ({ spec }) => {
    const { workloads } = await renderChart(valuesWith({ ...LOOP, ...spec }));
    expect(workloads).toEqual([DEPLOYMENT]);
  });
});

describe('the configuration that is written at the start of a pod', () => {
  interface Pod {
    readonly spec: { readonly template: { readonly spec: { readonly initContainers: readonly Init[] } } };
  }
  interface Init {
    readonly command: readonly string[];
    readonly env: readonly { readonly name: string; readonly value?: string }[];
  }

  it.each([
    { given: 'a log group', secret: { LOG_GROUP_NAME: 'a group' }, store: CLOUDWATCH },
    { given: 'no secret in the namespace', secret: {}, store: '<store>\n  @type null\n</store>\n' },
  ])('with $given', async ({ secret: given, store }) => {
    const folder = mkdtempSync(join(tmpdir(), 'echelon-fluentd-'));
    try {
      const { workloads } = await renderChart(valuesWith({ ...LOOP, logs: {} }));
      const [config] = (workloads as unknown as readonly Pod[])[0]!.spec.template.spec.initContainers;
      const script = config!.command[2]!.replaceAll('/fluentd/etc', folder);
      const env = Object.fromEntries(config!.env.map(({ name, value }) => [name, value ?? '']));
      execFileSync('/bin/sh', ['-c', script], { env: { ...env, ...given } });
      expect(readFileSync(join(folder, 'cloudwatch.conf'), 'utf8')).toBe(store);
      expect(readFileSync(join(folder, 'fluent.conf'), 'utf8')).toBe(READ + TO_CLOUDWATCH + MATCH_END);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
