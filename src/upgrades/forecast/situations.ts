import type { Context } from '../engine/context.ts';
import { laggingPool, offeredChannel, type ServedCluster } from '../engine/facts.ts';
import type { CandidateKind, ClusterGate, UpgradeGate, UpgradeGates, UpgradeVerdict } from '../engine/gate.ts';
import type { Rules } from '../engine/rules.ts';
import { isVersion, minorOf, type Version } from '../engine/versions.ts';
import type { UpgradePolicy } from '../policies/org-spec.ts';
import type { Clock } from './clocks.ts';
import type { Outcomes } from './outcomes.ts';
import type { Kind, RequirementKinds } from './requirement-kinds.ts';
import type { Seat } from './seat.ts';
import { DIGIT, digitOf, hasFault } from './verdict-digits.ts';
import { isClusterGate, type WatchedGates } from './watched-gates.ts';

interface SituationParts {
  readonly gates: UpgradeGates;
  readonly rules: Rules;
  readonly watched: WatchedGates;
  readonly context: Context;
  readonly kinds: RequirementKinds;
  readonly clocks: readonly Clock[];
  readonly outcomes: Outcomes;
}

/** What any gate can judge. */
type Subject = Pick<Seat<ServedCluster>, 'cluster' | 'member'> & {
  readonly policy: UpgradePolicy;
  readonly version: Version;
};

/** Versions that clusters are offered. */
interface List {
  readonly number: number;
  /** Those of which gates may say something else than of the others; undefined where one is not a version. */
  readonly judged: readonly Version[] | undefined;
}

/** What is known of a cluster, as long as neither it nor its upgrades change. */
interface Known {
  readonly kind: Kind | undefined;
  readonly clock: Clock | undefined;
  cluster: ServedCluster | undefined;
  runs: Seat['runs'];
  content: number | undefined;
  /** Of what its kind requires, when it was numbered. */
  revision: number;
  number: number | undefined;
}

/**
 * Numbers the situations of clusters. In the same situation every gate says the same, open or closed, and everything else that
 * a decision is made of is the same; so is what it comes to, whichever cluster it is. Where a gate cannot be evaluated there is none.
 */
export class Situations {
  readonly #parts: SituationParts;
  readonly #clocks = new Map<Seat, Clock>();
  readonly #known = new Map<Seat, Known>();
  /** Depend on nothing but the cluster and its upgrades. */
  readonly #ofCluster: readonly ClusterGate[];
  readonly #ofCandidate: readonly UpgradeGate[];
  /** Whether those say the same about all versions of a minor. */
  readonly #isByMinor: boolean;
  readonly #ofPool: readonly UpgradeGate[];
  /** Depend on nothing but what clusters of a kind require. */
  readonly #ofKind: readonly UpgradeGate[];
  /** For each kind, what it requires of versions; the digits of the gates that never say something else. */
  readonly #constant = new Map<Kind, Map<Version, number>>();
  readonly #lists = new Map<readonly string[], List>();
  readonly #windows: number;

  constructor(parts: SituationParts) {
    const { gates, rules, watched, clocks } = parts;
    this.#parts = parts;
    for (const clock of clocks) for (const seat of clock.seats) this.#clocks.set(seat, clock);
    const rows = [...gates.values()];
    const ofVersions = rows.filter((row) => !isClusterGate(row));
    const judges = (kind: CandidateKind) => (row: UpgradeGate) => row.concerns?.(kind, rules) ?? true;
    const isShared = (row: UpgradeGate): boolean => 'shared' in row && row.shared === true;
    this.#ofCluster = rows
      .filter(isClusterGate)
      .filter((row) => !watched.window.includes(row) && !watched.room.includes(row));
    this.#ofCandidate = ofVersions.filter((row) => judges('version')(row) && !isShared(row));
    this.#isByMinor = this.#ofCandidate.every(({ byMinor }) => byMinor === true);
    this.#ofKind = ofVersions.filter((row) => judges('version')(row) && isShared(row) && !watched.shared.includes(row));
    this.#ofPool = ofVersions.filter(judges('node-pool'));
    this.#windows = DIGIT ** watched.window.length;
  }

  /** Of a cluster whose mutexes say this. */
  of(seat: Seat<ServedCluster>, room: readonly UpgradeVerdict[]): number | undefined {
    const known = this.#knownOf(seat);
    const { kind, clock } = known;
    if (kind === undefined || clock === undefined || hasFault(clock.open)) return undefined;
    const number = this.#numberOf(seat, known, kind);
    if (number === undefined) return undefined;
    let situation = number * this.#windows + clock.open;
    for (const verdict of room) {
      if (verdict.fault !== undefined) return undefined;
      situation = situation * DIGIT + digitOf(verdict);
    }
    return Number.isSafeInteger(situation) ? situation : undefined;
  }

