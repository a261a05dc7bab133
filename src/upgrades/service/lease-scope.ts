import { sha256Of } from '../../base/index.ts';
import type { Variables } from '../settings/file-ports.ts';
import type { UpgradesSettings } from '../settings/settings.ts';

const HASH_LENGTH = 10;

/** The lease name. Pods that serve different organizations use different leases; hashed, since ids are not valid Kubernetes names. */
export function upgradesLeaseName(settings: UpgradesSettings, env: Variables, integration: string): string {
  const { ocmEnv = env['AUS_OCM_ENV'] ?? '', orgId = [], excludeOrgId = [] } = settings;
  if (ocmEnv === '' && orgId.length + excludeOrgId.length === 0) return integration;
  const scope = JSON.stringify([ocmEnv, orgId.toSorted(), excludeOrgId.toSorted()]);
  return `${integration}-${sha256Of(scope).slice(0, HASH_LENGTH)}`;
}
