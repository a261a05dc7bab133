import type { Json } from '../../../base/index.ts';
import { ksuidOf } from '../ids.ts';
import { stamp } from '../instants.ts';
import type { Account, Label, Owner } from '../model.ts';
import { SimOcmError } from '../ocm-error.ts';
import type { Field, Fields } from '../search/compile.ts';
import { ownerHref } from './hrefs.ts';
import { type Collection, type ListQuery, listPage, matchingRows, type Page, pageOf } from './list.ts';
import { booleanIn, denied, notFound, textIn } from './refusals.ts';
import { ownerKey, seesAll, seesOrganization, type View, type Workshop } from './state.ts';
import type { WireLabel } from './wire.ts';

const SERVICE = 'accounts_mgmt';
const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;

const FIELDS: Readonly<Record<string, Field<Label>>> = {
  id: { type: 'text', read: ({ id }) => id },
  key: { type: 'text', read: ({ key }) => key },
  value: { type: 'text', read: ({ value }) => value },
  type: { type: 'text', read: ({ owner }) => owner.type },
  internal: { type: 'boolean', read: ({ internal }) => internal },
  managed_by: { type: 'text', read: ({ managedBy }) => managedBy },
  organization_id: { type: 'text', read: ({ owner }) => (owner.type === 'Organization' ? owner.id : undefined) },
  subscription_id: { type: 'text', read: ({ owner }) => (owner.type === 'Subscription' ? owner.id : undefined) },
  account_id: { type: 'text', read: () => undefined },
  created_at: { type: 'time', read: ({ createdAt }) => createdAt },
  updated_at: { type: 'time', read: ({ updatedAt }) => updatedAt },
};

export const labelFields: Fields<Label> = (name) => FIELDS[name];

const LABELS: Collection<Label, 'owner' | 'type'> = {
  service: SERVICE,
  kind: 'Label',
  table: ({ state }) => state.labels,
  fields: () => labelFields,
  indexed: {
    organization_id: { index: 'owner', key: (id) => ownerKey({ type: 'Organization', id }) },
    subscription_id: { index: 'owner', key: (id) => ownerKey({ type: 'Subscription', id }) },
    type: { index: 'type', key: (type) => type },
  },
  visible: (label, view) => visibleLabel(label, view) && seesOwner(view, label.owner),
};

export function listLabels(view: View, query: ListQuery): Page<WireLabel> {
  return listPage(LABELS, view, query, wireLabel);
}

export function listOwnerLabels(view: View, owner: Owner, query: ListQuery): Page<WireLabel> {
  requireOwner(view, owner, 'get');
  const rows = matchingRows(SERVICE, labelsOf(view, owner), labelFields, query);
  return pageOf(LABELS, view, query, rows, wireLabel);
}

/** Labels of an owner that are visible to the caller. */
export function labelsOf(view: View, owner: Owner): Label[] {
  return view.state.labels.by('owner', ownerKey(owner)).filter((label) => visibleLabel(label, view));
}

export function getLabel(view: View, owner: Owner, key: string): WireLabel {
  requireOwner(view, owner, 'get');
  return wireLabel(requireLabel(view, owner, key));
}

export interface PutLabel {
  readonly label: WireLabel;
  readonly created: boolean;
}

/** Creates the label or replaces its value; an owner has at most one of a key. */
export function putLabel(
  shop: Workshop,
  owner: Owner,
  body: Json,
  method: 'POST' | 'PATCH',
  pathKey?: string,
): PutLabel {
  const { label, internal } = labelIn(shop, owner, body, method, pathKey);
  const existing = find(shop, owner, label.key);
  if (existing?.managedBy === 'Config')
    throw new SimOcmError(
      SERVICE,
      'conflict',
      `Label with key='${label.key}' is managed by configuration and cannot be updated`,
    );
  const now = shop.now;
  const record: Label = existing
    ? { ...existing, value: label.value, internal: internal ?? existing.internal, updatedAt: now }
    : { ...newLabel(owner, label.key, label.value, now, shop.freshKey('label')), internal: internal ?? false };
  shop.state.labels.put(record, now);
  return { label: wireLabel(record), created: existing === undefined };
}

export function deleteLabel(shop: Workshop, owner: Owner, key: string): void {
  requireOwner(shop, owner, 'delete');
  requireWriter(shop, owner, 'delete', `DELETE ${ownerHref(owner)}/labels/${key}`);
  shop.state.labels.remove(requireLabel(shop, owner, key).id, shop.now);
}

