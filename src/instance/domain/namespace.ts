import * as z from 'zod';
import type { Steps } from '../../base/index.ts';
import { serverAddress } from '../../base/index.ts';
import type { Finding } from '../problem.ts';
import { fileOf } from '../snapshot.ts';
import type { Cluster, ClusterAccess } from './cluster.ts';
import { labels, ref, vaultSecret } from './fields.ts';
import { type Collection, follow, type ReadContext, readEach, SCHEMA } from './reading.ts';

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

interface NamespaceParts {
  readonly clusters: Collection<Cluster>;
  readonly environments: Collection<Environment>;
}

export function* readNamespaces(reading: ReadContext, parts: NamespaceParts): Steps<Collection<Namespace>> {
  const kind = { what: 'namespace', schemas: [SCHEMA.namespace, SCHEMA.leanNamespace] };
  const namespaces = yield* readEach(
    reading,
    { ...kind, schemas: [SCHEMA.namespace] },
    namespaceShape,
    (raw, { path }) => {
      const cluster = follow(reading, { path, keys: ['cluster'] }, raw.cluster.$ref, parts.clusters);
      const environment = follow(reading, { path, keys: ['environment'] }, raw.environment.$ref, parts.environments);
      if (cluster === undefined || environment === undefined) return undefined;
      const { name, labels: own } = raw;
      return { file: path, name, labels: own, lean: false, delete: raw.delete ?? false, cluster, environment };
    },
  );
  const servers = new Map<string, KnownServer>();
  for (const { name, serverUrl, file } of parts.clusters.objects.values()) know(servers, name, { serverUrl, file });
  const leans = yield* readEach(
    reading,
    { ...kind, schemas: [SCHEMA.leanNamespace] },
    leanNamespaceShape,
    (raw, { path }) => {
      const { name, serverUrl } = raw.cluster;
      const known = know(servers, name, { serverUrl, file: path });
      if (isOther(known.serverUrl, serverUrl)) {
        reading.findings.push(otherServer(path, raw.cluster, known));
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
    },
  );
  return { ...kind, objects: new Map<string, Namespace>([...namespaces.objects, ...leans.objects]) };
}

interface KnownServer {
  readonly serverUrl: string;
  readonly file: string;
}

/** The first that names the cluster, in the order of files. */
function know(servers: Map<string, KnownServer>, cluster: string, server: KnownServer): KnownServer {
  const known = servers.get(cluster) ?? server;
  servers.set(cluster, known);
  return known;
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
  known: KnownServer,
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

const product = z.object({ name: z.string(), description: z.string().exactOptional() });

interface Product {
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

/** What a workload needs to know about its environment. */
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

export function readProducts(reading: ReadContext): Steps<Collection<Product>> {
  return readEach(reading, { what: 'product', schemas: [SCHEMA.product] }, product, ({ name }, { path }) => ({
    file: path,
    name,
  }));
}

export function readEnvironments(reading: ReadContext, products: Collection<Product>): Steps<Collection<Environment>> {
  return readEach(
    reading,
    { what: 'environment', schemas: [SCHEMA.environment] },
    environmentShape,
    (raw, { path }) => {
      const owner = follow(reading, { path, keys: ['product'] }, raw.product.$ref, products);
      if (owner === undefined) return undefined;
      return {
        file: path,
        name: raw.name,
        labels: raw.labels,
        product: owner,
        servicePhase: raw.servicePhase,
        parameters: raw.parameters ?? {},
        ...(raw.dependsOn ? { dependsOn: raw.dependsOn.$ref } : {}),
      };
    },
  );
}

const settings = z.object({
  name: z.string(),
  repoUrl: z.string(),
  hashLength: z.number().int(),
  vault: z.boolean().exactOptional(),
  mergeRequestGateway: z.string().exactOptional(),
});

/** Instance-wide settings. */
export interface Settings extends z.infer<typeof settings> {
  readonly file: string;
}

export function readSettings(reading: ReadContext): Steps<Collection<Settings>> {
  return readEach(reading, { what: 'settings file', schemas: [SCHEMA.settings] }, settings, (raw, { path }) => ({
    file: path,
    ...raw,
  }));
}
