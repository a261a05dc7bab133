import { defined, EchelonError } from '../base/index.ts';
import { type Instant, instantOf, later, MICROS, parseFreeze } from '../gates/index.ts';
import { managerFileOf, upstreamOf } from '../instance/index.ts';
import { errorsIn, type FleetStatus, placeFailureText, type ShardStatus, tagOf, targetOf } from '../manager/index.ts';
import { rolloutBoard } from '../rollouts/index.ts';
import {
  compareVersionTexts,
  type Fault,
  type Forecast,
  type ForecastOptions,
  faultOf,
  type Ledger,
  type PlannedOrganization,
  type UpgradesService,
  type UpgradesSettings,
} from '../upgrades/index.ts';
import type {
  ConsoleShard,
  ConsoleState,
  EndedFreeze,
  Outlook,
  ShardsData,
  SourceLinks,
  StoredPast,
  UpgradesData,
  VersionChange,
} from './state.ts';

/** The result of an observation; `absent` when nothing is configured. */
type Observation<Data> =
  | { readonly kind: 'seen'; readonly data: Data }
  | { readonly kind: 'absent'; readonly message: string; readonly hint: string };

/** Observes once. Partial data is passed to `early`. */
export type Observe<Data> = (signal: AbortSignal, early: (data: Data) => void) => Promise<Observation<Data>>;

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
    ...{ plan, clusters, report: sheets, recorded: recordedVersions(organizations), past: storedPast(organizations) },
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

/** The most version changes stored per cluster. */
const MOST_CHANGES = 50;
/** Deleted clusters are remembered up to this total. */
const MOST_CLUSTERS = 10_000;

/** The versions of each cluster in the histories, by its id. Old histories have cluster names, newer ones UUIDs. */
export function recordedVersions(
  organizations: readonly Pick<PlannedOrganization, 'facts'>[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    organizations.flatMap(({ facts }) => {
      const byReporter = versionsByReporter(facts.ledger);
      return [...facts.clusters, ...facts.held].map(({ id, uuid, name }) => {
        const versions = new Set([...(byReporter.get(uuid) ?? []), ...(byReporter.get(name) ?? [])]);
        return [id, [...versions].sort(compareVersionTexts)] as const;
      });
    }),
  );
}

/** Histories that schedulers stored, by cluster id; a change keeps its stored date. */
function storedPast(
  organizations: readonly Pick<PlannedOrganization, 'facts' | 'stored'>[],
): ReadonlyMap<string, StoredPast> {
  return new Map(
    organizations.flatMap(({ facts, stored }) => {
      const { clusters, scheduled } = stored.state.past;
      const upgrades = Map.groupBy(scheduled, ({ uuid }) => uuid);
      return [...facts.clusters, ...facts.held].map(({ id, uuid }) => {
        const kept = { versions: clusters.get(uuid)?.versions ?? [], scheduled: upgrades.get(uuid) ?? [] };
        return [id as string, kept] as const;
      });
    }),
  );
}

/** The dated versions of a cluster: those that its scheduler kept, then what only this console saw since. */
export function versionHistory(
  { past }: Pick<UpgradesData, 'past'>,
  { versionChanges }: Pick<ConsoleState, 'versionChanges'>,
  id: string,
): readonly VersionChange[] {
  const kept = past.get(id)?.versions ?? [];
  const seen = versionChanges.get(id) ?? [];
  const last = kept.at(-1);
  if (last === undefined) return seen;
  const newer = seen.filter(({ since }) => since > last.since);
  return [...kept, ...(newer[0]?.version === last.version ? newer.slice(1) : newer)];
}

function versionsByReporter({ versions }: Ledger): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [version, workloads] of versions) {
    for (const reporter of new Set([...workloads.values()].flatMap(({ reporting }) => [...reporting]))) {
      const own = found.get(reporter) ?? [];
      own.push(version);
      found.set(reporter, own);
    }
  }
  return found;
}

/**
 * Adds an observation. A change gets the time of the observation that first saw it: it happened since the previous one. What was
 * observed of a cluster is kept when an observation lacks it, since its organization may only have been unreachable.
 */
