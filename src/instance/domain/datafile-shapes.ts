import * as z from 'zod';
import { accountShape, clusterShape } from './cluster.ts';
import { environmentShape } from './environment.ts';
import * as integration from './integration-shape.ts';
import { leanNamespaceShape, namespaceShape } from './namespace.ts';
import { organizationShape } from './ocm.ts';
import { policyClusterShape, sectorShape } from './ocm-entries.ts';
import { SCHEMA } from './schemas.ts';

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
