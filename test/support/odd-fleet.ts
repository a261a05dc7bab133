import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../src/base/index.ts';
import { gateList, type Instant, instantOf, later, MICROS, pass, secondText, wait } from '../../src/gates/index.ts';
import type { OrgId } from '../../src/instance/index.ts';
import type { Context } from '../../src/upgrades/engine/context.ts';
import { UPGRADE_GATES } from '../../src/upgrades/engine/decide.ts';
import type {
  ClusterState,
  HeldCluster,
  OrgFacts,
  ScheduledUpgrade,
  ServedCluster,
} from '../../src/upgrades/engine/facts.ts';
import type { UpgradeGate, UpgradeGates } from '../../src/upgrades/engine/gate.ts';
import { DEFAULT_RULES, QONTRACT_RULES, RULE_NAMES, type Rules, rulesWith } from '../../src/upgrades/engine/rules.ts';
import type { InheritedLedger } from '../../src/upgrades/engine/soak.ts';
import { EMPTY_LEDGER, type Ledger } from '../../src/upgrades/engine/soak.ts';
import type { Version } from '../../src/upgrades/engine/versions.ts';
import { DEFAULT_DURATIONS, type Durations } from '../../src/upgrades/forecast/assumptions.ts';
import { type ForecastOptions, forecast } from '../../src/upgrades/forecast/forecast.ts';
import type { Release } from '../../src/upgrades/forecast/offers.ts';
import { forecastDocument } from '../../src/upgrades/forecast/text.ts';
import { GATE_LABELS } from '../../src/upgrades/policies/fields.ts';
import type { ClusterId, ClusterUuid, UpgradePolicy } from '../../src/upgrades/policies/org-spec.ts';
import type { PlannedOrganization } from '../../src/upgrades/scheduler/plan-organization.ts';
import { steppingForecast } from './stepping-forecast.ts';
import { type Dice, dice } from './upgrade-simulation-dice.ts';

/** Fleets for a forecast that have everything that a user can come to, and more of it than any user has. */
export interface OddFleet {
  readonly organizations: readonly PlannedOrganization[];
  readonly options: ForecastOptions;
}

const START = instantOf(Date.parse('2026-03-02T09:57:30Z'));
const VERSIONS = ['4.14.0', '4.14.1', '4.14.1+b2', '4.14.2-rc.1', '4.14.2', '4.14.3', '4.15.0', '4.15.1', '4.16.0'];
const WORKLOADS = ['a', 'b', 'c'];
const SECTORS = ['dev', 'stage', 'prod'];
const SCHEDULES = [
  '* * * * *',
  '* * * * *',
  '* * * * *',
  '* * * * *',
  '*/20 * * * *',
  '0 */3 * * *',
  '30 13 * * *',
  '0 11-16 * * *',
  '17 4 * * 1-5',
  '0 22 * * 2,4',
  '5 12 3 3 *',
];
/** Windows of one day or two in a week. */
const WEEKLY = ['0 11-20 * * 1', '30 9 * * 2', '0 6-18 * * 1,3', '0 22 * * 4'];
/** Windows of every day: hours of it, or all day long. */
const DAILY = ['0 11-20 * * *', '30 13 * * *', '0 6-18/4 * * *', '0 * * * *', '0 * * * 1-3'];
const CRONITER = ['*/5 10-14 2 3 * 0 2026', '@daily', 'soon'];
const BLOCKS = ['rc', '^4\\.14\\.3$', '4.15', '4.16', '['];
const PASSES = 260;

