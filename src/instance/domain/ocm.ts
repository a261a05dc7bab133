import * as z from 'zod';
import { defined } from '../../base/index.ts';
import { keyPathText } from '../problem.ts';
import type { Datafile } from '../snapshot.ts';
import { disable, labels, ref, type UpgradePolicy, upgradePolicy, type VaultSecret, vaultSecret } from './fields.ts';
import { issueFindings, type ReadContext, report } from './reading.ts';

export const ocmEnvironmentShape = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  labels,
  url: z.string(),
  accessTokenClientId: z.string(),
  accessTokenUrl: z.string(),
  accessTokenClientSecret: vaultSecret,
});

/** The OCM service account credentials. */
export interface OcmLogin {
  readonly accessTokenClientId: string;
  readonly accessTokenUrl: string;
  readonly accessTokenClientSecret: VaultSecret;
}

export interface OcmEnvironment extends OcmLogin {
  readonly file: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly url: string;
}

const texts = z.array(z.string());
const refs = z.array(ref).default([]);
/** Read one by one. */
const entries = z.array(z.unknown()).default([]);

export const organizationShape = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  labels,
  orgId: z.string().brand<'OrgId'>(),
  externalOrgId: z.string().exactOptional(),
  environment: ref,
  accessTokenClientId: z.string().exactOptional(),
  accessTokenUrl: z.string().exactOptional(),
  accessTokenClientSecret: vaultSecret.exactOptional(),
  blockedVersions: texts.default([]),
  sectors: entries,
  upgradePolicyAllowedWorkloads: texts.exactOptional(),
  upgradePolicyAllowedMutexes: texts.exactOptional(),
  upgradePolicyClusters: entries,
  ausClusterHealthChecks: z.array(z.object({ provider: z.string(), enforced: z.boolean() })).default([]),
  inheritVersionData: refs,
  publishVersionData: refs,
  disable,
});

/** Id of an OCM organization; case matters. */
export type OrgId = z.infer<typeof organizationShape>['orgId'];

interface Sector {
  readonly name: string;
  readonly maxParallelUpgrades?: string;
  /** `organization` is the path of another organization's file; absent for a sector of the same one. */
  readonly dependencies: readonly { readonly name: string; readonly organization?: string }[];
}

export interface UpgradePolicyCluster {
  readonly name: string;
  readonly serverUrl?: string;
  readonly id?: string;
  readonly upgradePolicy: UpgradePolicy;
}

export interface Organization {
  readonly file: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly orgId: OrgId;
  readonly externalOrgId?: string;
  readonly environment: OcmEnvironment;
  /** The login of the organization, else of its environment. */
  readonly login: OcmLogin;
  readonly blockedVersions: readonly string[];
  readonly sectors: readonly Sector[];
  readonly allowedWorkloads?: readonly string[];
  readonly allowedMutexes?: readonly string[];
  readonly policyClusters: readonly UpgradePolicyCluster[];
  /** Invalid sectors and policies, if any. */
  readonly unread?: readonly UnreadEntry[];
  readonly healthChecks: readonly { readonly provider: string; readonly enforced: boolean }[];
  /** Paths of organization files. */
  readonly inheritVersionData: readonly string[];
  readonly publishVersionData: readonly string[];
  readonly disabledIntegrations: readonly string[];
}

export function asOrganization(
  raw: z.infer<typeof organizationShape>,
  { path }: Datafile,
  context: ReadContext<{ ocmEnvironments: OcmEnvironment }>,
): Organization | undefined {
  const home = context.follow('ocmEnvironments', raw.environment.$ref, path, ['environment']);
  if (home === undefined) return undefined;
  const read = readEntries(context, path, raw);
  return {
    file: path,
    name: raw.name,
    labels: raw.labels,
    orgId: raw.orgId,
    ...(raw.externalOrgId ? { externalOrgId: raw.externalOrgId } : {}),
    environment: home,
    login: {
      accessTokenClientId: raw.accessTokenClientId ?? home.accessTokenClientId,
      accessTokenUrl: raw.accessTokenUrl ?? home.accessTokenUrl,
      accessTokenClientSecret: raw.accessTokenClientSecret ?? home.accessTokenClientSecret,
    },
    blockedVersions: raw.blockedVersions,
    sectors: read.sectors.map(asSector),
    ...(raw.upgradePolicyAllowedWorkloads ? { allowedWorkloads: raw.upgradePolicyAllowedWorkloads } : {}),
    ...(raw.upgradePolicyAllowedMutexes ? { allowedMutexes: raw.upgradePolicyAllowedMutexes } : {}),
    policyClusters: read.policyClusters.map(asPolicyCluster),
    ...(read.unread.length === 0 ? {} : { unread: read.unread }),
    healthChecks: raw.ausClusterHealthChecks,
    inheritVersionData: raw.inheritVersionData.map(({ $ref }) => $ref),
    publishVersionData: raw.publishVersionData.map(({ $ref }) => $ref),
    disabledIntegrations: raw.disable?.integrations ?? [],
  };
}

