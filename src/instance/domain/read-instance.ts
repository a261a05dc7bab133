import * as z from 'zod';
import { atOnce, byText, defined, type Steps, suggestions } from '../../base/index.ts';
import { writtenScalars } from '../locate.ts';
import type { Finding } from '../problem.ts';
import type { Snapshot } from '../snapshot.ts';
import {
  type Account,
  accountShape,
  type Cluster,
  clusterShape,
  readAccounts,
  readClusters,
  readZones,
  type Zone,
} from './cluster.ts';
import { type Integration, readIntegrations } from './integration.ts';
import * as integration from './integration-shape.ts';
import {
  type Environment,
  environmentShape,
  leanNamespaceShape,
  type Namespace,
  namespaceShape,
  readEnvironments,
  readNamespaces,
  readProducts,
  readSettings,
  type Settings,
} from './namespace.ts';
import {
  type OcmEnvironment,
  type Organization,
  organizationShape,
  policyClusterShape,
  readOcmEnvironments,
  readOrganizations,
  sectorShape,
} from './ocm.ts';
import { type Collection, type ReadContext, SCHEMA } from './reading.ts';
import { readSaasFiles, type SaasFile } from './saas-file.ts';

/** The contents of an instance as typed objects with resolved references, ordered by name. */
export interface Instance {
  readonly snapshot: Snapshot;
  readonly integrations: readonly Integration[];
  readonly environments: readonly Environment[];
  readonly namespaces: readonly Namespace[];
  readonly clusters: readonly Cluster[];
  readonly accounts: readonly Account[];
  readonly organizations: readonly Organization[];
  readonly ocmEnvironments: readonly OcmEnvironment[];
  readonly zones: readonly Zone[];
  readonly saasFiles: readonly SaasFile[];
  readonly settings?: Settings;
  /** Invalid data, which is left out, and deprecated spellings. */
  readonly findings: readonly Finding[];
}

/** Deterministic: the same snapshot gives the same instance. */
export function readInstance(snapshot: Snapshot): Instance {
  return atOnce(instanceSteps(snapshot));
}

/** The same, file by file, for a process that has to answer meanwhile. */
export function* instanceSteps(snapshot: Snapshot): Steps<Instance> {
  const reading: ReadContext = { snapshot, findings: [], written: writtenScalars(snapshot), suggest: suggestions() };
  const ocmEnvironments = yield* readOcmEnvironments(reading);
  const organizations = yield* readOrganizations(reading, ocmEnvironments);
  const environments = yield* readEnvironments(reading, yield* readProducts(reading));
  const clusters = yield* readClusters(reading, organizations);
  const namespaces = yield* readNamespaces(reading, { clusters, environments });
  const [settings] = (yield* readSettings(reading)).objects.values();
  return {
    snapshot,
    integrations: sorted(yield* readIntegrations(reading, namespaces)),
    environments: sorted(environments),
    namespaces: sorted(namespaces),
    clusters: sorted(clusters),
    accounts: sorted(yield* readAccounts(reading)),
    organizations: sorted(organizations),
    ocmEnvironments: sorted(ocmEnvironments),
    zones: [...(yield* readZones(reading)).objects.values()].sort((a, b) => byText(a.identifier, b.identifier)),
    saasFiles: sorted(yield* readSaasFiles(reading)),
    ...defined({ settings }),
    findings: reading.findings,
  };
}

function sorted<T extends { readonly name: string; readonly file: string }>(collection: Collection<T>): T[] {
  return [...collection.objects.values()].sort((a, b) => byText(a.name, b.name) || byText(a.file, b.file));
}

/** Names of all environments, those of lean namespaces included. */
export function environmentNames({
  environments,
  namespaces,
}: Pick<Instance, 'environments' | 'namespaces'>): string[] {
  const names = [...environments.map(({ name }) => name), ...namespaces.map((ns) => ns.environment.name)];
  return [...new Set(names)].sort(byText);
}

/** The kinds of datafiles whose fields are documented. */
export type DatafileKind = Extract<
  keyof typeof SCHEMA,
  'integration' | 'namespace' | 'leanNamespace' | 'cluster' | 'environment' | 'account' | 'organization'
>;

/** What the readers of a kind accept, with the shapes of the entries that they read one by one in their places. */
export function datafileShape(kind: DatafileKind): { readonly schema: string; readonly shape: z.ZodObject } {
  const schema = SCHEMA[kind];
  return { schema, shape: z.object({ $schema: z.literal(schema) }).extend(wholeShape(kind).shape) };
}

function wholeShape(kind: DatafileKind): z.ZodObject {
  if (kind === 'integration') return wholeIntegration();
  if (kind === 'organization') return wholeOrganization();
  return {
    namespace: namespaceShape,
    leanNamespace: leanNamespaceShape,
    cluster: clusterShape,
    environment: environmentShape,
    account: accountShape,
  }[kind];
}

function wholeIntegration() {
  const sharding = integration.sharding.extend({ shardSpecOverrides: z.array(integration.override).exactOptional() });
  const managed = integration.managed.extend({ sharding: sharding.exactOptional() });
  return integration.integration.extend({ managed: z.array(managed).exactOptional() });
}

function wholeOrganization() {
  return organizationShape.extend({
    sectors: z.array(sectorShape).default([]),
    upgradePolicyClusters: z.array(policyClusterShape).default([]),
  });
}