  #numberOf(seat: Seat<ServedCluster>, known: Known, kind: Kind): number | undefined {
    const { cluster, runs } = seat;
    if (known.cluster !== cluster || known.runs !== runs) {
      known.content = this.#contentOf(seat);
      known.cluster = cluster;
      known.runs = runs;
      known.revision = -1;
    }
    if (known.revision !== kind.revision) {
      known.number = this.#joined(known.content, cluster, kind);
      known.revision = kind.revision;
    }
    return known.number;
  }

  #knownOf(seat: Seat): Known {
    const known = this.#known.get(seat);
    if (known !== undefined) return known;
    const [kind, clock] = [this.#parts.kinds.of(seat), this.#clocks.get(seat)];
    const unknown = { kind, clock, cluster: undefined, runs: [], content: undefined, revision: -1, number: undefined };
    this.#known.set(seat, unknown);
    return unknown;
  }

  #joined(content: number | undefined, cluster: ServedCluster, kind: Kind): number | undefined {
    if (content === undefined) return undefined;
    const required = this.#requiredOf(kind, cluster.availableUpgrades as readonly Version[]);
    return required === undefined ? undefined : this.#parts.outcomes.numberOf(`${content} ${required}`);
  }

  /** The cluster as decisions see it, as a number. */
  #contentOf({ cluster, member }: Seat<ServedCluster>): number | undefined {
    const { version, availableUpgrades, hosted, policy } = cluster;
    const [pool, channel] = [laggingPool(cluster), offeredChannel(cluster)];
    if (pool !== undefined && this.#ofPool.some(({ influences }) => influences?.length !== 0)) return undefined;
    const digitsOf = (rows: readonly UpgradeGate[], judged: Version): number =>
      this.#digitsOf(rows, { cluster, member, policy, version: judged });
    const own = digitsOf(this.#ofCluster, version);
    const ofPool = pool === undefined ? 0 : digitsOf(this.#ofPool, version);
    if (hasFault(own) || hasFault(ofPool)) return undefined;
    const offered = this.#offeredOf(availableUpgrades, digitsOf);
    if (offered === undefined) return undefined;
    let text = `${version} ${hosted} ${own} ${ofPool} ${offered}`;
    if (pool !== undefined || channel !== undefined) text += JSON.stringify([pool?.id, channel]);
    return this.#parts.outcomes.numberOf(text);
  }

  /** What candidates are, and what their gates say; undefined when something cannot be evaluated. */
  #offeredOf(
    versions: readonly string[],
    digitsOf: (rows: readonly UpgradeGate[], judged: Version) => number,
  ): string | undefined {
    const { number, judged } = this.#listOf(versions);
    let text = String(number);
    for (const version of judged ?? []) {
      const digits = digitsOf(this.#ofCandidate, version);
      if (hasFault(digits)) return undefined;
      text += ` ${digits}`;
    }
    return judged === undefined ? undefined : text;
  }

  /** Many clusters are offered the same list. */
  #listOf(versions: readonly string[]): List {
    const known = this.#lists.get(versions) ?? {
      number: this.#parts.outcomes.numberOf(versions.join(' ')),
      judged: versions.every(isVersion) ? this.#judgedOf(versions) : undefined,
    };
    this.#lists.set(versions, known);
    return known;
  }

  #judgedOf(versions: readonly Version[]): readonly Version[] {
    return this.#isByMinor ? [...new Map(versions.map((version) => [minorOf(version), version])).values()] : versions;
  }

  #digitsOf(rows: readonly UpgradeGate[], subject: Subject): number {
    let digits = 0;
    for (const row of rows) digits = digits * DIGIT + digitOf(row.judge(subject, this.#parts.context));
    return digits;
  }

  /** What clusters of a kind require of these versions, as a number; undefined before all of them were judged. */
  #requiredOf(kind: Kind, versions: readonly Version[]): number | undefined {
    const known = kind.required.get(versions);
    if (known !== undefined) return known;
    const texts: string[] = [];
    for (const version of versions) {
      const open = kind.open.get(version);
      if (open === undefined || hasFault(open)) return undefined;
      const digits = this.#constantOf(kind, version);
      if (hasFault(digits)) return undefined;
      texts.push(`${open}.${digits}`);
    }
    const number = this.#parts.outcomes.numberOf(texts.join());
    kind.required.set(versions, number);
    return number;
  }

  #constantOf(kind: Kind, version: Version): number {
    const ofKind = this.#constant.get(kind) ?? new Map<Version, number>();
    this.#constant.set(kind, ofKind);
    const known = ofKind.get(version);
    const [seat] = kind.seats;
    if (known !== undefined || seat === undefined) return known ?? 0;
    const { cluster, member } = seat;
    const digits = this.#digitsOf(this.#ofKind, { cluster, member, policy: cluster.policy, version });
    ofKind.set(version, digits);
    return digits;
  }
}
