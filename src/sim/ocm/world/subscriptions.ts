import type { Json } from '../../../base/index.ts';
import { stamp } from '../instants.ts';
import type { Cluster, Label, Subscription } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import { compile, type Field, type Fields, type Test } from '../search/compile.ts';
import type { Condition } from '../search/parser.ts';
import { ACCOUNTS } from './hrefs.ts';
import { labelFields, labelsOf, wireLabel } from './labels.ts';
import { type Collection, type ListQuery, listPage, type Page } from './list.ts';
import { capabilitiesOf, type Fetch, wireOrganization } from './organizations.ts';
import { denied, notFound, textIn } from './refusals.ts';
import { seesOrganization, type View, type Workshop } from './state.ts';
import type { WireSubscription } from './wire.ts';

const SERVICE = 'accounts_mgmt';
const CREATOR = 'fleet-admin';

export interface SubscriptionQuery extends ListQuery, Fetch {
  /** `key=value,key=value`: only those with all of these labels. */
  readonly labels?: string;
}

type Row = { readonly subscription: Subscription; readonly label: Label | undefined };

const FIELDS: Readonly<Record<string, Field<Subscription>>> = {
  id: { type: 'text', read: ({ id }) => id },
  status: { type: 'text', read: ({ status }) => status },
  managed: { type: 'boolean', read: ({ managed }) => managed },
  organization_id: { type: 'text', read: ({ organizationId }) => organizationId },
  'organization.id': { type: 'text', read: ({ organizationId }) => organizationId },
  cluster_id: { type: 'text', read: ({ clusterId }) => clusterId },
  external_cluster_id: { type: 'text', read: ({ externalClusterId }) => externalClusterId },
  display_name: { type: 'text', read: ({ displayName }) => displayName },
  plan_id: { type: 'text', read: ({ planId }) => planId },
  'plan.id': { type: 'text', read: ({ planId }) => planId },
  'creator.username': { type: 'text', read: () => CREATOR },
  created_at: { type: 'time', read: ({ createdAt }) => createdAt },
  updated_at: { type: 'time', read: ({ updatedAt }) => updatedAt },
};

function fields(view: View): Fields<Subscription> {
  const health: Field<Subscription> = {
    type: 'text',
    read: ({ clusterId }) => view.state.clusters.get(clusterId)?.health,
  };
  return (name) => (name === 'metrics.health_state' ? health : FIELDS[name]);
}

const LABEL_FIELD = /^(?:subscription_)?labels\.(.+)$/;

const SUBSCRIPTIONS: Collection<Subscription, 'organization'> = {
  service: SERVICE,
  kind: 'Subscription',
  table: ({ state }) => state.subscriptions,
  fields,
  indexed: { organization_id: { index: 'organization', key: (id) => id } },
  visible: ({ organizationId }, { caller }) => seesOrganization(caller, organizationId),
  test: joined,
};

/** Conditions on labels must hold for the same label, as in a table join. */
function joined(condition: Condition, view: View): Test<Subscription> {
  const own = fields(view);
  let asksLabels = false;
  const test = compile<Row>(condition, (name) => {
    const key = LABEL_FIELD.exec(name)?.[1];
    if (key !== undefined) asksLabels = true;
    return key === undefined ? ofSubscription(own(name)) : ofLabel(labelFields(key));
  });
  if (!asksLabels) return (subscription) => test({ subscription, label: undefined });
  return (subscription) => {
    const labels = labelsOf(view, { type: 'Subscription', id: subscription.id });
    const rows = labels.length === 0 ? [undefined] : labels;
    return rows.some((label) => test({ subscription, label }) === true);
  };
}

function ofSubscription(field: Field<Subscription> | undefined): Field<Row> | undefined {
  return field && { type: field.type, read: ({ subscription }) => field.read(subscription) };
}

function ofLabel(field: Field<Label> | undefined): Field<Row> | undefined {
  return field && { type: field.type, read: ({ label }) => label && field.read(label) };
}

export function listSubscriptions(view: View, query: SubscriptionQuery): Page<WireSubscription> {
  const wanted = labelFilter(query.labels);
  const collection = wanted.length === 0 ? SUBSCRIPTIONS : { ...SUBSCRIPTIONS, visible: withAll(wanted) };
  const scope = wanted.length === 0 ? view : withoutAnswers(view);
  return listPage(collection, scope, query, (subscription) => wireSubscription(view, subscription, query));
}

