import * as fc from 'fast-check';
import { type Instant, later, MICROS, parseInstant, type Soak } from '../../src/gates/index.ts';
import type { OrgId } from '../../src/instance/index.ts';
import {
  type ClusterState,
  type HeldCluster,
  type OrgFacts,
  orgFacts,
  type ScheduledUpgrade,
  type ServedCluster,
  type VersionGate,
} from '../../src/upgrades/engine/facts.ts';
import { compareVersions, type Ledger, type Version } from '../../src/upgrades/index.ts';
import { GATE_LABELS } from '../../src/upgrades/policies/fields.ts';
import { inheritanceNetwork } from '../../src/upgrades/policies/inheritance.ts';
import {
  clusterKey,
  type Labels,
  organizationKey,
  type Reading,
  sectorKey,
} from '../../src/upgrades/policies/label-keys.ts';
import { orgSpecFromLabels, parseOrganizationLabels } from '../../src/upgrades/policies/labels.ts';

/** A cluster with its labels, as OCM would show it. */
export interface FleetCluster extends ClusterState {
  readonly labels: Labels;
}

export interface FleetOrganization {
  readonly id: OrgId;
  readonly environment: string;
  readonly labels: Labels;
  readonly clusters: readonly FleetCluster[];
  readonly policies: readonly ScheduledUpgrade[];
  readonly agreements: OrgFacts['agreements'];
  readonly ledger: Ledger;
}

/** Organizations of one OCM, and the gates that hold for all of them. */
export interface Fleet {
  readonly organizations: readonly FleetOrganization[];
  readonly gates: readonly VersionGate[];
}

/** A Friday, half an hour before some schedules are due and after others are. */
export const NOW = parseInstant('2024-03-01T10:30:00Z') as Instant;
export const STRICT: Reading = { strict: true };

export const RELEASES = ['4.14.1', '4.14.2', '4.14.3', '4.15.0', '4.15.1', '4.16.0-rc.1', '4.16.0'] as Version[];
export const WORKLOADS = ['wl-a', 'wl-b', 'wl-c'];
const MUTEXES = ['m1', 'm2'];
/** Each may depend on those before it. */
const SECTORS = ['dev', 'stage', 'prod'];
const PATTERNS = ['rc', '^4\\.15\\..*$', '3$', '16'];

/** Schedules, and what they say without a parser. */
export const SCHEDULES: readonly { readonly text: string; readonly matches: (date: Date) => boolean }[] = [
  { text: '* * * * *', matches: (date) => date.getUTCSeconds() === 0 },
  { text: '0 12 * * *', matches: (date) => date.toISOString().slice(11, 19) === '12:00:00' },
  { text: '15 11 * * 5', matches: (date) => date.getUTCDay() === 5 && date.toISOString().slice(11, 19) === '11:15:00' },
  { text: '0 23 * * *', matches: (date) => date.toISOString().slice(11, 19) === '23:00:00' },
];

const VERSION_GATES: readonly VersionGate[] = [
  { id: 'g1', prefix: '4.15', label: GATE_LABELS.ocp },
  { id: 'g2', prefix: '4.16', label: GATE_LABELS.ocp },
  { id: 'g3', prefix: '4.16', label: GATE_LABELS.sts },
];

/** Fleets with sound labels. The same seed gives the same fleet. */
export function fleets({ maxOrganizations = 1, maxClusters = 8 } = {}): fc.Arbitrary<Fleet> {
  return fc.record({
    organizations: fc
      .integer({ min: 1, max: maxOrganizations })
      .chain((count) =>
        fc.tuple(...Array.from({ length: count }, (_, index) => organizations(`org-${index}` as OrgId, maxClusters))),
      ),
    gates: fc.subarray([...VERSION_GATES]),
  });
}

function organizations(id: OrgId, maxClusters: number): fc.Arbitrary<FleetOrganization> {
  return sectorLabels().chain(({ labels, sectors }) =>
    fc
      .integer({ min: 1, max: maxClusters })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => clusters(`${id}-c${index}`, sectors))))
      .chain((members) =>
        fc.record({
          id: fc.constant(id),
          environment: fc.constant('prod'),
          labels: fc.option(csv(PATTERNS), { nil: undefined }).map((blocked) => ({
            ...labels,
            ...(blocked === undefined ? {} : { [organizationKey('blockedVersions')]: blocked }),
          })),
          clusters: fc.constant(members),
          policies: policiesOf(members),
          agreements: agreementsOf(members),
          ledger: ledgers(),
        }),
      ),
  );
}

interface SectorLabels {
  readonly labels: Labels;
  readonly sectors: readonly string[];
}

function sectorLabels(): fc.Arbitrary<SectorLabels> {
  const perSector = SECTORS.map((sector, index) =>
    fc.record({
      sector: fc.constant(sector),
      dependencies: fc.subarray(SECTORS.slice(0, index)),
      limit: fc.constantFrom(undefined, undefined, '1', '2', '50%'),
    }),
  );
  return fc.tuple(...perSector).map((given) => ({
    sectors: SECTORS,
    labels: Object.fromEntries(
      given.flatMap(({ sector, dependencies, limit }) => [
        [sectorKey('dependencies', sector), dependencies.join()],
        ...(limit === undefined ? [] : [[sectorKey('maxParallelUpgrades', sector), limit]]),
      ]),
    ),
  }));
}

