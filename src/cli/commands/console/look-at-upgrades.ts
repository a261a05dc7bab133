import { EchelonError } from '../../../base/index.ts';
import { recordedVersions, type UpgradesData } from '../../../console/index.ts';
import {
  explainClusters,
  type FleetPlanned,
  fleetPlan,
  instantOf,
  isSkipped,
  MICROS,
  type PlannedOrganization,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { openPlanner, type PlanClock, type Planner } from '../upgrades/plan.ts';
import type { SourceFlags } from '../upgrades/sources.ts';
import { forecastBeside } from './forecast-thread.ts';
import type { LookAt } from './looks.ts';

/** As pods of the scheduler run. */
const PASS_MINUTES = 10;

export interface UpgradesLookFlags extends SourceFlags {
  /** How far ahead the forecast looks. */
  readonly days: number;
}

/** Looks at OCM and the histories, and changes neither: the transport refuses every write. */
export function lookAtUpgrades(io: Io, flags: UpgradesLookFlags, clock: PlanClock): LookAt<UpgradesData> {
  let planner: Promise<Planner> | undefined;
  return async (signal) => {
    try {
      planner ??= openPlanner({ ...io, signal }, flags, { readOnly: true, clock });
      return { kind: 'seen', data: await seenBy(await planner, flags.days, clock, signal) };
    } catch (thrown) {
      planner = undefined;
      const absent = absence(thrown, io, flags);
      if (absent === undefined) throw thrown;
      return { kind: 'absent', ...absent };
    }
  };
}

async function seenBy(planner: Planner, days: number, clock: PlanClock, signal: AbortSignal): Promise<UpgradesData> {
  const notes: string[] = [];
  const { planned, fresh } = await planner.plan({ signal, onNote: (note) => notes.push(note) });
  refuseNothing(planned);
  const organizations = planned.organizations.filter((outcome): outcome is PlannedOrganization => !isSkipped(outcome));
  const from = instantOf(clock.now().getTime());
  const options = { from, days, every: PASS_MINUTES * MICROS.minute, rules: planner.rules };
  return {
    plan: fleetPlan(planned),
    clusters: explainClusters(planned.organizations),
    forecast: await forecastBeside(organizations, options, signal),
    recorded: recordedVersions(organizations),
    notes: fresh === undefined ? notes : [...notes, fresh],
  };
}

/** Where no OCM at all could be looked at, what was seen before is worth more than nothing. */
function refuseNothing({ environments }: FleetPlanned): void {
  const faults = environments.flatMap(({ name, fault }) => (fault === undefined ? [] : [{ name, fault }]));
  const [first] = faults;
  if (first === undefined || faults.length < environments.length) return;
  throw new EchelonError({ ...first.fault, message: `${first.name}: ${first.fault.message}` });
}

const CONFIGURE =
  'name a file with environments and organizations by --config-file, or an instance that declares them by --data; see docs/guide/upgrades.md';

/** Nothing was configured, which is no fault: many look only at shards. */
function absence(
  thrown: unknown,
  { env }: Io,
  flags: UpgradesLookFlags,
): { message: string; hint: string } | undefined {
  if (!(thrown instanceof EchelonError)) return undefined;
  if (thrown.code === 'OCM_ENVIRONMENT_UNKNOWN' && flags.ocmEnv === undefined && !env['AUS_OCM_ENV'])
    return { message: 'The instance declares no OCM environment.', hint: CONFIGURE };
  const nothingNamed = flags.data === undefined && !env['ECHELON_DATA'] && flags.configFile === undefined;
  if (thrown.code === 'INSTANCE_NOT_FOUND' && nothingNamed)
    return { message: 'No OCM is configured.', hint: CONFIGURE };
  return undefined;
}
