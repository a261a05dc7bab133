import * as z from 'zod';
import { type Datafile, refPath } from '../snapshot.ts';
import * as cluster from './cluster.ts';
import { asIntegration, type Integration } from './integration.ts';
import * as integration from './integration-shape.ts';
import * as namespace from './namespace.ts';
import * as ocm from './ocm.ts';
import { parsed, type ReadContext } from './reading.ts';
import { asSaasFile, type SaasFile, saasFileShape, saasTargetShape } from './saas-file.ts';

/** A kind of datafile. */
export interface DatafileKind {
  /** The name of one such object in messages. */
  readonly what: string;
  readonly schema: string;
  /** The field of a qontract-server's queries that lists such files; absent where there is none. */
  readonly root?: string;
  /** Everything that a file may contain. */
  readonly shape: z.ZodObject;
  /** Fields of the shape that nothing uses, so that no server is asked for them. */
  readonly unused?: readonly string[];
  /** Fields whose values are unique, with the name of such an object in messages. */
  readonly unique?: Readonly<Record<string, string>>;
  /** The part of an instance within which they are unique; the whole instance when absent. */
  readonly uniqueWithin?: (content: Datafile['content']) => string | undefined;
  /** The list of the objects; absent, as `read`, for files that are read as parts of others. */
  readonly list?: keyof Objects;
  /** Adds the object of a datafile to its list; an invalid file is reported and left out. */
  readonly read?: (file: Datafile, lists: ObjectLists, context: ReadContext<Objects>) => void;
}

/** The objects that datafiles become, by the list in which an instance has them. */
export interface Objects {
  readonly ocmEnvironments: ocm.OcmEnvironment;
  readonly organizations: ocm.Organization;
  readonly products: namespace.Product;
  readonly environments: namespace.Environment;
  readonly clusters: cluster.Cluster;
  readonly namespaces: namespace.Namespace;
  readonly settings: namespace.Settings;
  readonly integrations: Integration;
  readonly accounts: cluster.Account;
  readonly zones: cluster.Zone;
  readonly saasFiles: SaasFile;
}

/** Objects by the path of their datafile. */
export type ObjectLists = { readonly [List in keyof Objects]: Map<string, Objects[List]> };

/**
 * All kinds of datafiles that Echelon reads, each after those that it refers to. Checks of references and names, the documented
 * fields and the queries to a qontract-server follow from their rows.
 */
