import { EchelonError } from '../../base/index.ts';
import type { PolicySource } from './instance-sites.ts';
import type { UpgradesSettings } from './settings.ts';

/** Integrations, by the names that pods and histories know them by. */
export const LABEL_SCHEDULER = 'advanced-upgrade-scheduler';
export const ORG_SCHEDULER = 'ocm-upgrade-scheduler-org';
export const GATE_APPROVER = 'version-gate-approver';

/** For which integration sites are opened. */
export interface SourcePurpose {
  /** An instance may switch it off for an organization. */
  readonly integration: string;
  readonly policies: PolicySource;
}

/** From which source policies are to be taken; histories are those of the integration that does so. */
export function purposeOf({ policies = 'labels', configFile }: UpgradesSettings): SourcePurpose {
  if (policies === 'labels') return { integration: LABEL_SCHEDULER, policies };
  requireInstance(configFile, '--policies files');
  return { integration: ORG_SCHEDULER, policies };
}

/** A configuration file stands for an instance, but has no policies of clusters in it. */
export function requireInstance(configFile: string | undefined, reader: string): void {
  if (configFile === undefined) return;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--config-file ${configFile} declares no policies of clusters, which ${reader} takes from an instance`,
    hint: 'name the instance by --data, or take policies from labels: --policies labels, advanced-upgrade-scheduler',
  });
}

/** When nobody has a policy there. */
export function noneServed(policies: PolicySource): string {
  return policies === 'files'
    ? 'no organization that is served has a cluster that its file names'
    : 'no organization that is served has a labelled cluster';
}
