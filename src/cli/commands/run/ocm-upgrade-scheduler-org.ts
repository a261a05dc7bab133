import { EchelonError } from '../../../base/index.ts';
import type { Io } from '../../io.ts';
import { openUpgradesLoop, type RunUpgradesFlags } from './advanced-upgrade-scheduler.ts';
import { runIntegration } from './run-integration.ts';

export const ORG_SCHEDULER = 'ocm-upgrade-scheduler-org';

/** Schedules upgrades of the clusters that organization files name, until it is told to end. */
export async function runOrgUpgrades(io: Io, flags: RunUpgradesFlags): Promise<number> {
  if (flags.configFile !== undefined) throw noPolicies(flags.configFile);
  const purpose = { integration: ORG_SCHEDULER, policies: 'files' } as const;
  return runIntegration(io, ORG_SCHEDULER, flags, (runner) => openUpgradesLoop(runner, flags, purpose));
}

function noPolicies(file: string): EchelonError {
  return new EchelonError({
    code: 'FLAG_INVALID',
    message: `--config-file ${file} declares no policies of clusters, which ${ORG_SCHEDULER} takes from an instance`,
    hint: 'name the instance by --data, or run advanced-upgrade-scheduler, which takes them from labels',
  });
}
