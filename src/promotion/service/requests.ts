import type { ForgeChoice } from './forge-port.ts';

/** What to promote, as the user names it. */
export interface PlanRequest {
  readonly upstream?: string;
  /** A commit, branch or release of the upstream; the newest commit of its default branch when absent. */
  readonly to?: string;
  /** Names of targets or environments. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Folder of a clone that is asked instead of the forge. */
  readonly upstreamClone?: string;
  readonly schemasClone?: string;
  /** Asks nobody. */
  readonly offline?: boolean;
  readonly allowRollback?: boolean;
  readonly checkImage?: boolean;
  /** Repository of the image. */
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
  /** Address of the repository at the forge; that of the remote when absent. */
  readonly forgeUrl?: string;
  readonly push: boolean;
  readonly fromHead?: boolean;
}
