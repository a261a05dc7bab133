/** OCM's responses, as on the wire. */

export interface Link {
  readonly kind: string;
  readonly id: string;
  readonly href: string;
}

export interface CollectionLink {
  readonly kind: string;
  readonly href: string;
}

export interface WireLabel {
  readonly kind: 'Label';
  readonly id: string;
  readonly href: string;
  readonly type: 'Organization' | 'Subscription';
  readonly key: string;
  readonly value: string;
  readonly internal: boolean;
  readonly managed_by: 'User' | 'Config';
  readonly organization_id?: string;
  readonly subscription_id?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface WireCapability {
  readonly kind: 'Capability';
  readonly name: string;
  readonly value: string;
  readonly inherited: boolean;
}

export interface WireOrganization {
  readonly kind: 'Organization';
  readonly id: string;
  readonly href: string;
  readonly name: string;
  readonly external_id: string;
  readonly ebs_account_id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly labels?: readonly WireLabel[];
  readonly capabilities?: readonly WireCapability[];
}

interface WireMetric {
  readonly health_state: string;
  readonly state: string;
  readonly openshift_version: string;
  readonly cloud_provider: string;
  readonly region: string;
  readonly critical_alerts_firing: number;
  readonly operators_condition_failing: number;
  readonly query_timestamp: string;
}

export interface WireSubscription {
  readonly kind: 'Subscription';
  readonly id: string;
  readonly href: string;
  readonly display_name: string;
  readonly status: string;
  readonly managed: boolean;
  readonly cluster_id: string;
  readonly external_cluster_id: string;
  readonly organization_id: string;
  readonly plan: { readonly kind: 'Plan'; readonly id: string; readonly href: string; readonly type: string };
  readonly cloud_provider_id?: string;
  readonly region_id?: string;
  readonly console_url?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly metrics: readonly WireMetric[];
  readonly labels?: readonly WireLabel[];
  readonly capabilities?: readonly WireCapability[];
  readonly organization?: WireOrganization;
}

export interface WireAccount {
  readonly kind: 'Account';
  readonly id: string;
  readonly href: string;
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly service_account: boolean;
  readonly banned: boolean;
  readonly organization?: WireOrganization;
  readonly organization_id?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface WireClusterVersion {
  readonly kind: 'Version' | 'VersionLink';
  readonly id: string;
  readonly href: string;
  readonly raw_id: string;
  readonly channel_group: string;
  readonly available_upgrades: readonly string[];
  /** Only where a single cluster is read. */
  readonly available_channels?: readonly string[];
}

export interface WireCluster {
  readonly kind: 'Cluster';
  readonly id: string;
  readonly href: string;
  readonly name: string;
  readonly display_name: string;
  readonly external_id: string;
  readonly creation_timestamp: string;
  readonly managed: boolean;
  readonly state: string;
  readonly health_state: string;
  readonly openshift_version: string;
  readonly channel: string;
  readonly version: WireClusterVersion;
  readonly hypershift: { readonly enabled: boolean };
  readonly product: Link;
  readonly cloud_provider: Link;
  readonly region: Link;
  readonly subscription: Link;
  readonly identity_providers: CollectionLink;
  readonly groups: CollectionLink;
  readonly addons: CollectionLink;
  readonly machine_pools: CollectionLink;
  readonly node_pools?: CollectionLink;
  readonly aws?: { readonly sts: WireSts };
  readonly console: { readonly url: string };
  readonly api: { readonly url: string; readonly listening: 'external' };
  readonly dns: { readonly base_domain: string };
  readonly multi_az: boolean;
  readonly nodes: { readonly compute: number };
  readonly properties: Readonly<Record<string, string>>;
  readonly status: { readonly state: string; readonly limited_support_reason_count: number };
}

export interface WireSts {
  readonly enabled: boolean;
  readonly role_arn?: string;
  readonly support_role_arn?: string;
  readonly operator_role_prefix?: string;
}

export interface WireNodePool {
  readonly kind: 'NodePool';
  readonly id: string;
  readonly href: string;
  readonly replicas: number;
  readonly auto_repair: boolean;
  readonly creation_timestamp: string;
  readonly version: WireClusterVersion;
  readonly status: { readonly current_replicas: number };
}

export interface WirePolicyState {
  readonly kind: 'UpgradePolicyState';
  readonly href?: string;
  readonly value: string;
  readonly description: string;
}

export interface WirePolicy {
  readonly kind: 'UpgradePolicy' | 'ControlPlaneUpgradePolicy' | 'NodePoolUpgradePolicy';
  readonly id: string;
  readonly href: string;
  readonly cluster_id: string;
  readonly node_pool_id?: string;
  readonly schedule_type: 'manual' | 'automatic';
  readonly upgrade_type: string;
  readonly version: string;
  readonly next_run: string;
  readonly schedule?: string;
  readonly enable_minor_version_upgrades: boolean;
  /** Only of hosted control planes and node pools; others have a resource of its own for it. */
  readonly state?: WirePolicyState;
  readonly creation_timestamp?: string;
  readonly last_update_timestamp?: string;
}

export interface WireVersion {
  readonly kind: 'Version';
  readonly id: string;
  readonly href: string;
  readonly raw_id: string;
  readonly channel_group: string;
  readonly enabled: boolean;
  readonly default: boolean;
  readonly rosa_enabled: boolean;
  readonly hosted_control_plane_enabled: boolean;
  readonly hosted_control_plane_default: boolean;
  readonly end_of_life_timestamp?: string;
  readonly available_upgrades: readonly string[];
  readonly available_channels: readonly string[];
}

export interface WireGate {
  readonly kind: 'VersionGate';
  readonly id: string;
  readonly href: string;
  readonly version_raw_id_prefix: string;
  readonly label: string;
  readonly value: string;
  readonly sts_only: boolean;
  readonly cluster_condition?: string;
  readonly description: string;
  readonly warning_message: string;
  readonly documentation_url: string;
  readonly creation_timestamp: string;
}

export interface WireAgreement {
  readonly kind: 'VersionGateAgreement';
  readonly id: string;
  readonly href: string;
  readonly creation_timestamp: string;
  readonly version_gate: WireGate;
}

export interface WireLog {
  readonly kind: 'ClusterLog';
  readonly id: string;
  readonly href: string;
  readonly event_stream_id: string;
  readonly cluster_id: string;
  readonly cluster_uuid: string;
  readonly subscription_id: string;
  readonly service_name: string;
  readonly severity: string;
  readonly summary: string;
  readonly description: string;
  readonly log_type: string;
  readonly internal_only: boolean;
  readonly username: string;
  readonly created_by: string;
  readonly doc_references: readonly string[];
  readonly created_at: string;
  readonly timestamp: string;
}
