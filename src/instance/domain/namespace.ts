import * as z from 'zod';
import { serverAddress } from '../../base/index.ts';
import type { Finding } from '../problem.ts';
import { type Datafile, fileOf } from '../snapshot.ts';
import type { Cluster, ClusterAccess } from './cluster.ts';
import { labels, ref, vaultSecret } from './fields.ts';
import type { ReadContext } from './reading.ts';

export const namespaceShape = z.object({
  name: z.string(),
  labels,
  cluster: ref,
  environment: ref,
  delete: z.boolean().exactOptional(),
});

export const leanNamespaceShape = z.object({
  name: z.string(),
  labels,
  cluster: z.object({ name: z.string(), serverUrl: z.string(), automationToken: vaultSecret }),
  environment: z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()).nullish() }),
});

export interface Namespace {
  readonly file: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Contains its cluster and environment, for instances without files for those. */
  readonly lean: boolean;
  /** Marked for deletion. */
  readonly delete: boolean;
  readonly cluster: ClusterAccess | Cluster;
  readonly environment: EnvironmentContext | Environment;
}

export function asNamespace(
  raw: z.infer<typeof namespaceShape>,
  { path }: Datafile,
  { follow }: ReadContext<{ clusters: Cluster; environments: Environment }>,
): Namespace | undefined {
  const cluster = follow('clusters', raw.cluster.$ref, path, ['cluster']);
  const environment = follow('environments', raw.environment.$ref, path, ['environment']);
  if (cluster === undefined || environment === undefined) return undefined;
  const { name, labels: own } = raw;
  return { file: path, name, labels: own, lean: false, delete: raw.delete ?? false, cluster, environment };
}

export function asLeanNamespace(
  raw: z.infer<typeof leanNamespaceShape>,
  { path }: Datafile,
  { servers, findings }: ReadContext,
): Namespace | undefined {
  const { name, serverUrl } = raw.cluster;
  const known = servers.get(name) ?? { serverUrl, file: path };
  servers.set(name, known);
  if (isOther(known.serverUrl, serverUrl)) {
    findings.push(otherServer(path, raw.cluster, known));
    return undefined;
  }
  return {
    file: path,
    name: raw.name,
    labels: raw.labels,
    lean: true,
    delete: false,
    cluster: { ...raw.cluster, labels: {} },
    environment: { name: raw.environment.name, parameters: raw.environment.parameters ?? {} },
  };
}

/** A cluster that does not exist yet has no address. */
function isOther(first: string, second: string): boolean {
  const [one, other] = [serverAddress(first), serverAddress(second)];
  return one !== undefined && other !== undefined && one !== other;
}

/** One name has one access: with two servers, workloads of one would be compared with and written to the other. */
function otherServer(
  path: string,
  { name, serverUrl }: { name: string; serverUrl: string },
  known: { serverUrl: string; file: string },
): Finding {
  return {
    rule: 'other-server',
    severity: 'error',
    path,
    keys: ['cluster', 'serverUrl'],
    message: `cluster ${name} has the API server ${serverUrl} here, but ${known.serverUrl} in ${fileOf(known.file)}`,
    hint: 'use the same serverUrl in both, or another cluster name',
  };
}

export const productShape = z.object({ name: z.string(), description: z.string().exactOptional() });

export interface Product {
  readonly file: string;
  readonly name: string;
}

export const environmentShape = z.object({
  name: z.string(),
  description: z.string().exactOptional(),
  labels,
  product: ref,
  servicePhase: z.string(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  dependsOn: ref.exactOptional(),
});

/** The part of an environment that its workloads use. */
export interface EnvironmentContext {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Environment extends EnvironmentContext {
  readonly file: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly product: Product;
  readonly servicePhase: string;
  /** Path of the environment that this one depends on. */
  readonly dependsOn?: string;
}

export function asEnvironment(
  raw: z.infer<typeof environmentShape>,
  { path }: Datafile,
  { follow }: ReadContext<{ products: Product }>,
): Environment | undefined {
  const product = follow('products', raw.product.$ref, path, ['product']);
  if (product === undefined) return undefined;
  return {
    file: path,
    name: raw.name,
    labels: raw.labels,
    product,
    servicePhase: raw.servicePhase,
    parameters: raw.parameters ?? {},
    ...(raw.dependsOn ? { dependsOn: raw.dependsOn.$ref } : {}),
  };
}

export const settingsShape = z.object({
  name: z.string(),
  repoUrl: z.string(),
  hashLength: z.number().int(),
  vault: z.boolean().exactOptional(),
  mergeRequestGateway: z.string().exactOptional(),
});

/** Instance-wide settings. */
export interface Settings extends z.infer<typeof settingsShape> {
  readonly file: string;
}
