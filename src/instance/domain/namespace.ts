import * as z from 'zod';
import { type Steps, serverAddress } from '../../base/index.ts';
import type { Finding } from '../problem.ts';
import { fileOf } from '../snapshot.ts';
import type { Cluster, ClusterAccess } from './cluster.ts';
import type { Environment, EnvironmentContext } from './environment.ts';
import { labels, ref, vaultSecret } from './fields.ts';
import { type Collection, follow, type Reading, readEach } from './reading.ts';
import { SCHEMA } from './schemas.ts';

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

export function* readNamespaces(reading: Reading, parts: NamespaceParts): Steps<Collection<Namespace>> {
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