export function getSubscription(view: View, id: string, fetch: Fetch): WireSubscription {
  return wireSubscription(view, requireSubscription(view, id, 'get'), fetch);
}

/** Only the display name can be changed here. */
export function patchSubscription(shop: Workshop, id: string, body: Json): WireSubscription {
  const subscription = requireSubscription(shop, id, 'update');
  if (shop.caller.role === 'viewer')
    throw denied(SERVICE, shop.caller, 'update', 'Subscription', `PATCH ${ACCOUNTS}/subscriptions/${id}`);
  const displayName = textIn(SERVICE, body, 'display_name');
  if (displayName === undefined) throw new SimOcmError(SERVICE, 'validation', 'only display_name can be changed');
  const record = { ...subscription, displayName, updatedAt: shop.now };
  shop.state.subscriptions.put(record, shop.now);
  return wireSubscription(shop, record, {});
}

function requireSubscription(view: View, id: string, action: 'get' | 'update'): Subscription {
  const subscription = view.state.subscriptions.get(id);
  if (subscription === undefined) throw notFound(SERVICE, `Subscription with id='${id}' not found`);
  if (seesOrganization(view.caller, subscription.organizationId)) return subscription;
  const method = action === 'get' ? 'GET' : 'PATCH';
  throw denied(SERVICE, view.caller, action, 'Subscription', `${method} ${ACCOUNTS}/subscriptions/${id}`);
}

function wireSubscription(view: View, subscription: Subscription, fetch: Fetch): WireSubscription {
  const { id, clusterId, organizationId } = subscription;
  const cluster = view.state.clusters.get(clusterId);
  const organization = view.state.organizations.get(organizationId);
  return {
    kind: 'Subscription',
    id,
    href: `${ACCOUNTS}/subscriptions/${id}`,
    display_name: subscription.displayName,
    status: subscription.status,
    managed: subscription.managed,
    cluster_id: clusterId,
    external_cluster_id: subscription.externalClusterId,
    organization_id: organizationId,
    plan: {
      kind: 'Plan',
      id: subscription.planId,
      href: `${ACCOUNTS}/plans/${subscription.planId}`,
      type: subscription.planId,
    },
    ...(cluster === undefined ? {} : { cloud_provider_id: cluster.cloudProvider, region_id: cluster.region }),
    created_at: stamp(subscription.createdAt),
    updated_at: stamp(subscription.updatedAt),
    metrics: cluster === undefined ? [] : [metricOf(cluster, view.now)],
    ...(fetch.fetchLabels ? { labels: labelsOf(view, { type: 'Subscription', id }).map(wireLabel) } : {}),
    ...(fetch.fetchCapabilities ? { capabilities: capabilitiesOf(view, subscription) } : {}),
    ...(fetch.fetchOrganization && organization ? { organization: wireOrganization(view, organization) } : {}),
  };
}

function metricOf(cluster: Cluster, now: number): WireSubscription['metrics'][number] {
  return {
    health_state: cluster.health,
    state: cluster.state,
    openshift_version: cluster.version,
    cloud_provider: cluster.cloudProvider,
    region: cluster.region,
    critical_alerts_firing: cluster.health === 'unhealthy' ? 1 : 0,
    operators_condition_failing: 0,
    query_timestamp: stamp(now),
  };
}

function labelFilter(text: string | undefined): (readonly [string, string])[] {
  if (text === undefined || text === '') return [];
  return text.split(',').map((pair) => {
    const [key = '', ...value] = pair.split('=');
    if (value.length === 0) throw new SimOcmError(SERVICE, 'bad-request', `bad labels value '${text}'`);
    return [key.trim(), value.join('=').trim()];
  });
}

function withAll(wanted: readonly (readonly [string, string])[]) {
  return (subscription: Subscription, view: View): boolean => {
    if (!seesOrganization(view.caller, subscription.organizationId)) return false;
    const labels = labelsOf(view, { type: 'Subscription', id: subscription.id });
    return wanted.every(([key, value]) => labels.some((label) => label.key === key && label.value === value));
  };
}

function withoutAnswers({ answers: _, ...view }: View): View {
  return view;
}
