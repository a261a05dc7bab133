import * as z from 'zod';
import { sharedTexts } from '../../base/index.ts';
import { type LabelRecord, labelKind } from './labels.ts';
import {
  equal,
  listRecords,
  type OcmList,
  type OcmProblem,
  oneOf,
  type RecordKind,
  readRecord,
  readRecords,
  required,
  rows,
  type Selection,
  searches,
  text,
} from './listing.ts';
import { ACCOUNTS, type Transport } from './transport.ts';

interface SubscriptionRecord {
  readonly id: string;
  readonly clusterId: string | undefined;
  /** The UUID of the cluster. */
  readonly externalClusterId: string | undefined;
  readonly displayName: string | undefined;
  /** Empty unless they were asked for. */
  readonly labels: readonly LabelRecord[];
}

interface SubscriptionQuery {
  readonly by?: Selection<'id' | 'organization_id' | 'cluster_id' | 'external_cluster_id' | 'display_name'>;
  readonly organizationId?: string;
  readonly managed?: boolean;
  readonly statuses?: readonly string[];
  readonly fetchLabels?: boolean;
}

interface OrganizationRecord {
  readonly id: string;
  readonly name: string | undefined;
}

interface OrganizationQuery {
  readonly by?: Selection<'id' | 'external_id' | 'name'>;
}

interface AccountRecord {
  readonly username: string;
  /** Service accounts may have none. */
  readonly organizationId: string | undefined;
}

/** Subscriptions, organizations and the account of the credentials. */
export interface AccountApi {
  listSubscriptions(query: SubscriptionQuery): Promise<OcmList<SubscriptionRecord>>;
  /** The organization of each subscription. */
  listOwners(query: SubscriptionQuery): Promise<OcmList<{ readonly id: string; readonly organizationId: string }>>;
  listOrganizations(query: OrganizationQuery): Promise<OcmList<OrganizationRecord>>;
  /** Whose credentials these are. */
  currentAccount(): Promise<AccountRecord>;
}

export function accountApi(transport: Transport): AccountApi {
  const list = <T>(kind: RecordKind<T>, query: SubscriptionQuery): Promise<OcmList<T>> => {
    const terms = [
      ...(query.managed === undefined ? [] : [equal('managed', String(query.managed))]),
      ...(query.organizationId === undefined ? [] : [equal('organization_id', query.organizationId)]),
      ...(query.statuses === undefined ? [] : [oneOf('status', query.statuses)]),
    ];
    const collection = { ...kind, path: SUBSCRIPTIONS, name: 'subscriptions', orderBy: 'orderBy' } as const;
    const fetched = query.fetchLabels === true ? { query: { fetchLabels: 'true' } } : {};
    return listRecords(transport, { ...collection, ...fetched }, searches(terms, query.by));
  };
  return {
    listSubscriptions: async (query) =>
      readLabels(transport.nameOf({ method: 'GET', path: SUBSCRIPTIONS }), await list(SUBSCRIPTION, query)),
    listOwners: (query) => list(ownedSubscription(), query),
    listOrganizations: ({ by }) => {
      const collection = { ...ORGANIZATION, path: `${ACCOUNTS}/organizations`, name: 'organizations' };
      return listRecords(transport, { ...collection, orderBy: 'orderBy' }, searches([], by));
    },
    currentAccount: async () => {
      const request = { method: 'GET', path: `${ACCOUNTS}/current_account`, collection: 'current_account' } as const;
      return readRecord(transport.nameOf(request), ACCOUNT, await transport.send(request));
    },
  };
}

const SUBSCRIPTIONS = `${ACCOUNTS}/subscriptions`;
const NAMES_OF_A_SUBSCRIPTION = ['display_name', 'cluster_id', 'external_cluster_id', 'organization_id'];

const SUBSCRIPTION = {
  known: NAMES_OF_A_SUBSCRIPTION,
  shape: z
    .object({ id: required, cluster_id: text, external_cluster_id: text, display_name: text, labels: rows })
    .transform((row) => ({
      ...{ id: row.id, clusterId: row.cluster_id, externalClusterId: row.external_cluster_id },
      ...{ displayName: row.display_name, labels: row.labels },
    })),
};

function ownedSubscription() {
  const shared = sharedTexts();
  return {
    known: NAMES_OF_A_SUBSCRIPTION,
    shape: z
      .object({ id: required, organization_id: required })
      .transform((row) => ({ id: row.id, organizationId: shared(row.organization_id) })),
  };
}

/** A broken label is left out by itself; the subscription that has it stays. */
function readLabels<T extends { readonly labels: readonly unknown[] }>(endpoint: string, list: OcmList<T>) {
  const kind = labelKind();
  const problems: OcmProblem[] = [...list.problems];
  const items = list.items.map((item) => {
    const labels = readRecords(endpoint, kind, item.labels);
    problems.push(...labels.problems);
    return { ...item, labels: labels.items };
  });
  return { items, problems };
}

const ORGANIZATION: RecordKind<OrganizationRecord> = {
  known: ['name', 'external_id'],
  shape: z.object({ id: required, name: text }),
};

const ACCOUNT: RecordKind<AccountRecord> = {
  known: ['username'],
  shape: z
    .object({ username: required, organization_id: text, organization: z.object({ id: text }).nullish() })
    .transform((row) => ({ username: row.username, organizationId: row.organization?.id ?? row.organization_id })),
};
