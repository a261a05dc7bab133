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
import { endedFreezes } from '../overview/ended-freezes.ts';
import { keptPast, recordedVersions } from '../past.ts';
import type { Outlook, UpgradesData } from '../state.ts';
import type { Observe } from './observation.ts';

/** The interval of scheduler pods. */
const PASS_MINUTES = 10;

interface ObserveUpgradesOptions {
  /** The service, with a transport that rejects writes. */
  open(signal: AbortSignal): Promise<UpgradesService>;
  /** Computes a forecast in the background: for thousands of clusters it takes seconds. */
  forecast(
    organizations: readonly PlannedOrganization[],
    options: ForecastOptions,
    signal: AbortSignal,
  ): Promise<Forecast>;
  /** Days to forecast. */
  readonly days: number;
  readonly clock: { now(): Date };
  /** Whether an OCM environment, an instance or a configuration file is set, by settings or by variables. */
  readonly named: NamedSources;
}

interface NamedSources {
  readonly environment: boolean;
  readonly source: boolean;
}

/** The sources set by settings and variables. */
export function namedSources(
  { ocmEnv, configFile, data }: UpgradesSettings & { readonly data?: string },
  env: Readonly<Record<string, string | undefined>>,
): NamedSources {
  return {
    environment: ocmEnv !== undefined || Boolean(env['AUS_OCM_ENV']),
    source: data !== undefined || Boolean(env['ECHELON_DATA']) || configFile !== undefined,
  };
}

/** The forecast of so many clusters takes about a second: they are not shown without it. */
const SHOWN_TOGETHER = 2_000;

/** Observes OCM and the histories, and changes neither. */
export function observeUpgrades(options: ObserveUpgradesOptions): Observe<UpgradesData> {
  let service: Promise<UpgradesService> | undefined;
  let last: Forecast | undefined;
  return async (signal, early) => {
    try {
      service ??= options.open(signal);
      const { seen, organizations, forecasting } = await seenBy(await service, options, signal);
      const before = last ?? emptyForecast(forecasting);
      if (seen.clusters.length > SHOWN_TOGETHER) early({ ...seen, outlook: { kind: 'making' }, forecast: before });
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
  const { made, clusters, organizations, sheets } = await service.observe({
    signal,
    onNote: (note) => notes.push(note),
  });
  const { plan, newHistories } = made;
  refuseNothing(plan);
  const from = instantOf(clock.now().getTime());
  const forecasting = { from, days, every: PASS_MINUTES * MICROS.minute, rules: service.rules };
  const seen = {
    endedFreezes: endedFreezes(organizations, from),
    ...{ plan, clusters, report: sheets, recorded: recordedVersions(organizations), past: keptPast(organizations) },
    notes: newHistories === undefined ? notes : [...notes, newHistories],
  };
  return { seen, organizations, forecasting };
}

/** A failed forecast does not affect the observed data. */
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

/** When no OCM can be observed, the previous data is better than none. */
function refuseNothing({ environments }: UpgradesData['plan']): void {
  const faults = environments.flatMap(({ name, fault }) => (fault === undefined ? [] : [{ name, fault }]));
  const [first] = faults;
  if (first === undefined || faults.length < environments.length) return;
  throw new EchelonError({ ...first.fault, message: `${first.name}: ${first.fault.message}` });
}

const CONFIGURE =
  'pass a file with environments and organizations with --config-file, or an instance with --data; see docs/guide/upgrades.md';

/** Not configured, which is not an error: some users only need shards. */
function absence(thrown: unknown, named: NamedSources): { message: string; hint: string } | undefined {
  if (!(thrown instanceof EchelonError)) return undefined;
  if (thrown.code === 'OCM_ENVIRONMENT_UNKNOWN' && !named.environment)
    return { message: 'The instance declares no OCM environment.', hint: CONFIGURE };
  if (thrown.code === 'INSTANCE_NOT_FOUND' && !named.source)
    return { message: 'No OCM is configured.', hint: CONFIGURE };
  return undefined;
}
