import { EchelonError } from '../../base/index.ts';
import { instantOf, later, MICROS } from '../../gates/index.ts';
import {
  type Forecast,
  type ForecastOptions,
  faultOf,
  type PlannedOrganization,
  type UpgradesService,
  type UpgradesSettings,
} from '../../upgrades/index.ts';
import { recordedVersions } from '../past.ts';
import type { Outlook, UpgradesData } from '../state.ts';
import type { Observe } from './observation.ts';

/** As pods of the scheduler run. */
const PASS_MINUTES = 10;

export interface ObserveUpgradesOptions {
  /** The service, with a transport that refuses every write. */
  open(signal: AbortSignal): Promise<UpgradesService>;
  /** Makes a forecast beside everything else: that of a thousand clusters takes seconds. */
  forecast(
    organizations: readonly PlannedOrganization[],
    options: ForecastOptions,
    signal: AbortSignal,
  ): Promise<Forecast>;
  /** How far ahead the forecast goes. */
  readonly days: number;
  readonly clock: { now(): Date };
  /** Whether somebody named an OCM environment, an instance or a configuration file, by settings or by variables. */
  readonly named: NamedSources;
}

export interface NamedSources {
  readonly environment: boolean;
  readonly source: boolean;
}

/** What settings and variables name. */
export function namedSources(
  { ocmEnv, configFile, data }: UpgradesSettings & { readonly data?: string },
  env: Readonly<Record<string, string | undefined>>,
): NamedSources {
  return {
    environment: ocmEnv !== undefined || Boolean(env['AUS_OCM_ENV']),
    source: data !== undefined || Boolean(env['ECHELON_DATA']) || configFile !== undefined,
  };
}

/** Observes OCM and the histories, and changes neither. */
export function observeUpgrades(options: ObserveUpgradesOptions): Observe<UpgradesData> {
  let service: Promise<UpgradesService> | undefined;
  let last: Forecast | undefined;
  return async (signal, early) => {
    try {
      service ??= options.open(signal);
      const { seen, organizations, forecasting } = await seenBy(await service, options, signal);
      const before = last ?? emptyForecast(forecasting);
      early({ ...seen, outlook: { kind: 'making' }, forecast: before });
      const made = await foreseen(organizations, forecasting, options, signal);
      last = made.forecast ?? last;
      return { kind: 'seen', data: { ...seen, forecast: before, ...made } };
    } catch (thrown) {
      service = undefined;
      const absent = absence(thrown, options.named);
      if (absent === undefined) throw thrown;
      return { kind: 'absent', ...absent };
    }
  };
}

interface SeenBy {
  readonly seen: Omit<UpgradesData, 'outlook' | 'forecast'>;
  readonly organizations: readonly PlannedOrganization[];
  readonly forecasting: ForecastOptions;
}

async function seenBy(
  service: UpgradesService,
  { days, clock }: ObserveUpgradesOptions,
  signal: AbortSignal,
): Promise<SeenBy> {
  const notes: string[] = [];
  const { made, clusters, organizations } = await service.observe({ signal, onNote: (note) => notes.push(note) });
  const { plan, newHistories } = made;
  refuseNothing(plan);
  const from = instantOf(clock.now().getTime());
  const forecasting = { from, days, every: PASS_MINUTES * MICROS.minute, rules: service.rules };
  const seen = {
    ...{ plan, clusters, recorded: recordedVersions(organizations) },
    notes: newHistories === undefined ? notes : [...notes, newHistories],
  };
  return { seen, organizations, forecasting };
}

/** A forecast that cannot be made takes nothing away from what was seen. */
async function foreseen(
  organizations: readonly PlannedOrganization[],
  forecasting: ForecastOptions,
  { forecast }: Pick<ObserveUpgradesOptions, 'forecast'>,
  signal: AbortSignal,
): Promise<{ readonly outlook: Outlook; readonly forecast?: Forecast }> {
  try {
    return { outlook: { kind: 'ready' }, forecast: await forecast(organizations, forecasting, signal) };
  } catch (thrown) {
    signal.throwIfAborted();
    return { outlook: { kind: 'failed', error: faultOf(thrown) } };
  }
}

function emptyForecast({ from, days }: ForecastOptions): Forecast {
  return { from, to: later(from, days * MICROS.day), assumptions: [], clusters: [] };
}

/** Where no OCM at all could be looked at, what was seen before is worth more than nothing. */
function refuseNothing({ environments }: UpgradesData['plan']): void {
  const faults = environments.flatMap(({ name, fault }) => (fault === undefined ? [] : [{ name, fault }]));
  const [first] = faults;
  if (first === undefined || faults.length < environments.length) return;
  throw new EchelonError({ ...first.fault, message: `${first.name}: ${first.fault.message}` });
}

const CONFIGURE =
  'name a file with environments and organizations by --config-file, or an instance that declares them by --data; see docs/guide/upgrades.md';

/** Nothing was configured, which is no fault: many look only at shards. */
function absence(thrown: unknown, named: NamedSources): { message: string; hint: string } | undefined {
  if (!(thrown instanceof EchelonError)) return undefined;
  if (thrown.code === 'OCM_ENVIRONMENT_UNKNOWN' && !named.environment)
    return { message: 'The instance declares no OCM environment.', hint: CONFIGURE };
  if (thrown.code === 'INSTANCE_NOT_FOUND' && !named.source)
    return { message: 'No OCM is configured.', hint: CONFIGURE };
  return undefined;
}
