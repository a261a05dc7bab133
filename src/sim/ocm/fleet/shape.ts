import { valid } from 'semver';
import * as z from 'zod';
import { compileCron, fiveFields } from '../../../base/index.ts';
import { CLUSTER_STATES, SUBSCRIPTION_STATUSES } from '../model.ts';
import { parseDuration, parseRange, parseShare, parseWhen } from './units.ts';

/** The schema of fleet files, with short forms that `expand.ts` expands. */

const when = z.string().refine((text) => parseWhen(text, 0) !== undefined, {
  error: 'use a time such as 2026-03-02T06:00:00Z, day 12 or day 12 06:30',
});

const duration = z
  .string()
  .refine((text) => parseDuration(text) !== undefined, { error: 'use a duration such as 90m or 1h30m' });

const range = z.string().transform((text, context) => {
  const found = parseRange(text);
  if (found !== undefined) return found;
  context.addIssue({ code: 'custom', message: 'use a duration such as 90m, or a range such as 60m..2h', input: text });
  return z.NEVER;
});

const share = z.union([z.string(), z.number()]).transform((value, context) => {
  const found = parseShare(value);
  if (found !== undefined) return found;
  context.addIssue({ code: 'custom', message: 'use a percentage such as 5%, or a number from 0 to 1', input: value });
  return z.NEVER;
});

const cron = z.string().refine(isCron, { error: 'use a cron expression with five fields that matches some date' });

function isCron(text: string): boolean {
  const cron = compileCron(fiveFields(text));
  return !('fault' in cron) && cron.next(0) !== undefined;
}

const version = z.string().refine((text) => valid(text) !== null, { error: 'use a version such as 4.18.9' });
const minor = z.string().regex(/^\d+\.\d+$/, { error: 'use a minor version such as 4.18, in quotes' });
const count = z.int().min(1).max(10_000);
const name = z.string().min(1);
const id = z.string().regex(/^[0-9A-Za-z-]{1,64}$/, { error: 'use at most 64 letters, digits and dashes' });

/** Values need no quotes; null, in `but` and in events, removes a label. */
const labels = z.record(
  z.string(),
  z
    .union([z.string(), z.number(), z.boolean(), z.null()])
    .transform((value) => (value === null ? null : String(value))),
);

const timing = z.strictObject({
  /** From creation until a policy is scheduled. */
  schedule: range.prefault('20s..2m'),
  /** From `next_run` until the upgrade starts. */
  start: range.prefault('0s..1m'),
  /** From start to end. */
  classic: range.prefault('70m..2h'),
  control_plane: range.prefault('20m..45m'),
  node_pool: range.prefault('20m..1h'),
  /** How long a finished policy stays visible. */
  completed_visible: range.prefault('2m..10m'),
  failed_visible: range.prefault('1h'),
  /** How long an upgraded hosted control plane rejects another upgrade. */
  settle: range.prefault('1m..5m'),
  /** From a gate agreement until it is effective. */
  agreement: range.prefault('1m..2m'),
});

const outcomes = z.strictObject({ delayed: share.prefault(0), failed: share.prefault(0) });

const release = z.strictObject({
  version: name,
  from: z.int().min(0).exactOptional(),
  count: count.exactOptional(),
  every: duration.default('7d'),
  at: when.default('day 0'),
  groups: z.array(name).exactOptional(),
  hosted: z.boolean().default(true),
  rosa: z.boolean().default(true),
  not_from: z.array(version).default([]),
  withdrawn: when.exactOptional(),
  end_of_life: when.exactOptional(),
});

const versions = z.strictObject({
  /** Channel groups, and how much earlier or later than its date each gets a release. */
  groups: z.record(name, duration).default({ stable: '0d', fast: '-3d', candidate: '-10d', eus: '0d' }),
  releases: z.array(release).min(1),
});

const gate = z.strictObject({
  id: id.exactOptional(),
  version: minor,
  label: name,
  value: z.string().exactOptional(),
  sts_only: z.boolean().default(false),
  condition: name.exactOptional(),
  description: z.string().default(''),
  warning: z.string().default(''),
  documentation: z.string().default(''),
  at: when.default('day -60'),
});

