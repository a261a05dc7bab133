import type { PolicySource } from './instance-sites.ts';

/** Settings of the upgrades job; variables and the configuration file are the fallback. */
export interface UpgradesSettings {
  /** Instead of an instance. */
  readonly configFile?: string;
  /** Labels when absent; files are those of an instance. */
  readonly policies?: PolicySource;
  readonly ocmEnv?: string;
  readonly orgId?: readonly string[];
  readonly excludeOrgId?: readonly string[];
  readonly ignoreStsClusters?: boolean;
  readonly rules?: string;
  /** A folder, or `s3://bucket/prefix`. */
  readonly state?: string;
}
