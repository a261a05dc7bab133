/** A cluster of the hostile stand-in, as a test gives it. */
export interface HostileCluster {
  readonly name: string;
  /** `org-1` when absent. */
  readonly organization?: string;
  /** Under `sre-capabilities.aus.`. */
  readonly aus?: Readonly<Record<string, string>>;
  /** Over the fields of the cluster's record. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export type OcmRecord = Readonly<Record<string, unknown>>;

const CREATED = '2026-01-01T00:00:00Z';
const ANY_TIME = { workloads: 'wl', 'soak-days': '0', schedule: '* * * * *' };

/** Clusters as `clusters_mgmt` describes them. */
export function clusterRecords(clusters: readonly HostileCluster[]): OcmRecord[] {
  return clusters.map(({ name, more }) => ({
    kind: 'Cluster',
    id: `${name}-id`,
    href: `/api/clusters_mgmt/v1/clusters/${name}-id`,
    name,
    external_id: `${name}-uuid`,
    managed: true,
    state: 'ready',
    health_state: 'healthy',
    creation_timestamp: CREATED,
    product: { kind: 'ProductLink', id: 'osd' },
    subscription: { kind: 'SubscriptionLink', id: `${name}-sub` },
    version: { id: 'openshift-v4.18.1', raw_id: '4.18.1', available_upgrades: ['4.18.2', '4.18.3'] },
    ...more,
  }));
}

export function subscriptionRecords(clusters: readonly HostileCluster[]): OcmRecord[] {
  return clusters.map(({ name, organization = 'org-1' }) => ({
    kind: 'Subscription',
    id: `${name}-sub`,
    organization_id: organization,
    cluster_id: `${name}-id`,
    external_cluster_id: `${name}-uuid`,
    managed: true,
    status: 'Active',
    created_at: CREATED,
  }));
}

export function labelRecords(clusters: readonly HostileCluster[]): OcmRecord[] {
  return clusters.flatMap(({ name, aus }) =>
    Object.entries({ ...ANY_TIME, ...aus }).map(([key, value]) => ({
      kind: 'Label',
      id: `${name}-${key}`,
      key: `sre-capabilities.aus.${key}`,
      value,
      internal: false,
      type: 'Subscription',
      subscription_id: `${name}-sub`,
      created_at: CREATED,
      updated_at: CREATED,
    })),
  );
}

/** Labels under `sre-capabilities.aus.`, by organization. */
export type OrganizationLabels = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function organizationLabelRecords(labels: OrganizationLabels): OcmRecord[] {
  return Object.entries(labels).flatMap(([organization, aus]) =>
    Object.entries(aus).map(([key, value]) => ({
      kind: 'Label',
      id: `${organization}-${key}`,
      key: `sre-capabilities.aus.${key}`,
      value,
      internal: false,
      type: 'Organization',
      organization_id: organization,
      created_at: CREATED,
      updated_at: CREATED,
    })),
  );
}

/** The rows of a search that is a conjunction of `=`, `in` and `like 'prefix%'`; anything else is an error. */
export function found(rows: readonly OcmRecord[], search: string | undefined): OcmRecord[] {
  const terms = search === undefined ? [] : search.split(/ and /).map(termOf);
  return rows.filter((row) => terms.every((term) => term(row)));
}

function termOf(text: string): (row: OcmRecord) => boolean {
  const [, field = '', operator = '', operand = ''] = /^([\w.]+) ?(=|in|like) ?(.+)$/.exec(text) ?? [];
  const values = [...operand.matchAll(/'([^']*)'/g)].map(([, value]) => value ?? '');
  if (values.length === 0) throw new Error(`the stand-in does not understand the search ${text}`);
  if (operator !== 'like') return (row) => values.includes(valueAt(row, field));
  return (row) => valueAt(row, field).startsWith(values[0]?.replace(/%$/, '') ?? '');
}

function valueAt(row: OcmRecord, field: string): string {
  const value = field
    .split('.')
    .reduce<unknown>((node, key) => (typeof node === 'object' && node !== null ? (node as OcmRecord)[key] : ''), row);
  return String(value);
}