/** The same for the same seed. */
export function oddFleet(seed: number, passes = PASSES): OddFleet {
  const draw = dice(seed, 'odd fleet');
  const rules = drawRules(draw);
  const hasAll = draw.chance(0.4);
  const every = draw.pick(hasAll ? [30, 60, 120, 240] : [7, 10, 10, 30, 60, 120]) * MICROS.minute;
  const days = (passes * every * draw.pick([1, 1, 0.3])) / MICROS.day;
  const span = days * MICROS.day;
  const moment = (): Instant => later(START, Math.round((draw.int(-20, 110) / 100) * span));
  const gates = drawGates(draw, every);
  const count = draw.pick(hasAll ? [2, 3] : [1, 1, 2, 2, 3]);
  const ids = Array.from({ length: count }, (_, index) => `org-${index + 1}` as OrgId);
  const drawn = { draw, rules, every, span, moment, gates, ids };
  const parts: Parts = { ...drawn, ...(hasAll ? { policies: drawSharedPolicies(drawn) } : {}) };
  return {
    organizations: ids.map((orgId) => drawOrganization(orgId, parts)),
    options: {
      ...{ from: START, days, every, rules, durations: drawDurations(draw) },
      ...defined({ releases: hasAll || draw.chance(0.4) ? drawReleases(parts) : undefined }),
    },
  };
}

interface Parts {
  readonly draw: Dice;
  readonly rules: Rules;
  readonly every: number;
  readonly span: number;
  readonly moment: () => Instant;
  readonly gates: UpgradeGates;
  readonly ids: readonly OrgId[];
  /** Everything that makes decisions depend on each other comes together; all clusters have one of these policies. */
  readonly policies?: readonly UpgradePolicy[];
}

/** Few and much alike, so that clusters come to the same situation: weekly or daily windows, sectors, soak, and mutexes across sectors. */
function drawSharedPolicies(parts: Parts): UpgradePolicy[] {
  const { draw } = parts;
  const isDaily = draw.chance(0.5);
  const [schedules, mutexes] = isDaily ? [DAILY, [['m1'], ['m2'], ['m1', 'm2']]] : [WEEKLY, [['m1']]];
  return Array.from({ length: draw.int(2, 4) }, () => ({
    ...drawPolicy(parts),
    ...{ schedule: draw.pick(schedules), mutexes: draw.pick(mutexes), sector: draw.pick(SECTORS.slice(0, 2)) },
    ...{ soakDays: draw.pick([0, 0.25]), workloads: draw.pick([['a'], ['a'], ['a', 'b']]) },
    blockedVersions: draw.chance(0.5) ? [draw.pick(['^4\\.14\\.1$', '^4\\.14\\.3$', '4.15'])] : [],
  }));
}

function drawRules(draw: Dice): Rules {
  const drawn = draw.chance(0.5)
    ? DEFAULT_RULES
    : draw.pick([QONTRACT_RULES, rulesWith(RULE_NAMES.filter(() => draw.chance(0.7)))]);
  return { ...drawn, maxCreditedInterval: draw.pick([10 * MICROS.minute, MICROS.hour, 6 * MICROS.hour]) };
}

/** Sometimes one more, which does not say what it depends on. */
function drawGates(draw: Dice, every: number): UpgradeGates {
  if (draw.chance(0.95)) return UPGRADE_GATES;
  const stage = draw.pick(['fit', 'window', 'room', 'version', 'consent'] as const);
  const added: UpgradeGate = {
    name: 'added',
    stage,
    judge: (_: unknown, { now }: Pick<Context, 'now'>) =>
      Math.floor(now / every) % 5 < 3 ? pass('added', 'it is time') : wait('added', `not at ${secondText(now)}`),
    opens: () => 'it is time',
  };
  return gateList([...UPGRADE_GATES.values(), added]);
}

function drawDurations(draw: Dice): Durations {
  if (draw.chance(0.5)) return DEFAULT_DURATIONS;
  const minutes = (most: number): number => draw.int(1, most) * MICROS.minute;
  return { cluster: minutes(240), control_plane: minutes(60), node_pool: minutes(90), lingering: minutes(100) };
}

function drawReleases({ draw, moment }: Parts): Release[] {
  return Array.from({ length: draw.int(1, 4) }, () => ({
    version: draw.pick(['4.14.4', '4.14.5', '4.15.2', '4.16.1']) as Version,
    at: moment(),
    ...defined({ channels: draw.pick([undefined, ['stable'], ['candidate-4.14', 'stable-4.15']]) }),
  }));
}

