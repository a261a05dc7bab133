import { EchelonError } from '../base/index.ts';
import type { Integration } from '../instance/index.ts';
import type { Capabilities } from '../sharding/index.ts';

/** The capability of an integration that changes something in dry run too; such an integration is never started. */
export const WRITES_IN_DRY_RUN = 'WRITES_IN_DRY_RUN';

/** Integrations known to write in dry run, and what they do. */
const KNOWN: Readonly<Record<string, string>> = {
  'aws-account-manager': 'it stores the state of account requests',
  'change-owners': 'it labels and comments on merge requests',
  'external-resources': 'it creates Jobs and Secrets',
  'gitlab-fork-compliance': 'it comments on merge requests',
  'gitlab-labeler': 'it labels merge requests',
  'gitlab-mr-sqs-consumer': 'it receives messages, which hides them from others',
  'jira-permissions-validator': 'it stores field ids',
  'ocm-clusters': 'it sends write requests to OCM and creates Jobs',
  'openshift-saas-deploy-change-tester': 'it comments on merge requests',
  'terraform-repo': 'it comments on merge requests',
};

/** What an integration does in dry run that it should not; undefined where nothing of it is known or declared. */
export function writeInDryRun(
  { name, capabilities: own = [] }: Pick<Integration, 'name' | 'capabilities'>,
  declared: Capabilities = new Map(),
): string | undefined {
  if (Object.hasOwn(KNOWN, name)) return KNOWN[name];
  const all = [...own, ...(declared.get(name) ?? [])];
  return all.includes(WRITES_IN_DRY_RUN) ? `its capabilities have ${WRITES_IN_DRY_RUN}` : undefined;
}

/** Throws SHADOW_REFUSED for an integration that writes in dry run. */
export function refuseWriters(
  integration: Pick<Integration, 'name' | 'capabilities'>,
  declared: Capabilities | undefined,
): void {
  const what = writeInDryRun(integration, declared);
  if (what === undefined) return;
  throw new EchelonError({
    code: 'SHADOW_REFUSED',
    message: `${integration.name} writes in dry run: ${what}. Nothing was started`,
    hint: 'compare another integration; this one cannot be run without effects',
  });
}
