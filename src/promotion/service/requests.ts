import type { ForgeChoice } from './forge-port.ts';

/** What to promote, as requested by the user. */
export interface PlanRequest {
  readonly upstream?: string;
  /** A commit, branch or release of the upstream; the newest commit of its default branch when absent. */
  readonly to?: string;
  /** Names of targets or environments. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Folder of a clone to query instead of the forge. */
  readonly upstreamClone?: string;
  readonly schemasClone?: string;
  /** Send no requests. */
  readonly offline?: boolean;
  readonly allowRollback?: boolean;
  readonly checkImage?: boolean;
  /** Image repository. */
  readonly image?: string;
  readonly digest?: string;
  /** Seconds. */
  readonly wait?: number;
}

/** How a promotion is delivered. */
export interface DeliveryRequest {
  readonly branch?: string;
  readonly targetBranch?: string;
  readonly labels: readonly string[];
  readonly remote: string;
  readonly forge: ForgeChoice;
  /** Repository URL at the forge; that of the remote when absent. */
  readonly forgeUrl?: string;
  readonly push: boolean;
  readonly fromHead?: boolean;
}