function drawOrganization(orgId: OrgId, parts: Parts): PlannedOrganization {
  const { draw, gates, policies } = parts;
  const { clusters, held } = drawClusters(orgId, parts);
  const all: ClusterState[] = [...clusters, ...held];
  const inherit = drawInheritance(orgId, parts);
  const facts: OrgFacts = {
    blockedVersions: drawBlocks(draw, policies === undefined ? 0.15 : 0.5),
    freezes: drawFreezes(parts, 0.15),
    sectors: drawSectors(draw),
    ...{ clusters, held },
    problems: draw.chance(0.04) ? [drawProblem(draw, all)] : [],
    policies: all.flatMap((cluster) => drawUpgrades(cluster, parts)),
    gates: draw.some(
      [
        { id: 'g15', prefix: '4.15', label: GATE_LABELS.ocp },
        { id: 'g15s', prefix: '4.15', label: GATE_LABELS.sts },
        { id: 'g16', prefix: '4.16', label: GATE_LABELS.ocp },
      ],
      draw.int(0, 3),
    ),
    agreements: new Map(
      all.filter(() => draw.chance(0.5)).map(({ id }) => [id, new Set(draw.some(['g15', 'g15s', 'g16'], 2))]),
    ),
    ledger: drawLedger(all, parts),
    inherited: inherit.map(
      ({ environment, orgId: id }): InheritedLedger => ({
        scope: `${environment}/${id}`,
        ...defined({ ledger: draw.chance(0.7) ? drawLedger(all, parts) : undefined }),
      }),
    ),
  };
  return plannedOrganization(orgId, facts, { gates, inherit });
}

/** As the scheduler would hand it to a forecast. */
export function plannedOrganization(
  orgId: OrgId,
  facts: OrgFacts,
  {
    gates = UPGRADE_GATES,
    inherit = [],
  }: { gates?: UpgradeGates; inherit?: PlannedOrganization['spec']['inherit'] } = {},
): PlannedOrganization {
  const { blockedVersions, freezes, sectors, problems } = facts;
  const spec = { orgId, blockedVersions, freezes, sectors, problems, inherit, clusters: [] };
  const planned: Partial<PlannedOrganization> = {
    ...{ environment: 'sim', orgId, name: orgId, decidedAt: START, dialect: 'five-fields', spec, facts },
    decision: {
      ...{ plan: [], verdicts: [], gates, missingGates: [], remainingSoak: new Map(), ledger: facts.ledger },
    },
    ...{ notices: [], faults: [], clusters: [] },
  };
  return planned as PlannedOrganization;
}

function drawClusters(orgId: OrgId, parts: Parts): Pick<OrgFacts, 'clusters' | 'held'> {
  const { draw, policies } = parts;
  const clusters: ServedCluster[] = [];
  const held: HeldCluster[] = [];
  const size = draw.int(policies === undefined ? 1 : 5, 9);
  const crowding = draw.chance(0.4) ? ['m1'] : undefined;
  for (let nth = 0; nth < size; nth += 1) {
    const state = drawState(`${orgId}-${nth}`, nth, parts);
    const policy = policies ? draw.pick(policies) : { ...drawPolicy(parts), ...defined({ mutexes: crowding }) };
    if (state.state === 'ready' && draw.chance(0.93)) clusters.push({ ...state, policy });
    else
      held.push({ ...state, known: draw.chance(0.5) ? policy : drawKnown(policy, draw), held: `it is ${state.state}` });
  }
  return { clusters, held };
}

