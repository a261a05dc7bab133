import * as z from 'zod';
import type { Steps } from '../../base/index.ts';
import { disable, labels, ref, type UpgradePolicy, type VaultSecret, vaultSecret } from './fields.ts';
import { type Entries, type RawPolicyCluster, type RawSector, readEntries, type UnreadEntry } from './ocm-entries.ts';
import { type Collection, follow, type Reading, readEach } from './reading.ts';
import { SCHEMA } from './schemas.ts';

const environment = z.object({
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

export function readOcmEnvironments(reading: Reading): Steps<Collection<OcmEnvironment>> {
  const kind = { what: 'OCM environment', schemas: [SCHEMA.ocmEnvironment] };
  return readEach(reading, kind, environment, ({ description: _, ...raw }, { path }) => ({ file: path, ...raw }));
}

export function readOrganizations(
  reading: Reading,
  environments: Collection<OcmEnvironment>,
): Steps<Collection<Organization>> {
  const kind = { what: 'OCM organization', schemas: [SCHEMA.organization] };
  return readEach(reading, kind, organizationShape, (raw, { path }) => {
    const home = follow(reading, { path, keys: ['environment'] }, raw.environment.$ref, environments);
    return home === undefined ? undefined : asOrganization(raw, path, home, readEntries(reading, path, raw));
  });
}

type RawOrganization = z.infer<typeof organizationShape>;

function asOrganization(raw: RawOrganization, path: string, home: OcmEnvironment, read: Entries): Organization {
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
