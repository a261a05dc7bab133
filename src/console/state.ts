import type { Instant } from '../gates/index.ts';
import type { ShardStatus } from '../manager/index.ts';
import type { ListedPin, ListedVersion } from '../promotion/index.ts';
import type { RolloutBoard } from '../rollouts/index.ts';
import type {
  ClusterExplanation,
  ClusterForecast,
  Fault,
  Forecast,
  ForecastUpgrade,
  OrganizationSheet,
  PastUpgrade,
  ReportRow,
  UpgradePlan,
} from '../upgrades/index.ts';

/** The last successful observation of one half of the data, and the error of later ones. The halves are independent. */
export type Observed<Data> =
  /** The first observation is in progress. */
  | { readonly kind: 'waiting' }
  /** Not configured, with a hint. */
  | { readonly kind: 'absent'; readonly message: string; readonly hint: string }
  | { readonly kind: 'failed'; readonly at: Instant; readonly error: Fault }
  /** With an error when a later observation failed: then the data is from the last successful one. */
  | { readonly kind: 'known'; readonly asOf: Instant; readonly data: Data; readonly error?: Fault };

/** The state of an observation's forecast. Computing one takes long, and clusters are shown before. */
export type Outlook =
  | { readonly kind: 'ready' }
  | { readonly kind: 'making' }
  | { readonly kind: 'failed'; readonly error: Fault };

/** One observation of OCM and the histories. */
export interface UpgradesData {
  readonly plan: UpgradePlan;
  readonly clusters: readonly ClusterExplanation[];
  /** The fleet report: by organization, what soaks for which cluster. */
  readonly report: readonly OrganizationSheet[];
  readonly outlook: Outlook;
  /** Until the outlook is ready, the forecast of an earlier observation, or an empty one. */
  readonly forecast: Forecast;
  /** By cluster id: its versions in the history, oldest first, without dates. */
  readonly recorded: ReadonlyMap<string, readonly string[]>;
  /** By cluster id: the history that its scheduler stored. */
  readonly past: ReadonlyMap<string, StoredPast>;
  /** Freezes that are over and still declared; absent where none is known. */
  readonly endedFreezes?: readonly EndedFreeze[];
  /** Warnings for the operator of the console. */
  readonly notes: readonly string[];
}

export interface EndedFreeze {
  readonly environment: string;
  readonly organization: string;
  readonly until: Instant;
  readonly reason: string;
}

/** The forge of the instance, and the commit that was read. */
export interface SourceLinks {
  readonly repository: string;
  readonly commit: string;
}

export interface ConsoleShard extends ShardStatus {
  readonly upstream?: string;
  /** Environment of the namespace; absent when the instance does not have it. */
  readonly environment?: string;
  /** Short names of the images, such as `f929a38`. */
  readonly expectedTag?: string;
  readonly liveTag?: string;
}

export type ConsolePin = Pick<ListedPin, 'pin' | 'since' | 'expired'>;

/** One observation of the clusters that integrations run on. */
export interface ShardsData {
  readonly revision: string;
  readonly shards: readonly ConsoleShard[];
  /** Namespaces that cannot be observed, and integrations that cannot be rendered. */
  readonly faults: readonly Fault[];
  /** Number of errors; `echelon validate` shows them. */
  readonly errors: number;
  /** Pins of the namespaces that are operated. */
  readonly pins: readonly ConsolePin[];
  /** Versions that environments declare. */
  readonly versions: readonly ListedVersion[];
  /** Forge and commit of the instance; absent when not known. */
  readonly sources?: SourceLinks;
  /** Absent without tracks, or when rollouts cannot be decided; the reason is then one of the faults. */
  readonly rollouts?: RolloutBoard;
}

/** The dated past of a cluster, oldest first. */
export interface StoredPast {
  readonly versions: readonly VersionChange[];
  readonly scheduled: readonly PastUpgrade[];
}

/** A version of a cluster, and when it was first observed. */
export interface VersionChange {
  readonly version: string;
  readonly since: Instant;
}

