import type { OrgId } from '../../instance/index.ts';
import type { DeclaredPolicies } from '../policies/organization-file.ts';
import type { UpgradeApi } from './upgrade-api.ts';

export interface HealthCheck {
  /** `ocm`, or a provider of the site such as `telemeter`. */
  readonly provider: string;
  /** A cluster that fails it earns no soak and is not upgraded; otherwise it is only reported. */
  readonly enforced: boolean;
}

/** An organization that may be served. */
export interface ServedOrganization {
  readonly orgId: OrgId;
  /** Absent where only OCM has it. */
  readonly name?: string;
  readonly healthChecks: readonly HealthCheck[];
  /** With its own credentials; its site's when absent. */
  readonly connect?: () => Promise<UpgradeApi>;
}

/** Reports which clusters of an organization are unhealthy. */
export interface HealthProvider {
  /** Problems by UUID; an absent cluster is healthy. */
  unhealthy(organization: Pick<ServedOrganization, 'orgId'>): Promise<ReadonlyMap<string, string>>;
}

/** One OCM, and which organizations to serve there. */
export interface Site {
  /** Of the environment; part of the keys of its histories. */
  readonly name: string;
  /** Called in every pass. */
  connect(): Promise<UpgradeApi>;
  /** Undefined for an organization that is not allowed: its clusters are never read. */
  serves(orgId: string): ServedOrganization | undefined;
  readonly health: ReadonlyMap<string, HealthProvider>;
  /** Policies declared in files; OCM labels apply when absent. */
  readonly declared?: DeclaredPolicies;
}

/** Which organizations a process serves: allowed, not denied. Denial wins. */
export interface Selection {
  readonly only?: readonly string[];
  readonly except?: readonly string[];
}

export function isSelected({ only = [], except = [] }: Selection, orgId: string): boolean {
  return (only.length === 0 || only.includes(orgId)) && !except.includes(orgId);
}