function asSector(raw: RawSector): Sector {
  return {
    name: raw.name,
    ...(raw.maxParallelUpgrades ? { maxParallelUpgrades: raw.maxParallelUpgrades } : {}),
    dependencies: raw.dependencies.map(({ name, ocm }) => ({
      name,
      ...(ocm ? { organization: ocm.$ref } : {}),
    })),
  };
}

function asPolicyCluster(raw: RawPolicyCluster): UpgradePolicyCluster {
  return {
    name: raw.name,
    ...(raw.serverUrl ? { serverUrl: raw.serverUrl } : {}),
    ...(raw.spec?.id ? { id: raw.spec.id } : {}),
    upgradePolicy: raw.upgradePolicy,
  };
}

const sectorShape = z.object({
  name: z.string(),
  maxParallelUpgrades: z.string().exactOptional(),
  dependencies: z.array(z.object({ name: z.string(), ocm: ref.exactOptional() })).default([]),
});

const policyClusterShape = z.object({
  name: z.string(),
  serverUrl: z.string().exactOptional(),
  spec: z.object({ id: z.string().exactOptional() }).exactOptional(),
  upgradePolicy,
});

/** A whole organization file, with the entries that are read one by one. */
export const organizationFileShape = organizationShape.extend({
  sectors: z.array(sectorShape).default([]),
  upgradePolicyClusters: z.array(policyClusterShape).default([]),
});

type RawSector = z.infer<typeof sectorShape>;
type RawPolicyCluster = z.infer<typeof policyClusterShape>;

/** The valid part of a cluster's invalid policy: enough to keep counting the cluster. */
interface KnownEntry {
  readonly workloads?: readonly string[];
  readonly mutexes?: readonly string[];
  readonly sector?: string;
  readonly blockedVersions?: readonly string[];
}

/** An invalid entry of an organization file. Findings report the same, with its line. */
export interface UnreadEntry {
  readonly list: 'sectors' | 'upgradePolicyClusters';
  /** Its index in the list. */
  readonly index: number;
  /** The cluster of the entry; absent when it, or the sector and mutexes in which it counts, cannot be read. */
  readonly cluster?: { readonly name: string; readonly known: KnownEntry };
  readonly faults: readonly { readonly key: string; readonly message: string; readonly hint: string }[];
}

interface Entries {
  readonly sectors: readonly RawSector[];
  readonly policyClusters: readonly RawPolicyCluster[];
  readonly unread: readonly UnreadEntry[];
}

/** Reads entry by entry: an invalid one is reported and does not affect the others. */
function readEntries(
  context: ReadContext,
  path: string,
  lists: { readonly sectors: readonly unknown[]; readonly upgradePolicyClusters: readonly unknown[] },
): Entries {
  const unread: UnreadEntry[] = [];
  const each = <Shape extends z.ZodType>(list: UnreadEntry['list'], shape: Shape): z.infer<Shape>[] =>
    lists[list].flatMap((value, index): z.infer<Shape>[] => {
      const result = shape.safeParse(value, { reportInput: true });
      if (result.success) return [result.data];
      const findings = issueFindings(context.written, { path, keys: [list, index] }, result.error.issues);
      report(context, findings);
      const cluster = list === 'sectors' ? undefined : clusterOf(value);
      const faults = findings.map(({ keys, message, hint }) => ({ key: keyPathText(keys), message, hint }));
      unread.push({ list, index, ...defined({ cluster }), faults });
      return [];
    });
  return {
    sectors: each('sectors', sectorShape),
    policyClusters: each('upgradePolicyClusters', policyClusterShape),
    unread,
  };
}

/** An unreadable sector or mutex would let other clusters upgrade; unreadable workloads count as all workloads. */
const countable = z.object({
  name: z.string().min(1),
  upgradePolicy: z.object({
    workloads: z.unknown().optional(),
    conditions: z.object({
      mutexes: texts.exactOptional(),
      sector: z.string().exactOptional(),
      blockedVersions: z.unknown().optional(),
    }),
  }),
});

function clusterOf(value: unknown): UnreadEntry['cluster'] {
  const result = countable.safeParse(value);
  if (!result.success) return undefined;
  const { name, upgradePolicy: policy } = result.data;
  const { blockedVersions, ...counted } = policy.conditions;
  const readable = Object.entries({ workloads: policy.workloads, blockedVersions }).flatMap(([key, given]) => {
    const list = texts.safeParse(given);
    return list.success ? [[key, list.data]] : [];
  });
  return { name, known: { ...counted, ...Object.fromEntries(readable) } };
}
