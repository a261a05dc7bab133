import * as z from 'zod';
import { defined } from '../../base/index.ts';
import { type Datafile, refPath } from '../snapshot.ts';
import { labels, ref, type UpgradePolicy, upgradePolicy, type VaultSecret, vaultSecret } from './fields.ts';
import type { Organization } from './ocm.ts';
import { inlineOrReferred, type ReadContext } from './reading.ts';

const spec = z.object({
  product: z.string(),
  id: z.string().exactOptional(),
  external_id: z.string().exactOptional(),
  provider: z.string(),
  region: z.string(),
  channel: z.string().exactOptional(),
  version: z.string(),
  initial_version: z.string(),
  multi_az: z.boolean(),
  private: z.boolean(),
  hypershift: z.boolean().exactOptional(),
});

type ClusterSpec = z.infer<typeof spec>;

export const clusterShape = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  labels,
  serverUrl: z.string(),
  consoleUrl: z.string().exactOptional(),
  internal: z.boolean().exactOptional(),
  insecureSkipTLSVerify: z.boolean().exactOptional(),
  automationToken: vaultSecret.exactOptional(),
  clusterAdminAutomationToken: vaultSecret.exactOptional(),
  ocm: ref.exactOptional(),
  spec: spec.exactOptional(),
  upgradePolicy: upgradePolicy.exactOptional(),
  disable: z.unknown().optional(),
});

/** How to access a cluster. */
export interface ClusterAccess {
  readonly name: string;
  readonly serverUrl: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly insecureSkipTLSVerify?: boolean;
  readonly automationToken?: VaultSecret;
}

export interface Cluster extends ClusterAccess {
  readonly file: string;
  readonly consoleUrl?: string;
  readonly internal?: boolean;
  readonly clusterAdminAutomationToken?: VaultSecret;
  readonly organization?: Organization;
  readonly spec?: ClusterSpec;
  readonly upgradePolicy?: UpgradePolicy;
  readonly disabledIntegrations: readonly string[];
}

export function asCluster(
  { ocm, disable, description: _, ...rest }: z.infer<typeof clusterShape>,
  { path }: Datafile,
  context: ReadContext<{ organizations: Organization }>,
): Cluster {
  const { name, serverUrl } = rest;
  if (!context.servers.has(name)) context.servers.set(name, { serverUrl, file: path });
  const organization = ocm && context.follow('organizations', ocm.$ref, path, ['ocm']);
  return {
    file: path,
    ...rest,
    ...defined({ organization }),
    disabledIntegrations: disabledIntegrations(context, disable),
  };
}

/** `disable` is inline or in a file of its own; the reference check finds a dangling reference. */
function disabledIntegrations({ snapshot }: ReadContext, disable: unknown): readonly string[] {
  const { value } = inlineOrReferred(snapshot, disable);
  const integrations = (value as { integrations?: unknown } | null | undefined)?.integrations;
  return Array.isArray(integrations) ? integrations.filter((name) => typeof name === 'string') : [];
}

export const accountShape = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  labels,
  uid: z.string(),
  consoleUrl: z.string().exactOptional(),
  resourcesDefaultRegion: z.string(),
  supportedDeploymentRegions: z.array(z.string()).exactOptional(),
  partition: z.string().exactOptional(),
  disable: z.unknown().optional(),
});

export interface Account {
  readonly file: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly uid: string;
  readonly resourcesDefaultRegion: string;
  readonly supportedDeploymentRegions: readonly string[];
  readonly partition?: string;
  readonly disabledIntegrations: readonly string[];
}

export function asAccount(raw: z.infer<typeof accountShape>, { path }: Datafile, context: ReadContext): Account {
  return {
    file: path,
    name: raw.name,
    labels: raw.labels,
    uid: raw.uid,
    resourcesDefaultRegion: raw.resourcesDefaultRegion,
    supportedDeploymentRegions: raw.supportedDeploymentRegions ?? [],
    ...defined({ partition: raw.partition }),
    disabledIntegrations: disabledIntegrations(context, raw.disable),
  };
}

/** The part of a Cloudflare account that its zones use. */
export const cloudflareAccountShape = z.object({ name: z.string() });

export const zoneShape = z.object({
  identifier: z.string(),
  zone: z.string(),
  account: z.unknown().optional(),
});

/** A Cloudflare DNS zone. */
export interface Zone {
  readonly file: string;
  readonly identifier: string;
  readonly zone: string;
  /** Name of the Cloudflare account that it belongs to. */
  readonly accountName?: string;
}

export function asZone(
  { identifier, zone, account }: z.infer<typeof zoneShape>,
  { path }: Datafile,
  { snapshot }: ReadContext,
): Zone {
  const owner = snapshot.datafiles.get(refPath(account) ?? '')?.content['name'];
  return { file: path, identifier, zone, ...(typeof owner === 'string' ? { accountName: owner } : {}) };
}