/** With shared policies all but the first organization use the history of the first. */
function drawInheritance(orgId: OrgId, { draw, ids, policies }: Parts): PlannedOrganization['spec']['inherit'] {
  const isSource = (id: OrgId): boolean => policies !== undefined && id === ids[0] && id !== orgId;
  return ids
    .concat(draw.chance(0.2) ? ['org-9' as OrgId] : [])
    .filter((id) => isSource(id) || draw.chance(0.2))
    .map((id) => ({ environment: 'sim', orgId: id }));
}

function drawState(name: string, nth: number, { draw, policies }: Parts): ClusterState {
  const at = policies === undefined ? draw.int(0, 4) : draw.int(0, 1);
  const version = VERSIONS[at] as Version;
  const hosted = draw.chance(policies === undefined ? 0.35 : 0.6);
  const group = policies === undefined ? draw.pick(['stable', 'stable', 'candidate', 'eus']) : 'stable';
  const offered = VERSIONS.slice(at + 1).filter(
    (each) => draw.chance(policies === undefined ? 0.6 : 0.95) && !each.startsWith('4.16'),
  );
  return {
    id: `${name}-id` as ClusterId,
    uuid: (draw.chance(0.03) ? 'twin' : `${name}-uuid`) as ClusterUuid,
    name: draw.chance(0.05) ? 'namesake' : name,
    version,
    availableUpgrades: [...draw.shuffled(offered), ...(draw.chance(0.03) ? ['latest'] : [])],
    channel: draw.chance(0.9) ? `${group}-4.14` : group,
    availableChannels: draw.chance(0.4) ? [`${group}-4.14`, `${group}-4.15`, `${group}-4.16`] : [],
    hosted,
    sts: draw.chance(0.5),
    nodePools: hosted
      ? Array.from({ length: draw.int(0, 2) }, (_, pool) => ({
          id: `np${pool}`,
          version: (draw.chance(0.4) ? '4.14.0' : version) as Version,
        }))
      : [],
    state: nth > 0 && draw.chance(0.06) ? 'hibernating' : 'ready',
    ...defined({ healthFault: draw.chance(0.08) ? 'an operator is degraded' : undefined }),
  };
}

function drawPolicy(parts: Parts): UpgradePolicy {
  const { draw, rules } = parts;
  const schedules = rules.strictPolicies ? SCHEDULES : [...SCHEDULES, ...CRONITER];
  const workloads = draw.some(WORKLOADS, draw.pick([1, 1, 2]));
  return {
    soakDays: draw.pick([0, 0, 0, 0, 1, 0.25, 0.05]),
    workloads: !rules.strictPolicies && draw.chance(0.1) ? [...workloads, ...workloads] : workloads,
    schedule: draw.pick(schedules),
    ...defined({
      mutexes: draw.chance(0.5) ? draw.some(['m1', 'm2', 'm3'], draw.pick([1, 1, 2])) : undefined,
      sector: draw.chance(0.5) ? draw.pick(SECTORS) : undefined,
      blockedVersions: draw.chance(0.1) ? drawBlocks(draw, 1) : undefined,
      freezes: draw.chance(0.15) ? drawFreezes(parts, 1) : undefined,
    }),
  };
}

function drawKnown(policy: UpgradePolicy, draw: Dice): Partial<UpgradePolicy> {
  const names = draw.some(Object.keys(policy) as (keyof UpgradePolicy)[], 3);
  return Object.fromEntries(names.map((name) => [name, policy[name]]));
}

function drawBlocks(draw: Dice, probability: number): string[] {
  return draw.chance(probability) ? draw.some(draw.chance(0.06) ? BLOCKS : BLOCKS.slice(0, -1), draw.int(1, 2)) : [];
}

function drawFreezes({ draw, moment, span }: Parts, probability: number): string[] {
  if (!draw.chance(probability)) return [];
  if (draw.chance(0.04)) return ['never'];
  return Array.from({ length: draw.int(1, 3) }, () => {
    const from = moment();
    const until = later(from, Math.ceil(span / draw.int(4, 80)));
    return `${secondText(from)}/${secondText(later(until, MICROS.second))}${draw.chance(0.5) ? '=quarter end' : ''}`;
  });
}