/** A link that every shard page has, such as to its logs. */
export interface ShardLink {
  readonly name: string;
  /** With `$cluster`, `$namespace`, `$integration`, `$shard`, `$name` and `$image`. */
  readonly url: string;
}

/** A problem that needs a human. */
export interface FleetProblem {
  /** The same in every observation while it lasts. */
  readonly id: string;
  readonly where: string;
  /** One sentence, without a full stop. */
  readonly message: string;
  readonly hint: string;
  /** A page with details. */
  readonly href?: string;
  readonly severity: 'error' | 'warning';
  /** When it began; absent when only observations tell. */
  readonly since?: Instant;
}

/** A problem with the time it began, or the time this console first saw it. */
export interface AgedProblem extends FleetProblem {
  readonly since: Instant;
  /** Whether `since` is only when this console first saw it. */
  readonly isFirstSeen: boolean;
  readonly firstSeen: Instant;
}

/** Values to filter a list by. */
export interface Choice {
  readonly name: string;
  readonly title: string;
  readonly values: readonly string[];
}

/** The count of one kind. */
export interface Counted {
  readonly name: string;
  readonly count: number;
}

/** One cluster in lists. */
export interface ClusterRow {
  readonly cluster: ClusterExplanation;
  /** The gate it waits for, or what prevents its evaluation. */
  readonly gate: string;
  /** The next forecast upgrade of the cluster itself. */
  readonly next?: ForecastUpgrade;
}

/** A cluster in the report, and its organization. */
export interface SheetRow {
  readonly sheet: OrganizationSheet;
  readonly row: ReportRow;
}

/** Fleet statistics. */
export interface UpgradesSummary {
  readonly clusters: number;
  readonly organizations: number;
  readonly versions: readonly Counted[];
  /** Gates of the clusters that wait, and of those that are held. */
  readonly gates: readonly Counted[];
  readonly holds: readonly Counted[];
  readonly actions: readonly Counted[];
}

/** An observation of OCM with everything that pages derive from it, computed once. */
export interface UpgradesView extends UpgradesData {
  readonly rows: readonly ClusterRow[];
  readonly choices: readonly Choice[];
  readonly summary: UpgradesSummary;
  /** By `ENVIRONMENT/ID` of a cluster. */
  readonly forecasts: ReadonlyMap<string, ClusterForecast>;
  /** The next upgrades of the fleet. */
  readonly soonest: readonly { readonly cluster: ClusterForecast; readonly upgrade: ForecastUpgrade }[];
  /** By version: its place in the order of all versions. */
  readonly versionNumbers: ReadonlyMap<string, number>;
  /** The first version change that a scheduler stored; infinite when there is none. */
  readonly firstChange: number;
  readonly sheetRows: readonly SheetRow[];
  readonly sheetChoices: readonly Choice[];
  readonly problems: readonly FleetProblem[];
}

/** An observation of integrations with everything that pages derive from it, computed once. */
export interface ShardsView extends ShardsData {
  readonly choices: readonly Choice[];
  readonly states: readonly Counted[];
  /** Integrations by shards, most first. */
  readonly integrations: readonly Counted[];
  readonly problems: readonly FleetProblem[];
}

/** The data of all pages. */
export interface ConsoleState {
  readonly startedAt: Instant;
  /** Counts observations: pages of the same one show the same. */
  readonly version: number;
  /** Seconds between two observations. */
  readonly refreshSeconds: number;
  readonly upgrades: Observed<UpgradesView>;
  readonly shards: Observed<ShardsView>;
  /** By cluster id, oldest first: version changes that this console observed. */
  readonly versionChanges: ReadonlyMap<string, readonly VersionChange[]>;
  /** Links on every shard page. */
  readonly links: readonly ShardLink[];
  /** Everything that needs a human, in order. */
  readonly problems: readonly AgedProblem[];
}

/** The data of a half, if any. */
export function dataOf<Data>(half: Observed<Data>): Data | undefined {
  return half.kind === 'known' ? half.data : undefined;
}

/** Names what a page shows: another one after a restart, too. */
export function versionText({ startedAt, version }: Pick<ConsoleState, 'startedAt' | 'version'>): string {
  return `${startedAt}-${version}`;
}
