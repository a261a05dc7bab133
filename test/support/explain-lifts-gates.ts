import type { World } from '../../src/sim/index.ts';
import type { ClusterExplanation, GateExplanation } from '../../src/upgrades/index.ts';
import { finished, isBelow, removeFromList, upgraded } from './explain-lifts-world.ts';
import type { Dice } from './upgrade-simulation-dice.ts';

export const DAY = 24 * 3_600_000;
const SECOND = 1_000;
/** The longest until an agreement counts. */
const AGREED_AFTER = 120 * SECOND;

/** One cluster that waits, in its world. */
export interface Attempt {
  readonly world: World;
  readonly draw: Dice;
  own(): Promise<ClusterExplanation>;
  all(): Promise<ClusterExplanation[]>;
  /** Lets organizations write down what they run, at a moment or now; nothing is upgraded. */
  observe(moment?: Date): Promise<void>;
  /** It runs the version that it waited for. */
  hasReached(): boolean;
  fault(what: string): Error;
}

/** What a lift goes by: what explain said, and for which version. */
interface Told {
  readonly gate: GateExplanation;
  readonly cluster: ClusterExplanation;
  readonly version: string;
}

/** Lifts what a closed gate names, and nothing else; whatever it does not name cannot be lifted. */
export async function lift(
  attempt: Attempt,
  gate: GateExplanation,
  cluster: ClusterExplanation,
  version: string,
): Promise<void> {
  const one = LIFTS[gate.gate];
  if (one === undefined) throw attempt.fault(`nobody knows how to lift ${gate.gate}`);
  await one(attempt, { gate, cluster, version });
}

type Lift = (attempt: Attempt, told: Told) => Promise<void> | void;

/** Groups of a pattern that a reason has to fit. */
function namedIn(attempt: Attempt, { reason, gate }: GateExplanation, pattern: RegExp): readonly string[] {
  const found = pattern.exec(reason);
  if (found === null) throw attempt.fault(`${gate} names nothing to lift: ${reason}`);
  return found.slice(1);
}

/** The moment that a gate names: it is closed one second before, and open then, unless an earlier upgrade ended meanwhile. */
async function awaitNamed(attempt: Attempt, { gate, version }: Told, at: string, observe: boolean): Promise<void> {
  const { world } = attempt;
  const moment = Date.parse(at);
  const go = async (to: number): Promise<boolean> => {
    if (observe) for (let next = world.now().getTime(); next < to; next += DAY) await attempt.observe(new Date(next));
    if (observe) await attempt.observe(new Date(to));
    else world.advanceTo(new Date(to));
    return stateOf(await attempt.own(), gate.gate, version) === 'pass';
  };
  const isEarly = moment - SECOND > world.now().getTime() && (await go(moment - SECOND));
  if (isEarly) throw attempt.fault(`${gate.gate} names ${at}, and is open one second before`);
  const isOpen = (await go(moment)) || attempt.hasReached();
  if (!isOpen) throw attempt.fault(`${gate.gate} names ${at}, and is still closed then`);
}

/** Nothing for a version that the cluster has by now. */
function stateOf({ candidates }: ClusterExplanation, gate: string, version: string): string | undefined {
  const gates = candidates.find((candidate) => candidate.version === version)?.gates;
  return gates?.find((each) => each.gate === gate)?.state;
}

const liftSoak: Lift = async (attempt, told) => {
  const { world, draw } = attempt;
  const { gate, cluster, version } = told;
  const [workload] = namedIn(attempt, gate, /^(\S+) has soaked [\d.]+ of \d+ days$/) as [string];
  if (draw.chance(0.3)) return world.setPolicyLabels(cluster.id, { 'soak-days': '0' });
  if (gate.opens !== undefined && 'at' in gate.opens) {
    /** The pace of now is kept only while no upgrade is under way. */
    if (world.state.policies.size > 0) return world.setPolicyLabels(cluster.id, { 'soak-days': '0' });
    return awaitNamed(attempt, told, gate.opens.at, true);
  }
  const others = (await attempt.all()).filter(
    (other) =>
      other.orgId === cluster.orgId &&
      other.id !== cluster.id &&
      other.candidates.length > 0 &&
      other.policy.workloads?.includes(workload) === true &&
      isBelow(other.version, version),
  );
  if (others.length === 0) return world.setPolicyLabels(cluster.id, { 'soak-days': '0' });
  const pioneer = draw.pick(others);
  upgraded(world, pioneer.id, version, cluster.channel);
  world.setHealth(pioneer.id, 'healthy');
};

/** Nothing but the time that it names. */
async function liftTime(attempt: Attempt, told: Told): Promise<void> {
  const { gate, opens } = told.gate;
  if (opens === undefined || !('at' in opens)) throw attempt.fault(`${gate} does not say when it opens`);
  await awaitNamed(attempt, told, opens.at, false);
}