export function addVersionChanges(
  before: ReadonlyMap<string, readonly VersionChange[]>,
  clusters: readonly { readonly id: string; readonly version: string }[],
  now: Instant,
): ReadonlyMap<string, readonly VersionChange[]> {
  const after = new Map(before);
  for (const { id, version } of clusters) {
    const known = after.get(id) ?? [];
    // The most recently observed clusters come last, and are the last to be dropped.
    after.delete(id);
    after.set(id, known.at(-1)?.version === version ? known : [...known, { version, since: now }].slice(-MOST_CHANGES));
  }
  const most = Math.max(MOST_CLUSTERS, clusters.length);
  return after.size <= most ? after : new Map([...after].slice(-most));
}

/** Freezes of organizations and clusters that are over, by organization, the longest over first. */
export function endedFreezes(
  organizations: readonly Pick<PlannedOrganization, 'environment' | 'name' | 'facts'>[],
  now: Instant,
): EndedFreeze[] {
  return organizations.flatMap(({ environment, name, facts }) => {
    const given = [...facts.freezes, ...facts.clusters.flatMap(({ policy }) => policy.freezes ?? [])];
    const ended = [...new Set(given)].map(parseFreeze).flatMap((freeze) => ('fault' in freeze ? [] : [freeze]));
    return ended
      .filter(({ until }) => until <= now)
      .sort((a, b) => a.until - b.until)
      .map(({ until, reason = '' }) => ({ environment, organization: name, until, reason }));
  });
}

/** The console's data of a fleet. */
export function shardsData(fleet: FleetStatus, { pins, versions }: Pick<ShardsData, 'pins' | 'versions'>): ShardsData {
  const environments = new Map(fleet.groups.map(({ namespace }) => [targetOf(namespace), namespace.environment.name]));
  const unusable = fleet.rolloutFault === undefined ? [] : [fleet.rolloutFault];
  const { decision, rules } = fleet.rollout ?? {};
  const declared = managerFileOf(fleet.instance.snapshot);
  const upstreams = new Map(fleet.instance.integrations.map((one) => [one.name, upstreamOf(declared, one)]));
  const withUpstream = ({ integration = '' }: ShardStatus) => defined({ upstream: upstreams.get(integration) });
  return {
    revision: fleet.instance.snapshot.revision.id,
    shards: fleet.shards.map((shard) => ({ ...consoleShard(shard, environments), ...withUpstream(shard) })),
    faults: [
      ...placeFaults(fleet),
      ...[...fleet.rendered.failures.map(({ error }) => error), ...unusable].map(faultOf),
    ],
    errors: errorsIn(fleet).length,
    versions,
    pins: pins.filter(({ pin }) => environments.has(`${pin.cluster}/${pin.namespace}`)),
    ...defined({
      sources: sourcesOf(fleet),
      rollouts: decision === undefined || rules === undefined ? undefined : rolloutBoard(decision, rules),
    }),
  };
}

function consoleShard(shard: ShardStatus, environments: ReadonlyMap<string, string>): ConsoleShard {
  const environment = environments.get(`${shard.cluster}/${shard.namespace}`);
  const expectedTag = tagOf(shard.expected);
  const liveTag = tagOf(shard.live);
  return {
    ...shard,
    ...defined({ environment }),
    ...(expectedTag === '' ? {} : { expectedTag }),
    ...(liveTag === '' ? {} : { liveTag }),
  };
}

/** A work tree with changes has lines that no commit has. */
function sourcesOf({ instance: { settings, snapshot } }: FleetStatus): SourceLinks | undefined {
  const { commit, dirty } = snapshot.revision;
  const repository = settings?.repoUrl;
  return repository === undefined || commit === undefined || dirty === true ? undefined : { repository, commit };
}

/** An unreachable cluster is reported once, not per namespace. */
function placeFaults({ failures }: FleetStatus): Fault[] {
  const faults = failures.map((failure) => ({ ...faultOf(failure.error), message: placeFailureText(failure) }));
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}
