import { type FleetFile, parseFleet } from '../../src/sim/index.ts';

/** Everything that happens in one simulation, as data: parts can be left out to find the shortest that still fails. */
export interface Scenario {
  readonly seed: number;
  readonly organizations: readonly GivenOrganization[];
  readonly releases: readonly Readonly<Record<string, unknown>>[];
  readonly gates: readonly { readonly id: string; readonly version: string; readonly label: string }[];
  /** What users and machines do to labels and clusters. */
  readonly events: readonly GivenEvent[];
  readonly actions: readonly UserAction[];
  readonly passes: readonly PassPlan[];
  /** Nothing goes wrong from then on, and users change nothing. */
  readonly quietFrom: Minute;
  /** The rule `maxCreditedInterval`; passes are rarer than in life. */
  readonly creditedHours: number;
  /** How long schedulers trust what they remember of idle clusters. */
  readonly resyncSeconds: number;
}

/** Minutes since the start. */
export type Minute = number;

/** Labels without the prefix that all of them have. */
export type AusLabels = Readonly<Record<string, string>>;

export interface GivenOrganization {
  readonly id: string;
  readonly aus: AusLabels;
  readonly clusters: readonly GivenCluster[];
}

export interface GivenCluster {
  readonly name: string;
  readonly version: string;
  readonly hosted: boolean;
  readonly group: string;
  readonly aus: AusLabels;
  /** Versions of its node pools. */
  readonly pools: readonly string[];
  /** Its users upgrade it by themselves. */
  readonly automatic?: string;
}

export interface GivenEvent {
  readonly at: Minute;
  readonly cluster?: string;
  readonly organization?: string;
  readonly health?: 'healthy' | 'unhealthy';
  readonly state?: 'ready' | 'hibernating';
  readonly status?: 'Active' | 'Disconnected';
  readonly aus?: Readonly<Record<string, string | null>>;
  readonly remove?: true;
}

/** What users do, and what happens to clusters. Where OCM refuses nothing happens. */
export type UserAction =
  | { readonly at: Minute; readonly kind: 'sicken' | 'heal'; readonly cluster: string }
  | { readonly at: Minute; readonly kind: 'agree'; readonly cluster: string; readonly gate: string }
  | { readonly at: Minute; readonly kind: 'upgrade'; readonly cluster: string }
  | { readonly at: Minute; readonly kind: 'block'; readonly organization: string; readonly pattern: string | null };

export type Who = 'a' | 'b';

export interface PassPlan {
  readonly at: Minute;
  readonly who: readonly Who[];
  /** Calls are made one at a time, in an order that is drawn; otherwise in the order in which they come. */
  readonly turns: boolean;
  /** Minutes that the clock of each scheduler is wrong. */
  readonly clock: Readonly<Record<Who, number>>;
  readonly faults: readonly Fault[];
  /** If it scheduled something, then the version is blocked right after, or the cluster falls sick, for a while. */
  readonly reaction?: 'block' | 'sicken';
}

export const FAULT_KINDS = [
  'refuse',
  'lose-answer',
  'never-arrive',
  'arrive-late',
  'stale',
  'slow',
  'crash-before',
  'crash-after',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export const CALL_CLASSES = ['any', 'read', 'write', 'create', 'store-read', 'store-write'] as const;
export type CallClass = (typeof CALL_CLASSES)[number];

/** What goes wrong with one call, or with it and all that follow in the pass. */
export interface Fault {
  readonly who: Who;
  readonly kind: FaultKind;
  readonly on: CallClass;
  /** From 1, among the calls of the class. */
  readonly nth: number;
  readonly lasting: boolean;
  /** How late, how stale, how slow. */
  readonly minutes: number;
}

/** A Monday. */
export const START = Date.parse('2026-03-02T00:00:00Z');
export const DAY = 24 * 60;
export const ENVIRONMENT = 'sim';

export function momentOf(minute: Minute): Date {
  return new Date(START + minute * 60_000);
}

export function clusterId(name: string): string {
  return `${name}-id`;
}

/** The fleet, without what refers to clusters that were left out. */
export function fleetOf({ organizations, releases, gates, events }: Scenario): FleetFile {
  const names = new Set(organizations.flatMap(({ id, clusters }) => [id, ...clusters.map(({ name }) => name)]));
  return parseFleet({
    start: momentOf(0).toISOString(),
    timing: { classic: '40m..2h', failed_visible: '30m' },
    outcomes: { delayed: '5%', failed: '4%' },
    versions: { groups: { stable: '0d', candidate: '-4d' }, releases },
    gates,
    environments: [
      {
        name: ENVIRONMENT,
        organizations: organizations.map(({ clusters, ...organization }) => ({
          ...organization,
          name: organization.id,
          clusters: clusters.map(fleetCluster),
        })),
      },
    ],
    events: events
      .filter(({ cluster, organization }) => names.has(cluster ?? organization ?? ''))
      .map(({ at, ...event }) => ({ at: momentOf(at).toISOString(), ...event })),
  });
}

function fleetCluster({ name, pools, automatic, ...cluster }: GivenCluster, index: number): object {
  return {
    ...cluster,
    ...{ name, id: clusterId(name), uuid: `${name}-uuid`, subscription: `${name}-sub` },
    product: cluster.hosted ? 'rosa' : 'osd',
    created: `day ${index - 400}`,
    ...(cluster.hosted ? { node_pools: pools.map((version, nth) => ({ name: `np${nth}`, version })) } : {}),
    ...(automatic === undefined ? {} : { policy: { schedule: automatic } }),
  };
}
