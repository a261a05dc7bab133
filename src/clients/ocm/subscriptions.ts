import * as z from 'zod';
import { sharedTexts } from '../../base/index.ts';
import { flag, required, rows, text, time } from './fields.ts';
import { LABEL, type LabelRecord } from './labels.ts';
import { listRecords, type OcmList, type OcmProblem, type RecordKind, readRecords } from './listing.ts';
import { ACCOUNTS } from './paths.ts';
import { equal, oneOf, type Selection, searches } from './search.ts';

import type { Transport } from './transport.ts';

export interface CapabilityRecord {
  /** `capability.cluster.manage_cluster_admin` */
  readonly name: string;
  readonly value: string;
  /** From the organization. */
  readonly inherited: boolean;
}

interface SubscriptionRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly clusterId: string | undefined;
  /** The UUID of the cluster. */
  readonly externalClusterId: string | undefined;
  readonly displayName: string | undefined;
  readonly managed: boolean;
  /** `Active`, `Reserved`, `Deprovisioned`, `Stale`, `Archived`, `Disconnected`, or one that came later. */
  readonly status: string;
  readonly planId: string | undefined;
  readonly createdAt: string | undefined;
  /** Empty unless they were asked for. */
  readonly labels: readonly LabelRecord[];
  readonly capabilities: readonly CapabilityRecord[];
}

interface SubscriptionQuery {
  readonly by?: Selection<'id' | 'organization_id' | 'cluster_id' | 'external_cluster_id' | 'display_name'>;
  readonly organizationId?: string;
  readonly managed?: boolean;
  readonly statuses?: readonly string[];
  readonly fetchLabels?: boolean;
  readonly fetchCapabilities?: boolean;
}

export interface SubscriptionApi {
  listSubscriptions(query: SubscriptionQuery): Promise<OcmList<SubscriptionRecord>>;
  /** The same without anything but the organization of each. */
  listOwners(query: SubscriptionQuery): Promise<OcmList<Pick<SubscriptionRecord, 'id' | 'organizationId'>>>;
  /** Every capability that there is. */
  listCapabilities(): Promise<OcmList<CapabilityRecord>>;
}

const CAPABILITY: RecordKind<CapabilityRecord> = {
  known: ['name'],
  shape: z.object({ name: required, value: z.string(), inherited: flag }),
};

const SUBSCRIPTION = {
  known: ['display_name', 'cluster_id', 'external_cluster_id', 'organization_id'],
  shape: z
    .object({
      ...{ id: required, organization_id: required, cluster_id: text, external_cluster_id: text, display_name: text },
      ...{ managed: flag, status: required, created_at: time, labels: rows, capabilities: rows, plan_id: text },
      plan: z.object({ id: text }).nullish(),
    })
    .transform((row) => ({
      ...{ id: row.id, organizationId: row.organization_id, clusterId: row.cluster_id, status: row.status },
      ...{ externalClusterId: row.external_cluster_id, displayName: row.display_name, managed: row.managed },
      ...{ planId: row.plan?.id ?? row.plan_id, createdAt: row.created_at },
      ...{ labels: row.labels, capabilities: row.capabilities },
    })),
};

const ALL_SUBSCRIPTIONS = { path: `${ACCOUNTS}/subscriptions`, name: 'subscriptions', orderBy: 'orderBy' } as const;

function ownedSubscription() {
  const shared = sharedTexts();
  return {
    known: SUBSCRIPTION.known,
    shape: z
      .object({ id: required, organization_id: required })
      .transform((row) => ({ id: row.id, organizationId: shared(row.organization_id) })),
  };
}

export function subscriptionApi(transport: Transport): SubscriptionApi {
  const list = <T>(kind: RecordKind<T>, query: SubscriptionQuery): Promise<OcmList<T>> => {
    const terms = [
      ...(query.managed === undefined ? [] : [equal('managed', String(query.managed))]),
      ...(query.organizationId === undefined ? [] : [equal('organization_id', query.organizationId)]),
      ...(query.statuses === undefined ? [] : [oneOf('status', query.statuses)]),
    ];
    const collection = { ...kind, ...ALL_SUBSCRIPTIONS, query: fetching(query) };
    return listRecords(transport, collection, searches(terms, query.by));
  };
  return {
    listSubscriptions: async (query) =>
      readAttached(transport.nameOf({ method: 'GET', path: ALL_SUBSCRIPTIONS.path }), await list(SUBSCRIPTION, query)),
    listOwners: (query) => list(ownedSubscription(), query),
    listCapabilities: () =>
      listRecords(transport, { ...CAPABILITY, path: `${ACCOUNTS}/capabilities`, name: 'capabilities' }),
  };
}

/** Parameters that add to each record what it has of these. */
export function fetching(query: Pick<SubscriptionQuery, 'fetchLabels' | 'fetchCapabilities'>): Record<string, string> {
  return {
    ...(query.fetchLabels === true ? { fetchLabels: 'true' } : {}),
    ...(query.fetchCapabilities === true ? { fetchCapabilities: 'true' } : {}),
  };
}

interface Attached {
  readonly labels: readonly unknown[];
  readonly capabilities: readonly unknown[];
}

/** A broken label or capability is left out by itself; the record that has it stays. */
export function readAttached<T extends Attached>(endpoint: string, { items, problems }: OcmList<T>) {
  const found: OcmProblem[] = [];
  const read = items.map((item) => {
    const labels = readRecords(endpoint, LABEL, item.labels);
    const capabilities = readRecords(endpoint, CAPABILITY, item.capabilities);
    found.push(...labels.problems, ...capabilities.problems);
    return { ...item, labels: labels.items, capabilities: capabilities.items };
  });
  return { items: read, problems: [...problems, ...found] };
}
