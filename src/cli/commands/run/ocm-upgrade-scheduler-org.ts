import { hostIntegration } from '../../../runtime/index.ts';
import { ORG_SCHEDULER, requireInstance } from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { openScheduler, type RunUpgradesFlags } from './advanced-upgrade-scheduler.ts';

/** Schedules upgrades of the clusters that organization files name, until it is interrupted. */
export async function runOrgUpgrades(io: Io, flags: RunUpgradesFlags): Promise<number> {
  requireInstance(flags.configFile, ORG_SCHEDULER);
  const purpose = { integration: ORG_SCHEDULER, policies: 'files' } as const;
  return hostIntegration(io, ORG_SCHEDULER, flags, (runner) => openScheduler(runner, flags, purpose));
}
