import { defined } from '../../../base/index.ts';
import { clusterIdOf, ksuidOf, uuidOf } from '../ids.ts';
import { DAY } from '../instants.ts';
import { randomOf } from '../random.ts';
import { minorOf } from '../version-graph.ts';
import { AUS_PREFIX, type FleetCluster, type FleetPolicy } from './fleet.ts';
import type { RawCluster, RawClusterFields } from './shape.ts';
import { parseWhen } from './units.ts';

/** The context of an entry. */
interface Place {
  /** `environments[0].organizations[1].clusters[2]`. */
  readonly path: string;
  readonly environment: string;
  readonly organization: string;
  readonly start: number;
  readonly problem: (path: string, text: string) => void;
}

const OLDEST_DAYS = 700;
const YOUNGEST_DAYS = 30;

/** One entry is one cluster, or `count` of them. */
export function expandClusters(raw: RawCluster, place: Place): FleetCluster[] {
  const { name, count: many, from, but, ...shared } = raw;
  if (many !== undefined && !/\{n+\}/.test(name))
    place.problem(`${place.path}.name`, 'the name needs {n} when count is above 1');
  const numbers = Array.from({ length: many ?? 1 }, (_, index) => from + index);
  for (const number of Object.keys(but)) {
    if (!numbers.includes(Number(number))) place.problem(`${place.path}.but.${number}`, 'no cluster with this number');
  }
  return numbers.map((number, index) => {
    const own = but[String(number)] ?? {};
    return expandCluster(numbered(name, number), merged(shared, own), { number, index }, place);
  });
}

interface Nth {
  readonly number: number;
  /** From zero: lists of versions and regions are assigned round-robin. */
  readonly index: number;
}

const DEFAULTS = {
  product: 'rosa',
  hosted: false,
  managed: true,
  group: 'stable',
  cloud: 'aws',
  region: 'us-east-1',
  multi_az: false,
  nodes: 3,
  state: 'ready',
  health: 'healthy',
  status: 'Active',
  labels: {},
  aus: {},
  capabilities: {} as Readonly<Record<string, string>>,
  properties: {},
  node_pools: [],
} as const;

function expandCluster(name: string, raw: RawClusterFields, nth: Nth, place: Place): FleetCluster {
  const key = `${place.environment}/${place.organization}/${name}`;
  const full = { ...DEFAULTS, ...raw };
  const version = dealt(raw.version, nth.index) ?? '';
  checkCluster(raw, { ...full, version }, place);
  const policy = expandPolicy(raw, place);
  return {
    name,
    ...identity(name, key, raw, place),
    product: full.product,
    hosted: full.hosted,
    sts: raw.sts ?? full.product === 'rosa',
    managed: full.managed,
    version,
    channel: raw.channel ?? `${full.group}-${minorOf(version)}`,
    cloud: full.cloud,
    region: dealt(full.region, nth.index) ?? '',
    multiAz: full.multi_az,
    nodes: full.nodes,
    state: full.state,
    health: full.health,
    status: full.status,
    labels: allLabels(full.labels, full.aus, (value) => numbered(value, nth.number)),
    capabilities: Object.entries(full.capabilities).map(([capability, value]) => ({ name: capability, value })),
    properties: full.properties,
    nodePools: full.node_pools.map((pool) => ({ ...pool, version: pool.version ?? version })),
    ...defined({ policy }),
  };
}

type Identity = Pick<FleetCluster, 'displayName' | 'id' | 'uuid' | 'subscriptionId' | 'createdAt'>;

/** Default ids are derived from names, so they do not change when something else does. */
function identity(name: string, key: string, raw: RawClusterFields, { start }: Place): Identity {
  const createdAt = raw.created === undefined ? bornBefore(start, key) : (parseWhen(raw.created, start) ?? 0);
  return {
    displayName: raw.display_name ?? name,
    id: raw.id ?? clusterIdOf(key),
    uuid: raw.uuid ?? uuidOf(`uuid/${key}`, 4),
    subscriptionId: raw.subscription ?? ksuidOf(`subscription/${key}`, createdAt),
    createdAt,
  };
}

function checkCluster(
  raw: RawClusterFields,
  { hosted, product, version }: Pick<FleetCluster, 'hosted' | 'product' | 'version'>,
  { path, problem }: Place,
): void {
  if (version === '') problem(`${path}.version`, 'every cluster needs a version');
  if (hosted && product !== 'rosa') problem(`${path}.product`, 'only rosa has hosted control planes');
  if (!hosted && raw.node_pools !== undefined) problem(`${path}.node_pools`, 'only hosted clusters have node pools');
  if (raw.channel !== undefined && raw.group !== undefined)
    problem(`${path}.group`, 'the channel already includes the group');
}

function expandPolicy({ policy }: RawClusterFields, { path, start, problem }: Place): FleetPolicy | undefined {
  if (policy === undefined) return undefined;
  const { schedule, version, next_run, minor_upgrades } = policy;
  if (schedule !== undefined && version === undefined && next_run === undefined)
    return { schedule, minorUpgrades: minor_upgrades };
  if (schedule === undefined && version !== undefined && next_run !== undefined)
    return { version, nextRun: parseWhen(next_run, start) ?? 0 };
  problem(`${path}.policy`, 'a policy needs a version and a next_run, or only a schedule');
  return undefined;
}

/** Merges both forms of labels into one mapping of full keys, without nulls. */
export function allLabels(
  full: Readonly<Record<string, string | null>>,
  aus: Readonly<Record<string, string | null>>,
  text: (value: string) => string = (value) => value,
): Record<string, string> {
  const entries = [
    ...Object.entries(full),
    ...Object.entries(aus).map(([key, value]) => [AUS_PREFIX + key, value] as const),
  ];
  return Object.fromEntries(entries.flatMap(([key, value]) => (value === null ? [] : [[key, text(value)] as const])));
}

/** Labels are merged one by one; every other field of one cluster replaces the shared value. */
function merged(shared: RawClusterFields, own: RawClusterFields): RawClusterFields {
  return {
    ...shared,
    ...own,
    labels: { ...shared.labels, ...own.labels },
    aus: { ...shared.aus, ...own.aus },
  };
}

/** `pay-{n}` and `pay-{nn}` of 3 are `pay-3` and `pay-03`. */
export function numbered(text: string, number: number): string {
  return text.replaceAll(/\{(n+)\}/g, (_, digits: string) => String(number).padStart(digits.length, '0'));
}

function dealt<T>(value: T | readonly T[] | undefined, index: number): T | undefined {
  return Array.isArray(value) ? value[index % value.length] : (value as T | undefined);
}

function bornBefore(start: number, key: string): number {
  return Math.floor(start - randomOf('born', key).between(YOUNGEST_DAYS, OLDEST_DAYS) * DAY);
}
