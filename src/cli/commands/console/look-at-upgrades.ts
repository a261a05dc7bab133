import { EchelonError } from '../../../base/index.ts';
import { type Outlook, recordedVersions, type UpgradesData } from '../../../console/index.ts';
import {
  explainClusters,
  type FleetPlanned,
  type Forecast,
  type ForecastOptions,
  fleetPlan,
  instantOf,
  isSkipped,
  later,
  MICROS,
  type PlannedOrganization,
} from '../../../upgrades/index.ts';
import type { Io } from '../../io.ts';
import { openPlanner, type PlanClock, type Planner } from '../upgrades/plan.ts';
import type { SourceFlags } from '../upgrades/sources.ts';
import { forecastBeside } from './forecast-thread.ts';
import { faultOf, type LookAt } from './looks.ts';

/** As pods of the scheduler run. */
const PASS_MINUTES = 10;

export interface UpgradesLookFlags extends SourceFlags {
  /** How far ahead the forecast looks. */
  readonly days: number;
}

/** Looks at OCM and the histories, and changes neither: the transport refuses every write. */
export function lookAtUpgrades(io: Io, flags: UpgradesLookFlags, clock: PlanClock): LookAt<UpgradesData> {
  let planner: Promise<Planner> | undefined;
  let last: Forecast | undefined;
  return async (signal, early) => {
    try {
      planner ??= openPlanner({ ...io, signal }, flags, { readOnly: true, clock });
      const { seen, organizations, options } = await seenBy(await planner, flags.days, clock, signal);
      const before = last ?? nothingForeseen(options);
      early({ ...seen, outlook: { kind: 'making' }, forecast: before });
      const made = await foreseen(organizations, options, signal);
      last = made.forecast ?? last;
      return { kind: 'seen', data: { ...seen, forecast: before, ...made } };
    } catch (thrown) {
      planner = undefined;
      const absent = absence(thrown, io, flags);
      if (absent === undefined) throw thrown;
      return { kind: 'absent', ...absent };
    }
  };
}

interface SeenBy {
  readonly seen: Omit<UpgradesData, 'outlook' | 'forecast'>;
  readonly organizations: readonly PlannedOrganization[];
  readonly options: ForecastOptions;
}

async function seenBy(planner: Planner, days: number, clock: PlanClock, signal: AbortSignal): Promise<SeenBy> {
  const notes: string[] = [];
  const { planned, fresh } = await planner.plan({ signal, onNote: (note) => notes.push(note) });
  refuseNothing(planned);
  const organizations = planned.organizations.filter((outcome): outcome is PlannedOrganization => !isSkipped(outcome));
  const from = instantOf(clock.now().getTime());
  const options = { from, days, every: PASS_MINUTES * MICROS.minute, rules: planner.rules };
  const seen = {
    plan: fleetPlan(planned),
    clusters: explainClusters(planned.organizations),
    recorded: recordedVersions(organizations),
    notes: fresh === undefined ? notes : [...notes, fresh],
  };
  return { seen, organizations, options };
}

/** A forecast that cannot be made takes nothing away from what was seen. */
async function foreseen(
  organizations: readonly PlannedOrganization[],
  options: ForecastOptions,
  signal: AbortSignal,
): Promise<{ readonly outlook: Outlook; readonly forecast?: Forecast }> {
  try {
    return { outlook: { kind: 'ready' }, forecast: await forecastBeside(organizations, options, signal) };
  } catch (thrown) {
    signal.throwIfAborted();
    return { outlook: { kind: 'failed', error: faultOf(thrown) } };
  }
}

function nothingForeseen({ from, days }: ForecastOptions): Forecast {
  return { from, to: later(from, days * MICROS.day), assumptions: [], clusters: [] };
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
