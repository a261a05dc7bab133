import type { ClusterRow } from '../scheduler/ports.ts';

/** A list from OCM, with its unreadable records. */
export interface PolicyList<Row> {
  readonly items: readonly Row[];
  readonly problems: readonly {
    readonly endpoint: string;
    readonly id: string | undefined;
    readonly message: string;
  }[];
}

/** What labels belong to. */
export interface PolicyOwner {
  readonly kind: 'subscription' | 'organization';
  readonly id: string;
}

export interface OwnedLabel {
  readonly key: string;
  readonly value: string;
  readonly organizationId: string | undefined;
}

interface MemberSubscription {
  readonly id: string;
  readonly clusterId: string | undefined;
  readonly externalClusterId: string | undefined;
  readonly displayName: string | undefined;
  readonly labels: readonly OwnedLabel[];
}

/** An upgrade that OCM has scheduled. */
export interface ScheduledUpgradeRow {
  readonly version: string | undefined;
  /** `manual` or `automatic`. */
  readonly scheduleType: string | undefined;
  readonly nextRun: string | undefined;
  readonly state: { readonly value: string } | undefined;
}

/** A version gate as OCM describes it to users. */
export interface DescribedGate {
  readonly id: string;
  /** `4.19` */
  readonly versionPrefix: string;
  readonly label: string;
  readonly stsOnly: boolean;
  readonly description: string | undefined;
  readonly documentationUrl: string | undefined;
}

type GateAgreement =
  | { readonly outcome: 'created' }
  | { readonly outcome: 'refused'; readonly refusal: { readonly reason: string } }
  | { readonly outcome: 'unconfirmed'; readonly reason: string };

interface ByIds<Field extends string> {
  readonly by: { readonly field: Field; readonly values: readonly string[] };
}

/** What reading and editing one organization's policies needs from OCM. */
export interface PolicyApi {
  currentAccount(): Promise<{ readonly username: string; readonly organizationId: string | undefined }>;
  listOrganizations(
    query: ByIds<'id'>,
  ): Promise<PolicyList<{ readonly id: string; readonly name: string | undefined }>>;
  listLabels(
    query: ByIds<'organization_id'> & { readonly keyPrefix: string; readonly type: 'Organization' },
  ): Promise<PolicyList<OwnedLabel>>;
  listLabelsOf(owner: PolicyOwner, keyPrefix: string): Promise<PolicyList<OwnedLabel>>;
  listSubscriptions(query: {
    readonly organizationId: string;
    readonly managed: true;
    readonly statuses: readonly string[];
    readonly fetchLabels: true;
  }): Promise<PolicyList<MemberSubscription>>;
  listClusters(query: ByIds<'subscription.id'>): Promise<PolicyList<ClusterRow>>;
  listUpgradePolicies(target: {
    readonly kind: 'classic' | 'control-plane';
    readonly clusterId: string;
  }): Promise<PolicyList<ScheduledUpgradeRow>>;
  /** All, or those of these minor versions. */
  listVersionGates(minors?: readonly string[]): Promise<PolicyList<DescribedGate>>;
  listGateAgreements(clusterId: string): Promise<PolicyList<{ readonly gateId: string }>>;
  createGateAgreement(clusterId: string, gateId: string): Promise<GateAgreement>;
  createLabel(owner: PolicyOwner, label: { readonly key: string; readonly value: string }): Promise<void>;
  updateLabel(owner: PolicyOwner, label: { readonly key: string; readonly value: string }): Promise<void>;
  deleteLabel(owner: PolicyOwner, key: string): Promise<unknown>;
}