const LIFTS: Readonly<Record<string, Lift>> = {
  available: ({ world }, { cluster }) => {
    const minor = cluster.channel.split('-').at(-1);
    const patches = world.graph.releases.flatMap(({ version }) =>
      version.startsWith(`${minor}.`) ? [Number(version.split('.')[2])] : [],
    );
    world.releaseVersion(`${minor}.${Math.max(...patches) + 1}`);
  },
  blocked: (attempt, { gate, cluster }) => {
    const [pattern, owner] = namedIn(attempt, gate, /^the block "(.*)" of the (organization|cluster) matches$/) as [
      string,
      string,
    ];
    const { subscriptionId } = attempt.world.cluster(cluster.id);
    if (owner === 'cluster') removeFromList(attempt.world, 'Subscription', subscriptionId, 'blocked-versions', pattern);
    else removeFromList(attempt.world, 'Organization', cluster.orgId, 'blocked-versions', pattern);
  },
  'inherited-floor': async (attempt, { gate, cluster, version }) => {
    if (gate.reason.startsWith('no history yet of ')) return attempt.observe();
    const pattern =
      /^(?:inherited workload (\S+) still has clusters|workload \S+ is not inherited, and some clusters are still) on (\S+)$/;
    const [workload, lowest] = namedIn(attempt, gate, pattern);
    const behind = (await attempt.all()).filter(
      (other) =>
        other.orgId !== cluster.orgId &&
        other.version === lowest &&
        (workload === undefined || (other.policy.workloads ?? [workload]).includes(workload)),
    );
    if (behind.length === 0) throw attempt.fault(`no cluster of others is as inherited-floor says: ${gate.reason}`);
    for (const { id } of behind) upgraded(attempt.world, id, version, cluster.channel);
  },
  sector: (attempt, { gate, cluster, version }) => {
    const [name] = namedIn(attempt, gate, /^sector \S+ still has (\S+) on \S+, with \S+$/) as [string];
    upgraded(attempt.world, name, version, cluster.channel);
  },
  soak: liftSoak,
  'version-gate': ({ world, ...attempt }, { gate, cluster }) => {
    const [minor, labels] = namedIn({ world, ...attempt }, gate, /^not agreed for (\S+): (.+)$/) as [string, string];
    const named = [...world.state.gates.all()].filter(
      ({ versionPrefix, label }) => versionPrefix === minor && labels.split(', ').includes(label),
    );
    for (const { id } of named) world.createAgreement(cluster.id, { version_gate: { id } });
    world.advanceTo(new Date(world.now().getTime() + AGREED_AFTER));
  },
  schedule: liftTime,
  freeze: liftTime,
  mutex: async (attempt, { gate, cluster }) => {
    const pattern =
      /^(?:the cluster (itself) is being upgraded|mutex \S+ is held by ([^\s,]+)(?:, which is .+)?|sector .+ \((.+)\), .+)$/;
    const [itself, holder, several] = namedIn(attempt, gate, pattern);
    const name = itself === undefined ? (holder ?? several?.split(', ')[0] ?? '') : cluster.name;
    const planned = (await attempt.all()).find((other) => other.name === name);
    const version = planned?.action.startsWith('upgrade') ? planned.to : undefined;
    if (!finished(attempt.world, name, version)) throw attempt.fault(`${name} is not upgraded, but: ${gate.reason}`);
  },
  busy: (attempt, { gate, cluster }) => {
    if (!finished(attempt.world, cluster.id)) throw attempt.fault(`it has no policy, but: ${gate.reason}`);
  },
  health: (attempt, { gate, cluster }) => {
    namedIn(attempt, gate, /(unhealthy)/);
    attempt.world.setHealth(cluster.id, 'healthy');
  },
  policy: (attempt, { gate, cluster }) => {
    for (const key of keysIn(attempt, gate)) attempt.world.setPolicyLabels(cluster.id, { [key]: RIGHT[key] ?? null });
  },
  organization: (attempt, { gate, cluster }) => {
    for (const key of keysIn(attempt, gate)) {
      const value = key.startsWith('sector-deps.') ? '' : null;
      attempt.world.setLabel({ type: 'Organization', id: cluster.orgId }, `sre-capabilities.aus.${key}`, value);
    }
  },
};

/** What may stand in labels that must be there. */
const RIGHT: Readonly<Record<string, string>> = { 'soak-days': '0', schedule: '* * * * *', workloads: 'wl-a' };

/** Labels that a reason names. */
function keysIn(attempt: Attempt, { gate, reason }: GateExplanation): string[] {
  const keys = [...reason.matchAll(/sre-capabilities\.aus\.([\w.-]+)/g)].flatMap(([, key]) => (key ? [key] : []));
  if (keys.length === 0) throw attempt.fault(`${gate} names no label: ${reason}`);
  return keys;
}