const account = z.strictObject({
  username: name,
  role: z.enum(['service', 'admin', 'viewer']).default('service'),
  organization: name.exactOptional(),
  client_id: name.exactOptional(),
  client_secret: name.exactOptional(),
  offline_token: name.exactOptional(),
});

const nodePool = z.strictObject({ name, version: version.exactOptional(), replicas: z.int().min(0).default(2) });

const policy = z.strictObject({
  version: version.exactOptional(),
  next_run: when.exactOptional(),
  schedule: cron.exactOptional(),
  minor_upgrades: z.boolean().default(false),
});

const oneOrMany = <T extends z.ZodType>(item: T) => z.union([item, z.array(item).min(1)]);

const clusterFields = {
  id: id.exactOptional(),
  uuid: id.exactOptional(),
  subscription: id.exactOptional(),
  display_name: name.exactOptional(),
  product: z.enum(['osd', 'rosa']).exactOptional(),
  hosted: z.boolean().exactOptional(),
  sts: z.boolean().exactOptional(),
  managed: z.boolean().exactOptional(),
  version: oneOrMany(version).exactOptional(),
  channel: z
    .string()
    .regex(/^[a-z]+-\d+\.\d+$/, { error: 'use a channel such as stable-4.18' })
    .exactOptional(),
  group: name.exactOptional(),
  cloud: name.exactOptional(),
  region: oneOrMany(name).exactOptional(),
  multi_az: z.boolean().exactOptional(),
  nodes: z.int().min(0).exactOptional(),
  state: z.enum(CLUSTER_STATES).exactOptional(),
  health: z.enum(['healthy', 'unhealthy', 'unknown']).exactOptional(),
  status: z.enum(SUBSCRIPTION_STATUSES).exactOptional(),
  created: when.exactOptional(),
  labels: labels.exactOptional(),
  aus: labels.exactOptional(),
  capabilities: z.record(name, z.string()).exactOptional(),
  properties: z.record(name, z.string()).exactOptional(),
  node_pools: z.array(nodePool).exactOptional(),
  policy: policy.exactOptional(),
};

const cluster = z.strictObject({
  name,
  count: count.exactOptional(),
  from: z.int().min(0).default(1),
  ...clusterFields,
  /** By number: overrides for one of many. */
  but: z.record(z.string().regex(/^\d+$/), z.strictObject(clusterFields)).default({}),
});

const organization = z.strictObject({
  id,
  name,
  external_id: name.exactOptional(),
  ebs_account_id: name.exactOptional(),
  labels: labels.default({}),
  aus: labels.default({}),
  capabilities: z.record(name, z.string()).default({}),
  clusters: z.array(cluster).default([]),
});

const environment = z.strictObject({
  name,
  accounts: z.array(account).default([]),
  organizations: z.array(organization).min(1),
});

const event = z.strictObject({
  at: when,
  environment: name.exactOptional(),
  cluster: name.exactOptional(),
  organization: name.exactOptional(),
  health: z.enum(['healthy', 'unhealthy', 'unknown']).exactOptional(),
  state: z.enum(CLUSTER_STATES).exactOptional(),
  status: z.enum(SUBSCRIPTION_STATUSES).exactOptional(),
  labels: labels.exactOptional(),
  aus: labels.exactOptional(),
  remove: z.literal(true).exactOptional(),
});

export const fleetShape = z.strictObject({
  start: z
    .string()
    .refine((text) => parseWhen(text, 0) !== undefined && !text.startsWith('day'), {
      error: 'use a date such as 2026-03-02T06:00:00Z',
    })
    .default('2026-01-05T00:00:00Z'),
  timing: timing.prefault({}),
  outcomes: outcomes.prefault({}),
  versions,
  gates: z.array(gate).default([]),
  environments: z.array(environment).min(1),
  events: z.array(event).default([]),
});

export type RawFleet = z.infer<typeof fleetShape>;
export type RawEnvironment = RawFleet['environments'][number];
export type RawOrganization = RawEnvironment['organizations'][number];
export type RawCluster = RawOrganization['clusters'][number];
export type RawClusterFields = z.infer<z.ZodObject<typeof clusterFields>>;
export type RawRelease = RawFleet['versions']['releases'][number];
export type RawEvent = RawFleet['events'][number];
export type Timing = RawFleet['timing'];
export type Outcomes = RawFleet['outcomes'];
