import * as z from 'zod';
import type { Steps } from '../../base/index.ts';
import type { Cluster, ClusterAccess } from './cluster.ts';
import type { Environment, EnvironmentContext } from './environment.ts';
import { labels, ref, vaultSecret } from './fields.ts';
import { type Collection, follow, type Reading, readEach } from './reading.ts';
import { SCHEMA } from './schemas.ts';

const full = z.object({
  name: z.string(),
  labels,
  cluster: ref,
  environment: ref,
  delete: z.boolean().exactOptional(),
});

const lean = z.object({
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
  const namespaces = yield* readEach(reading, { ...kind, schemas: [SCHEMA.namespace] }, full, (raw, { path }) => {
    const cluster = follow(reading, { path, keys: ['cluster'] }, raw.cluster.$ref, parts.clusters);
    const environment = follow(reading, { path, keys: ['environment'] }, raw.environment.$ref, parts.environments);
    if (cluster === undefined || environment === undefined) return undefined;
    const { name, labels: own } = raw;
    return { file: path, name, labels: own, lean: false, delete: raw.delete ?? false, cluster, environment };
  });
  const leans = yield* readEach(reading, { ...kind, schemas: [SCHEMA.leanNamespace] }, lean, (raw, { path }) => ({
    file: path,
    name: raw.name,
    labels: raw.labels,
    lean: true,
    delete: false,
    cluster: { ...raw.cluster, labels: {} },
    environment: { name: raw.environment.name, parameters: raw.environment.parameters ?? {} },
  }));
  return { ...kind, objects: new Map<string, Namespace>([...namespaces.objects, ...leans.objects]) };
}