function csv(members: readonly string[]): fc.Arbitrary<string> {
  return fc.subarray([...members], { minLength: 1 }).map((chosen) => chosen.join());
}

function clusters(name: string, sectors: readonly string[]): fc.Arbitrary<FleetCluster> {
  return fc
    .record({
      version: fc.constantFrom(...RELEASES.slice(0, 5)),
      released: fc.subarray([...RELEASES]),
      labels: clusterLabels(sectors),
      hosted: fc.boolean(),
      sts: fc.boolean(),
      lag: fc.boolean(),
      unhealthy: fc.boolean(),
      state: fc.constantFrom('ready', 'ready', 'ready', 'ready', 'hibernating'),
    })
    .map(({ version, released, labels, hosted, lag, unhealthy, ...rest }) => ({
      id: `${name}-id` as FleetCluster['id'],
      uuid: `${name}-uuid` as FleetCluster['uuid'],
      name,
      version,
      availableUpgrades: released.filter((release) => compareVersions(release, version) > 0),
      channel: 'stable-4.14',
      availableChannels: ['stable-4.14', 'stable-4.15'],
      hosted,
      nodePools: hosted ? [{ id: `${name}-pool`, version: lag ? (RELEASES[0] as Version) : version }] : [],
      ...(unhealthy ? { healthFault: 'an alert is firing' } : {}),
      labels,
      ...rest,
    }));
}

function clusterLabels(sectors: readonly string[]): fc.Arbitrary<Labels> {
  const optional = {
    mutexes: csv(MUTEXES),
    sector: fc.constantFrom(...sectors),
    blockedVersions: csv(PATTERNS),
  } as const;
  const required = {
    soakDays: fc.integer({ min: 0, max: 3 }).map(String),
    workloads: csv(WORKLOADS),
    schedule: fc.constantFrom(...SCHEDULES.map(({ text }) => text)),
  } as const;
  return fc
    .record({ ...required, ...optional }, { requiredKeys: ['soakDays', 'workloads', 'schedule'] })
    .map((given) =>
      Object.fromEntries(
        Object.entries(given).map(([name, value]) => [clusterKey(name as keyof typeof given), value as string]),
      ),
    );
}

/** Some clusters are being upgraded already. */
function policiesOf(members: readonly FleetCluster[]): fc.Arbitrary<ScheduledUpgrade[]> {
  return fc.subarray([...members]).chain((busy) =>
    fc.tuple(
      ...busy.map(({ id, hosted, version }) =>
        fc.record({
          kind: fc.constant(hosted ? ('control_plane' as const) : ('cluster' as const)),
          clusterId: fc.constant(id),
          id: fc.constant(`${id}-policy`),
          version: fc.constantFrom(version, ...RELEASES),
          state: fc.constantFrom('pending', 'scheduled', 'started', 'delayed'),
          nextRun: fc.integer({ min: -600, max: 120 }).map((minutes) => later(NOW, minutes * MICROS.minute)),
          ours: fc.boolean(),
        }),
      ),
    ),
  );
}

function agreementsOf(members: readonly FleetCluster[]): fc.Arbitrary<OrgFacts['agreements']> {
  const agreed = fc.subarray(VERSION_GATES.map(({ id }) => id)).map((ids) => new Set(ids));
  return fc
    .tuple(...members.map(({ id }) => agreed.map((ids) => [id, ids] as const)))
    .map((entries) => new Map(entries));
}

/** Histories of a few days under each workload. */
function ledgers(): fc.Arbitrary<Ledger> {
  const soak = fc.integer({ min: 0, max: 5 * MICROS.day }).map((micros) => ({ micros, reporting: new Set<string>() }));
  const workloads = fc.tuple(...WORKLOADS.map((workload) => soak.map((each) => [workload, each] as const)));
  const versions = RELEASES.map((release) => workloads.map((entries) => [release, new Map(entries)] as const));
  return fc.tuple(...versions).map((entries) => ({
    checkIn: later(NOW, -10 * MICROS.minute),
    versions: new Map<string, ReadonlyMap<string, Soak>>(entries),
    sightings: new Map(),
  }));
}

/** What the scheduler would find out about one organization of a fleet. */
export function factsOf(fleet: Fleet, id: OrgId, reading: Reading = STRICT): OrgFacts {
  const organization = fleet.organizations.find((each) => each.id === id);
  if (organization === undefined) throw new Error(`the fleet has no organization ${id}`);
  const network = inheritanceNetwork(
    new Map(
      fleet.organizations.map(({ id: orgId, environment, labels }) => [
        orgId,
        { environment, ...parseOrganizationLabels(labels, reading) },
      ]),
    ),
  );
  const { labels, clusters: members, policies, agreements, ledger } = organization;
  const spec = orgSpecFromLabels({ orgId: id, labels, clusters: members }, network, reading);
  const byId = new Map(fleet.organizations.map((each) => [each.id, each]));
  const inherited = spec.inherit.flatMap(({ environment, orgId }) => {
    const source = byId.get(orgId);
    return source === undefined ? [] : [{ scope: `${environment}/${orgId}`, ledger: source.ledger }];
  });
  return orgFacts(spec, members, { policies, agreements, ledger, inherited, gates: fleet.gates });
}

/** All clusters of an organization, held ones included, each with what is known of its policy. */
export function knownClusters(facts: OrgFacts): readonly (ServedCluster | HeldCluster)[] {
  return [...facts.clusters, ...facts.held];
}