export function newLabel(owner: Owner, key: string, value: string, at: number, idKey: string): Label {
  const fixed = { internal: false, managedBy: 'User' } as const;
  return { id: ksuidOf(idKey, at), owner, key, value, ...fixed, createdAt: at, updatedAt: at };
}

/** Records are immutable, so the wire form of a label is cached. */
const wired = new WeakMap<Label, WireLabel>();

export function wireLabel(label: Label): WireLabel {
  const known = wired.get(label);
  if (known !== undefined) return known;
  const { owner } = label;
  const wire: WireLabel = {
    kind: 'Label',
    id: label.id,
    href: `${ownerHref(owner)}/labels/${label.key}`,
    type: owner.type,
    key: label.key,
    value: label.value,
    internal: label.internal,
    managed_by: label.managedBy,
    ...(owner.type === 'Organization' ? { organization_id: owner.id } : { subscription_id: owner.id }),
    created_at: stamp(label.createdAt),
    updated_at: stamp(label.updatedAt),
  };
  wired.set(label, wire);
  return wire;
}

function labelIn(shop: Workshop, owner: Owner, body: Json, method: 'POST' | 'PATCH', pathKey: string | undefined) {
  const path = `${ownerHref(owner)}/labels${pathKey === undefined ? '' : `/${pathKey}`}`;
  requireOwner(shop, owner, 'create');
  requireWriter(shop, owner, method === 'POST' ? 'create' : 'update', `${method} ${path}`);
  const internal = booleanIn(SERVICE, body, 'internal');
  if (internal === true && !seesAll(shop.caller))
    throw denied(SERVICE, shop.caller, 'create', labelType(owner), `${method} ${path}`);
  const key = keyIn(body, pathKey);
  return { label: { key, value: valueIn(shop, body, key) }, internal };
}

function keyIn(body: Json, pathKey: string | undefined): string {
  const given = textIn(SERVICE, body, 'key');
  const key = pathKey ?? given ?? '';
  if (!KEY.test(key)) throw new SimOcmError(SERVICE, 'validation', `Label key '${key}' is not valid`);
  if (given !== undefined && given !== key)
    throw new SimOcmError(SERVICE, 'validation', `Label key cannot be changed from '${key}'`);
  return key;
}

function valueIn({ limits }: View, body: Json, key: string): string {
  const value = textIn(SERVICE, body, 'value');
  if (value === undefined || (value === '' && !limits.emptyLabelValues))
    throw new SimOcmError(SERVICE, 'validation', `Label value of '${key}' is required`);
  if (Buffer.byteLength(value) > limits.labelValue)
    throw new SimOcmError(SERVICE, 'validation', `Label value of '${key}' is longer than ${limits.labelValue} bytes`);
  return value;
}

function requireOwner(view: View, owner: Owner, action: 'create' | 'get' | 'delete'): void {
  const found =
    owner.type === 'Organization' ? view.state.organizations.get(owner.id) : view.state.subscriptions.get(owner.id);
  if (found === undefined) throw notFound(SERVICE, `${owner.type} with id='${owner.id}' not found`);
  if (seesOwner(view, owner)) return;
  const method = { create: 'POST', get: 'GET', delete: 'DELETE' }[action];
  throw denied(SERVICE, view.caller, action, labelType(owner), `${method} ${ownerHref(owner)}/labels`);
}

function requireWriter(shop: Workshop, owner: Owner, action: 'create' | 'update' | 'delete', call: string): void {
  if (canWrite(shop.caller)) return;
  throw denied(SERVICE, shop.caller, action, labelType(owner), call);
}

function canWrite({ role }: Account): boolean {
  return role !== 'viewer';
}

function requireLabel(view: View, owner: Owner, key: string): Label {
  const label = find(view, owner, key);
  if (label === undefined || !visibleLabel(label, view)) throw notFound(SERVICE, `Label with key='${key}' not found`);
  return label;
}

function find(view: View, owner: Owner, key: string): Label | undefined {
  return view.state.labels.by('owner', ownerKey(owner)).find((label) => label.key === key);
}

function seesOwner(view: View, owner: Owner): boolean {
  if (seesAll(view.caller)) return true;
  const organization =
    owner.type === 'Organization' ? owner.id : view.state.subscriptions.get(owner.id)?.organizationId;
  return organization !== undefined && seesOrganization(view.caller, organization);
}

function visibleLabel({ internal }: Label, { caller }: View): boolean {
  return !internal || seesAll(caller);
}

function labelType({ type }: Owner): string {
  return `${type}Label`;
}
