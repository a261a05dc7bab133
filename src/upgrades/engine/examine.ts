import { defined } from '../../base/index.ts';
import type { ServedCluster } from './facts.ts';
import type { Member } from './members.ts';
import { laggingPool } from './node-pools.ts';
import type { Panel } from './panel.ts';
import type { Candidate } from './plan.ts';
import type { CandidateKind, ClusterSubject, UpgradeVerdict } from './upgrade-gate.ts';
import { compareVersions, isVersion, type Version } from './versions.ts';

/** Every verdict on a cluster, at its turn: mutexes are as earlier clusters left them. */
export interface Examined extends ClusterSubject {
  /** Of the gates that do not depend on the version: those for its versions, and those for its node pools. */
  readonly own: readonly UpgradeVerdict[];
  readonly ofPools: readonly UpgradeVerdict[];
  readonly pool?: Candidate & { readonly nodePool: string };
  /** From the highest version to the lowest; text that is not a version comes last. */
  readonly candidates: readonly Candidate[];
}

/** Evaluates all gates. Every decision and report about the cluster is read from these verdicts. */
export function examine(cluster: ServedCluster, member: Member, panel: Panel): Examined {
  const subject = { cluster, member };
  const own = panel.ofCluster(subject);
  const judged = (kind: CandidateKind, versions: readonly Version[]): Candidate[] => {
    if (versions.length === 0) return [];
    const judge = panel.judgeOf(kind, subject, own);
    return versions.map((version) => ({ version, verdicts: judge(version) }));
  };
  const { versions: offered, others } = sorted(cluster.availableUpgrades);
  const versions = judged('version', offered);
  const lagging = laggingPool(cluster);
  const [candidate] = lagging === undefined ? [] : judged('node-pool', [cluster.version]);
  const pool = lagging && candidate && { ...candidate, nodePool: lagging.id };
  const ownOf = (kind: CandidateKind): UpgradeVerdict[] => panel.of(kind).flatMap((gate) => own.get(gate) ?? []);
  return {
    ...{ cluster, member, own: ownOf('version'), ofPools: ownOf('node-pool') },
    candidates: others.length === 0 ? versions : [...versions, ...judged('text', others)],
    ...defined({ pool }),
  };
}

interface Offers {
  readonly versions: readonly Version[];
  /** Not valid versions. */
  readonly others: readonly Version[];
}

/** A forecast examines the same offers many times. */
const SORTED = new WeakMap<readonly string[], Offers>();

function sorted(offers: readonly string[]): Offers {
  const known = SORTED.get(offers);
  if (known !== undefined) return known;
  const versions = offers.filter(isVersion).sort(highestFirst);
  const others = versions.length === offers.length ? [] : offers.filter((offer) => !isVersion(offer));
  const result: Offers = { versions, others: others as Version[] };
  SORTED.set(offers, result);
  return result;
}

function highestFirst(a: Version, b: Version): number {
  return compareVersions(b, a);
}