function drawSectors(draw: Dice): OrgFacts['sectors'] {
  return SECTORS.map((name, index) => ({
    name,
    dependencies: draw.some(SECTORS.slice(0, index), draw.int(0, index)),
    ...defined({
      maxParallelUpgrades: draw.pick([undefined, undefined, '1', '2', '50%', draw.chance(0.1) ? 'many' : '1']),
    }),
  }));
}

function drawProblem(draw: Dice, [cluster]: readonly ClusterState[]): OrgFacts['problems'][number] {
  const scope =
    draw.chance(0.5) || cluster === undefined
      ? { kind: 'organization' as const }
      : { kind: 'cluster' as const, cluster };
  return { scope, severity: draw.pick(['error', 'error', 'warning']), key: 'label', message: 'is odd', hint: 'fix it' };
}

const STATES = ['scheduled', 'pending', 'started', 'delayed', 'completed', 'failed', 'cancelled'];

function drawUpgrades({ id, hosted, nodePools }: ClusterState, { draw, moment }: Parts): ScheduledUpgrade[] {
  if (!draw.chance(0.15)) return [];
  return Array.from({ length: draw.chance(0.15) ? 2 : 1 }, (_, nth) => {
    const pool = hosted && draw.chance(0.4) ? nodePools[0]?.id : undefined;
    return {
      kind: pool === undefined ? (hosted ? 'control_plane' : 'cluster') : 'node_pool',
      clusterId: id,
      id: `${id}-policy-${nth}`,
      version: draw.chance(0.05) ? 'latest' : draw.pick(VERSIONS),
      state: draw.pick(STATES),
      ours: draw.chance(0.7),
      ...defined({ nextRun: draw.chance(0.9) ? moment() : undefined, nodePool: pool }),
    };
  });
}

function drawLedger(clusters: readonly ClusterState[], { draw, every }: Parts): Ledger {
  if (draw.chance(0.3)) return EMPTY_LEDGER;
  const ahead = draw.pick([-every, -every / 2, -every * 30, -every * 30, 0, every / 3, every * 2.5, every * 11]);
  const entry = () => ({
    micros: Math.round((draw.int(0, 300) / 100) * MICROS.day),
    reporting: new Set(draw.some(clusters, 2).flatMap(({ name, uuid }) => [name, uuid])),
  });
  const versions = draw
    .some(VERSIONS, draw.int(1, 5))
    .map((version) => [version, new Map(draw.some(WORKLOADS, 2).map((workload) => [workload, entry()]))] as const);
  const sightings = clusters
    .filter(() => draw.chance(0.7))
    .map(({ uuid, version }) => {
      const seen = draw.chance(0.8) ? version : (draw.pick(VERSIONS) as Version);
      return [uuid, { version: seen, workloads: draw.some(WORKLOADS, 2) }] as const;
    });
  const checkIn = later(START, Math.round(ahead));
  const behind =
    ahead > 0 && draw.chance(0.5) ? { at: later(START, -every), micros: draw.int(0, 24) * MICROS.hour } : undefined;
  const all = draw.pick(VERSIONS) as Version;
  return {
    ...{ checkIn, versions: new Map(versions), sightings: new Map(sightings) },
    ...defined({
      behind,
      minima: draw.chance(0.7)
        ? { all, perWorkload: new Map(draw.some(WORKLOADS, 2).map((each) => [each, all])) }
        : undefined,
    }),
  };
}

/** How the forecast of a fleet differs from the one that goes pass by pass; undefined when it does not. */
export function differenceToStepping(seed: number, passes?: number): { expected: object; given: object } | undefined {
  const { organizations, options } = oddFleet(seed, passes);
  const expected = forecastDocument({ forecast: steppingForecast(organizations, options) });
  const given = forecastDocument({ forecast: forecast(organizations, options) });
  return isDeepStrictEqual(expected, given) ? undefined : { expected, given };
}