export const KINDS = {
  ocmEnvironment: kind('ocmEnvironments', {
    what: 'OCM environment',
    schema: '/openshift/openshift-cluster-manager-environment-1.yml',
    root: 'ocm_environments_v1',
    shape: ocm.ocmEnvironmentShape,
    unused: ['description'],
    unique: { name: 'OCM environment' },
    read: ({ description: _, ...raw }, { path }) => ({ file: path, ...raw }),
  }),
  organization: kind('organizations', {
    what: 'OCM organization',
    schema: '/openshift/openshift-cluster-manager-1.yml',
    root: 'ocm_instances_v1',
    shape: ocm.organizationShape,
    wholeShape: ocm.organizationFileShape,
    unused: ['description'],
    unique: { name: 'OCM organization', orgId: 'OCM organization with the id' },
    read: ocm.asOrganization,
  }),
  product: kind('products', {
    what: 'product',
    schema: '/app-sre/product-1.yml',
    root: 'products_v1',
    shape: namespace.productShape,
    unused: ['description'],
    unique: { name: 'product' },
    read: ({ name }, { path }) => ({ file: path, name }),
  }),
  environment: kind('environments', {
    what: 'environment',
    schema: '/app-sre/environment-1.yml',
    root: 'environments_v1',
    shape: namespace.environmentShape,
    unused: ['description'],
    unique: { name: 'environment' },
    read: namespace.asEnvironment,
  }),
  cluster: kind('clusters', {
    what: 'cluster',
    schema: '/openshift/cluster-1.yml',
    root: 'clusters_v1',
    shape: cluster.clusterShape,
    unused: ['description'],
    unique: { name: 'cluster' },
    read: cluster.asCluster,
  }),
  namespace: kind('namespaces', {
    what: 'namespace',
    schema: '/openshift/namespace-1.yml',
    root: 'namespaces_v1',
    shape: namespace.namespaceShape,
    unique: { name: 'namespace' },
    uniqueWithin: clusterOf,
    read: namespace.asNamespace,
  }),
  leanNamespace: kind('namespaces', {
    what: 'namespace',
    schema: '/openshift/lean-namespace-1.yml',
    shape: namespace.leanNamespaceShape,
    unique: { name: 'namespace' },
    uniqueWithin: clusterOf,
    read: namespace.asLeanNamespace,
  }),
  settings: kind('settings', {
    what: 'settings file',
    schema: '/app-interface/app-interface-settings-1.yml',
    root: 'app_interface_settings_v1',
    shape: namespace.settingsShape,
    read: (raw, { path }) => ({ file: path, ...raw }),
  }),
  integration: kind('integrations', {
    what: 'integration',
    schema: '/app-sre/integration-1.yml',
    root: 'integrations_v1',
    shape: integration.integration,
    wholeShape: integration.integrationFile,
    unique: { name: 'integration' },
    read: asIntegration,
  }),
  account: kind('accounts', {
    what: 'AWS account',
    schema: '/aws/account-1.yml',
    root: 'awsaccounts_v1',
    shape: cluster.accountShape,
    unused: ['description', 'consoleUrl'],
    unique: { name: 'AWS account', uid: 'AWS account with the uid' },
    read: cluster.asAccount,
  }),
  cloudflareAccount: {
    what: 'Cloudflare account',
    schema: '/cloudflare/account-1.yml',
    root: 'cloudflare_accounts_v1',
    shape: cluster.cloudflareAccountShape,
  },
  zone: kind('zones', {
    what: 'Cloudflare zone',
    schema: '/cloudflare/dns-zone-1.yml',
    root: 'cloudflare_dns_zone_v1',
    shape: cluster.zoneShape,
    unique: { identifier: 'Cloudflare zone' },
    read: cluster.asZone,
  }),
  saasFile: kind('saasFiles', {
    what: 'saas file',
    schema: '/app-sre/saas-file-2.yml',
    root: 'saas_files_v2',
    shape: saasFileShape,
    unique: { name: 'saas file' },
    read: asSaasFile,
  }),
  saasTarget: {
    what: 'saas target',
    schema: '/app-sre/saas-file-target-1.yml',
    shape: saasTargetShape,
  },
} satisfies Readonly<Record<string, DatafileKind>>;

export const ALL_KINDS: readonly DatafileKind[] = Object.values(KINDS);

/** `shape` has unknown entries where `read` reads them one by one; `wholeShape` has their shapes, too. */
function kind<List extends keyof Objects, Shape extends z.ZodObject>(
  list: List,
  {
    shape,
    wholeShape = shape,
    read,
    ...row
  }: Omit<DatafileKind, 'list' | 'shape' | 'read'> & {
    readonly shape: Shape;
    readonly wholeShape?: z.ZodObject;
    readonly read: (raw: z.infer<Shape>, file: Datafile, context: ReadContext<Objects>) => Objects[List] | undefined;
  },
): DatafileKind {
  return {
    ...row,
    list,
    shape: wholeShape,
    read: (file, lists, context) => {
      const raw = parsed(context, file.path, shape, file.content);
      const object = raw === undefined ? undefined : read(raw, file, context);
      if (object !== undefined) lists[list].set(file.path, object);
    },
  };
}

/** The cluster of a namespace, by its file or, in a lean one, by its name. */
function clusterOf({ cluster: given }: Datafile['content']): string | undefined {
  const name = (given as { name?: unknown } | undefined)?.name;
  return refPath(given) ?? (typeof name === 'string' ? name : undefined);
}

export type KindName = keyof typeof KINDS;

/** The shape of a kind's whole files, with their `$schema`. */
export function datafileShape(kind: KindName): { readonly schema: string; readonly shape: z.ZodObject } {
  const { schema, shape } = KINDS[kind];
  return { schema, shape: z.object({ $schema: z.literal(schema) }).extend(shape.shape) };
}
