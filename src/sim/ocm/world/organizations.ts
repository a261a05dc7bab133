import { stamp } from '../instants.ts';
import type { Capability, Organization, Subscription } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import type { Field, Fields } from '../search/compile.ts';
import { ACCOUNTS } from './hrefs.ts';
import { labelsOf, wireLabel } from './labels.ts';
import { type Collection, type ListQuery, listPage, matchingRows, type Page, pageOf } from './list.ts';
import { denied, notFound } from './refusals.ts';
import { seesAll, seesOrganization, type View } from './state.ts';
import type { WireAccount, WireCapability, WireOrganization } from './wire.ts';

const SERVICE = 'accounts_mgmt';

/** Optional parts of a response. */
export interface Fetch {
  readonly fetchLabels?: boolean;
  readonly fetchCapabilities?: boolean;
  readonly fetchOrganization?: boolean;
}

const FIELDS: Readonly<Record<string, Field<Organization>>> = {
  id: { type: 'text', read: ({ id }) => id },
  name: { type: 'text', read: ({ name }) => name },
  external_id: { type: 'text', read: ({ externalId }) => externalId },
  ebs_account_id: { type: 'text', read: ({ ebsAccountId }) => ebsAccountId },
  created_at: { type: 'time', read: ({ createdAt }) => createdAt },
  updated_at: { type: 'time', read: ({ updatedAt }) => updatedAt },
};

const fields: Fields<Organization> = (name) => FIELDS[name];

const ORGANIZATIONS: Collection<Organization> = {
  service: SERVICE,
  kind: 'Organization',
  table: ({ state }) => state.organizations,
  fields: () => fields,
  visible: ({ id }, { caller }) => seesOrganization(caller, id),
};

export function listOrganizations(view: View, query: ListQuery & Fetch): Page<WireOrganization> {
  return listPage(ORGANIZATIONS, view, query, (organization) => wireOrganization(view, organization, query));
}

export function getOrganization(view: View, id: string, fetch: Fetch): WireOrganization {
  const organization = view.state.organizations.get(id);
  if (organization === undefined) throw notFound(SERVICE, `Organization with id='${id}' not found`);
  if (!seesOrganization(view.caller, id))
    throw denied(SERVICE, view.caller, 'get', 'Organization', `GET ${ACCOUNTS}/organizations/${id}`);
  return wireOrganization(view, organization, fetch);
}

export function wireOrganization(view: View, organization: Organization, fetch: Fetch = {}): WireOrganization {
  const { id } = organization;
  return {
    kind: 'Organization',
    id,
    href: `${ACCOUNTS}/organizations/${id}`,
    name: organization.name,
    external_id: organization.externalId,
    ebs_account_id: organization.ebsAccountId,
    created_at: stamp(organization.createdAt),
    updated_at: stamp(organization.updatedAt),
    ...(fetch.fetchLabels ? { labels: labelsOf(view, { type: 'Organization', id }).map(wireLabel) } : {}),
    ...(fetch.fetchCapabilities
      ? { capabilities: organization.capabilities.map((each) => wireCapability(each, false)) }
      : {}),
  };
}

/** Its own, and those inherited from its organization. */
export function capabilitiesOf(view: View, subscription: Subscription): WireCapability[] {
  const own = subscription.capabilities.map((each) => wireCapability(each, false));
  const inherited = view.state.organizations.get(subscription.organizationId)?.capabilities ?? [];
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...inherited.filter(({ name }) => !names.has(name)).map((each) => wireCapability(each, true))];
}

interface NamedCapability extends Capability {
  readonly id: string;
}

const CAPABILITY_FIELDS: Readonly<Record<string, Field<NamedCapability>>> = {
  name: { type: 'text', read: ({ name }) => name },
  value: { type: 'text', read: ({ value }) => value },
};

/** All capabilities in use. */
export function listCapabilities(view: View, query: ListQuery): Page<WireCapability> {
  const owners = [...view.state.organizations.all(), ...view.state.subscriptions.all()];
  const all = new Map(owners.flatMap(({ capabilities }) => capabilities).map((each) => [each.name, each] as const));
  const rows = [...all.values()].map((each) => ({ ...each, id: each.name }));
  const found = matchingRows(SERVICE, rows, (name) => CAPABILITY_FIELDS[name], query);
  return pageOf({ service: SERVICE, kind: 'Capability' }, view, query, found, (each) => wireCapability(each, false));
}

export function currentAccount(view: View): WireAccount {
  const { id, username, organizationId } = view.caller;
  const organization = organizationId === undefined ? undefined : view.state.organizations.get(organizationId);
  if (organizationId !== undefined && organization === undefined)
    throw new SimOcmError(SERVICE, 'internal', `could not locate organization '${organizationId}'`);
  const created = stamp(organization?.createdAt ?? 0);
  return {
    kind: 'Account',
    id,
    href: `${ACCOUNTS}/accounts/${id}`,
    username,
    email: `${username}@example.com`,
    first_name: username,
    last_name: 'Simulated',
    service_account: seesAll(view.caller),
    banned: false,
    ...(organization === undefined
      ? {}
      : { organization: wireOrganization(view, organization), organization_id: organization.id }),
    created_at: created,
    updated_at: created,
  };
}

function wireCapability({ name, value }: Capability, inherited: boolean): WireCapability {
  return { kind: 'Capability', name, value, inherited };
}
