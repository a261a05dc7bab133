import { EchelonError } from '../../base/index.ts';
import type { PolicySource } from './instance-sites.ts';
import type { UpgradesSettings } from './settings.ts';

/** Integration names, as used in pods and histories. */
export const LABEL_SCHEDULER = 'advanced-upgrade-scheduler';
export const ORG_SCHEDULER = 'ocm-upgrade-scheduler-org';
export const GATE_APPROVER = 'version-gate-approver';

/** The integration that sites are opened for. */
export interface SourcePurpose {
  /** An instance may switch it off for an organization. */
  readonly integration: string;
  readonly policies: PolicySource;
}

/** Which source policies are read from; histories are those of the matching integration. */
export function purposeOf({ policies = 'labels', configFile }: UpgradesSettings): SourcePurpose {
  if (policies === 'labels') return { integration: LABEL_SCHEDULER, policies };
  requireInstance(configFile, '--policies files');
  return { integration: ORG_SCHEDULER, policies };
}

/** A configuration file replaces an instance, but has no cluster policies. */
export function requireInstance(configFile: string | undefined, reader: string): void {
  if (configFile === undefined) return;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--config-file ${configFile} declares no cluster policies, which ${reader} reads from an instance`,
    hint: 'pass the instance with --data, or read policies from labels: --policies labels, advanced-upgrade-scheduler',
  });
}

/** The message when no cluster has a policy. */
export function noneServed(policies: PolicySource): string {
  return policies === 'files'
    ? 'no served organization has a cluster that its file names'
    : 'no served organization has a labelled cluster';
}
