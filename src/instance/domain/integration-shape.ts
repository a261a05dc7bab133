import * as z from 'zod';
import { shown } from '../../base/index.ts';
import { cron, imageRef, labels, ref, resources } from './fields.ts';

const flag = z.boolean().exactOptional();
const text = z.string().exactOptional();

const extraEnv = z
  .object({ secretName: text, secretKey: text, name: text, value: text })
  .superRefine((entry, context) => {
    const secret = entry.secretName !== undefined && entry.secretKey !== undefined;
    const plain = entry.name !== undefined && entry.value !== undefined;
    if (secret !== plain) return;
    context.addIssue({
      code: 'custom',
      message: 'an extraEnv entry needs either name and value, or secretName and secretKey',
      params: { rule: 'bad-extra-env', hint: 'use one of the two pairs' },
    });
  })
  .meta({ oneOf: [{ required: ['name', 'value'] }, { required: ['secretName', 'secretKey'] }] });

/** Kubernetes counts weekdays from 0 to 6; elsewhere 7 is a Sunday too. */
const jobSchedule = cron.superRefine((value, context) => {
  if (!/(?:^|[,-])7(?:$|[,/-])/.test(value.trim().split(/\s+/)[4] ?? '')) return;
  context.addIssue({
    code: 'custom',
    message: `${shown(value)} has weekday 7, which a CronJob does not accept`,
    params: { rule: 'bad-cron', hint: 'use 0 for Sunday' },
  });
});

/** How one integration runs; every field but `resources` may be absent. */
export const spec = z
  .object({
    cache: flag,
    command: text,
    disableUnleash: flag,
    environmentAware: flag,
    extraArgs: text,
    extraEnv: z.array(extraEnv).exactOptional(),
    imageRef: imageRef.exactOptional(),
    internalCertificates: flag,
    logs: z
      .object({ cloudwatch: flag, slack: flag, googleChat: flag, slackErrorFilter: flag, govSlack: flag })
      .exactOptional(),
    resources,
    fluentdResources: resources.exactOptional(),
    sleepDurationSecs: text,
    state: flag,
    storage: text,
    storageClassName: text,
    trigger: flag,
    cron: jobSchedule.exactOptional(),
    dashdotdb: flag,
    concurrencyPolicy: z.enum(['Allow', 'Forbid', 'Replace']).exactOptional(),
    restartPolicy: z.enum(['Always', 'OnFailure', 'Never']).exactOptional(),
    successfulJobHistoryLimit: z.number().int().exactOptional(),
    failedJobHistoryLimit: z.number().int().exactOptional(),
    enablePushgateway: flag,
  })
  .superRefine(({ cron: schedule, restartPolicy }, context) => {
    if (schedule === undefined || restartPolicy !== 'Always') return;
    context.addIssue({
      code: 'custom',
      path: ['restartPolicy'],
      message: 'restartPolicy is Always, which Kubernetes rejects for a job',
      params: { rule: 'bad-value', hint: 'use OnFailure or Never' },
    });
  })
  .meta({ not: { required: ['cron', 'restartPolicy'], properties: { restartPolicy: { const: 'Always' } } } });

/** Each shard is a pod. */
const MAX_SHARDS = 1_000;

const shardCount = z
  .number()
  .int()
  .superRefine((shards, context) => {
    if (shards >= 1 && shards <= MAX_SHARDS) return;
    const bound = shards < 1 ? 'the minimum is 1' : `the maximum is ${MAX_SHARDS}`;
    context.addIssue({
      code: 'custom',
      message: `shards is ${shards}; ${bound}`,
      params: {
        rule: 'bad-shard-count',
        hint: `use a number from 1 to ${MAX_SHARDS}, or remove the entry from managed`,
      },
    });
  })
  .meta({ minimum: 1, maximum: MAX_SHARDS });

export const subSharding = z.object({ strategy: z.literal('static'), shards: shardCount.exactOptional() });

/** A shard is referred to by the datafile of its item, by its name, or by its id. */
export const override = z.object({
  shard: z.union([ref, z.string(), z.number().int()], { error: 'shard must be a $ref, a name or a shard id' }),
  imageRef: imageRef.exactOptional(),
  resources: resources.exactOptional(),
  disabled: flag,
  subSharding: subSharding.exactOptional(),
});

export const sharding = z.object({
  strategy: z.string(),
  shards: shardCount.exactOptional(),
  membership: z.enum(['md5', 'rendezvous']).exactOptional(),
  /** Each is an `override`; a fleet has thousands, so they are read one by one. */
  shardSpecOverrides: z.array(z.unknown()).exactOptional(),
});

export const managed = z.object({ namespace: ref, spec, sharding: sharding.exactOptional() });

export const prCheck = z.object({
  cmd: z.string(),
  state: flag,
  sqs: flag,
  disabled: flag,
  always_run: flag,
  no_validate_schemas: flag,
  run_for_valid_saas_file_changes: flag,
  early_exit: flag,
  check_only_affected_shards: flag,
  run_order: z.number().int().exactOptional(),
  imageRef: imageRef.exactOptional(),
});

export const integration = z.object({
  name: z.string(),
  description: z.string(),
  labels,
  upstream: z.string().exactOptional(),
  schemas: z.array(z.string()),
  capabilities: z.array(z.string()).exactOptional(),
  pr_check: prCheck.exactOptional(),
  managed: z.array(z.unknown()).exactOptional(),
});

/** A whole integration file, with the entries that are read one by one. */
export const integrationFile = integration.extend({
  managed: z
    .array(
      managed.extend({
        sharding: sharding.extend({ shardSpecOverrides: z.array(override).exactOptional() }).exactOptional(),
      }),
    )
    .exactOptional(),
});
