import { byText } from '../../base/index.ts';
import { broken, MICROS, pass, secondTextAfter, soakedBy, soakOf, wait } from '../../gates/index.ts';
import { findBlock } from '../policies/fields.ts';
import { applicableGates, type Context, type PassContext } from './context.ts';
import type { ServedCluster } from './facts.ts';
import {
  type CandidateGate,
  poolsBySchedule,
  type Requirements,
  type SharedGate,
  type UpgradeVerdict,
  versionsOnly,
} from './gate.ts';
import { clockDoubt, type Minima } from './soak.ts';
import { compareVersions, isVersion, minorOf, type Version } from './versions.ts';

const OFFERED = pass('available', 'OCM offers it');

/** Only what OCM offers is a candidate, and it must be a valid version. */
export function availableGate(candidate: string): UpgradeVerdict {
  return isVersion(candidate)
    ? OFFERED
    : broken('available', 'cluster', `OCM offers ${JSON.stringify(candidate)}, which is not a semantic version`);
}

/** What a cluster waits for when OCM offers it nothing. */
export const NOTHING_OFFERED = 'available';

export const availableRow: SharedGate = {
  name: 'available',
  awaited: 'for a valid version',
  stage: 'version',
  influences: [],
  shared: true,
  concerns: (kind) => kind !== 'node-pool',
  judge: ({ version }) => availableGate(version),
  opens: () => 'OCM offers a valid version instead',
};

const NOT_BLOCKED = pass('blocked', 'no block matches');

/** A version may be taken only if no block pattern of the organization or the cluster matches it. */
export function blockedGate(
  policy: Pick<Requirements, 'blockedVersions'>,
  version: string,
  context: { readonly facts: Pick<PassContext['facts'], 'blockedVersions'> },
): UpgradeVerdict {
  return (
    ownerBlocks('organization', context.facts.blockedVersions, version) ??
    ownerBlocks('cluster', policy.blockedVersions ?? [], version) ??
    NOT_BLOCKED
  );
}

function ownerBlocks(
  owner: 'organization' | 'cluster',
  patterns: readonly string[],
  version: string,
): UpgradeVerdict | undefined {
  const block = findBlock(patterns, version);
  if (block === undefined) return undefined;
  const subject = `block ${quoted(block.pattern)} of the ${owner}`;
  return 'fault' in block
    ? broken('blocked', owner, `the ${subject} is not a valid pattern: ${block.fault}`)
    : wait('blocked', `the ${subject} matches`, { waitsOn: subject });
}

/** As written, so that it can be copied; escaped only where it would be ambiguous. */
function quoted(pattern: string): string {
  return /["\p{Cc}]/u.test(pattern) ? JSON.stringify(pattern) : `"${pattern}"`;
}

export const blockedRow: SharedGate = {
  name: 'blocked',
  awaited: 'for a block to be removed',
  stage: 'version',
  influences: [],
  shared: true,
  concerns: poolsBySchedule,
  faultsFirst: true,
  bars: true,
  judge: ({ policy, version }, context) => blockedGate(policy, version, context),
  opens: ({ fault, waitsOn = 'block' }) =>
    fault === undefined ? `the ${waitsOn} is removed` : 'that pattern is fixed',
};

const NOTHING_INHERITED = pass('inherited-floor', 'no history is inherited');
const NO_FLOOR = pass('inherited-floor', 'the cluster has no sector');
const ABOVE_FLOOR = pass('inherited-floor', 'every organization that history is inherited from runs it or a later one');

/**
 * A version may be taken only after every organization that history is inherited from has reached it: per workload, or
 * with all of its clusters when it does not run one of the workloads. One that was never observed has reached nothing.
 */
export function inheritedFloorGate(
  policy: Requirements,
  version: Version,
  { soak, rules }: PassContext,
): UpgradeVerdict {
  const { inheritedMinima: minima, unobservedSources: unobserved = [] } = soak;
  if (minima === undefined && unobserved.length === 0) return NOTHING_INHERITED;
  if (!policy.sector && !rules.floorWithoutSector) return NO_FLOOR;
  if (unobserved.length > 0 && rules.floorNeedsHistory) return notObserved(unobserved);
  if (minima === undefined) return NOTHING_INHERITED;
  const unknown = policy.workloads.find((workload) => !minima.perWorkload.has(workload));
  const reason = unknown === undefined ? behind(policy, version, minima) : behindAll(unknown, version, minima);
  return reason === undefined ? ABOVE_FLOOR : wait('inherited-floor', reason);
}

function notObserved(sources: readonly string[]): UpgradeVerdict {
  const waitsOn = sources.join(', ');
  return wait('inherited-floor', `no history yet of ${waitsOn}, from which history is inherited`, { waitsOn });
}

function behind({ workloads }: Requirements, version: Version, { perWorkload }: Minima): string | undefined {
  for (const workload of workloads) {
    const lowest = perWorkload.get(workload);
    if (lowest !== undefined && compareVersions(version, lowest) > 0)
      return `inherited workload ${workload} still has clusters on ${lowest}`;
  }
  return undefined;
}

function behindAll(unknown: string, version: Version, { all }: Minima): string | undefined {
  return compareVersions(version, all) > 0
    ? `workload ${unknown} is not inherited, and some clusters are still on ${all}`
    : undefined;
}

export const inheritedFloorRow: SharedGate = {
  name: 'inherited-floor',
  awaited: 'for another organization',
  stage: 'version',
  influences: ['inheritance'],
  shared: true,
  concerns: versionsOnly,
  judge: ({ policy, version }, context) => inheritedFloorGate(policy, version, context),
  opens: ({ waitsOn }, version) =>
    waitsOn === undefined
      ? `all clusters of the organizations it inherits history from run ${version} or a newer version`
      : `a pass has observed ${waitsOn}`,
};

const NO_SECTOR = pass('sector', 'the cluster has no sector');
const SECTORS_DONE = pass('sector', 'every dependency runs it or a later one');

/** A version may be taken only after every dependency sector that runs the workload is on it or past it. */
export function sectorGate(
  { sector, workloads }: Requirements,
  version: Version,
  { sectorFloor }: PassContext,
): UpgradeVerdict {
  if (!sector) return NO_SECTOR;
  for (const workload of workloads) {
    const behind = sectorFloor(sector, workload);
    if (behind === undefined || compareVersions(behind.version, version) >= 0) continue;
    const { name, version: its } = behind;
    return wait('sector', `sector ${behind.sector} still has ${name} on ${its}, with ${workload}`, { waitsOn: name });
  }
  return SECTORS_DONE;
}

export const sectorRow: SharedGate = {
  name: 'sector',
  awaited: 'for an earlier sector',
  stage: 'version',
  influences: ['sectors'],
  shared: true,
  concerns: versionsOnly,
  judge: ({ policy, version }, context) => sectorGate(policy, version, context),
  opens: ({ waitsOn = 'the sector before it' }, version) => `${waitsOn} runs ${version} or a newer version`,
};

const NOT_REQUIRED = pass('soak', 'no soak is required');

/** A version must have soaked as many days as the cluster requires, under each of its workloads. */
export function soakGate({ soakDays, workloads }: Requirements, version: string, context: PassContext): UpgradeVerdict {
  const required = soakDays * MICROS.day;
  if (required <= 0 && workloads.every((workload) => soakOf(context.soak, version, workload) >= 0)) return NOT_REQUIRED;
  const { workload, micros } = furthest(version, workloads, required, context);
  const progress = `${workload} has soaked ${daysText(micros)} of ${soakDays} days`;
  if (micros >= required) return pass('soak', progress);
  const until = soakedBy(version, workloads, required, context);
  const doubt = clockDoubt(context.soak, context.now);
  const reason = doubt === undefined ? progress : `${progress}, and none before ${secondTextAfter(doubt.countsFrom)}`;
  return wait('soak', reason, until === undefined ? { waitsOn: workload } : { waitsOn: workload, until });
}

/** The workload that has soaked least; one that no cluster runs comes first, since soaking depends on it. */
function furthest(version: string, workloads: readonly string[], required: number, context: PassContext) {
  let least = { workload: workloads[0] ?? '', micros: Number.POSITIVE_INFINITY, stands: false };
  for (const workload of workloads) {
    const micros = soakOf(context.soak, version, workload);
    const stands = micros < required && context.soaking(version, workload) === 0;
    if (stands === least.stands ? micros < least.micros : stands) least = { workload, micros, stands };
  }
  return least;
}

/** Two decimals, rounded down: too little must not read as enough. */
function daysText(micros: number): string {
  return String(Math.floor((micros / MICROS.day) * 100) / 100);
}

export const soakRow: SharedGate = {
  name: 'soak',
  awaited: 'for soak',
  stage: 'version',
  influences: ['soak'],
  shared: true,
  concerns: versionsOnly,
  evidence: true,
  judge: ({ policy, version }, context) => soakGate(policy, version, context),
  opens: ({ waitsOn }, version) => `a healthy cluster with the workload ${waitsOn} runs ${version}`,
  forecastOpening: ({ cluster: { policy }, version }, outlook) =>
    soakedBy(version, policy.workloads, policy.soakDays * MICROS.day, outlook),
};

const AGREED = pass('version-gate', 'no agreement is missing');

/** A cluster may move to a minor only after all applicable version gates have an agreement. */
export function versionGateGate(cluster: ServedCluster, version: Version, context: Context): UpgradeVerdict {
  const minor = minorOf(version);
  if (!context.gates.has(minor)) return AGREED;
  const missing = missingGates(cluster, minor, context);
  if (missing.length === 0) return AGREED;
  const waitsOn = missing.join(', ');
  return wait('version-gate', `not agreed for ${minor}: ${waitsOn}`, { waitsOn });
}

/** Labels of a minor's gates that lack an agreement for the cluster, sorted. */
export function missingGates(cluster: ServedCluster, minor: string, { gates, facts }: Context): string[] {
  const agreed = facts.agreements.get(cluster.id);
  const missing: string[] = [];
  for (const { id, label } of applicableGates(cluster, minor, gates)) if (agreed?.has(id) !== true) missing.push(label);
  return missing.length > 1 ? missing.sort(byText) : missing;
}

export const versionGateRow: CandidateGate = {
  name: 'version-gate',
  awaited: 'for the agreement of a user',
  stage: 'consent',
  influences: [],
  byMinor: true,
  concerns: versionsOnly,
  judge: ({ cluster, version }, context) => versionGateGate(cluster, version, context),
  opens: ({ waitsOn = 'the gate' }, version) =>
    `a user agrees to ${waitsOn} for ${isVersion(version) ? minorOf(version) : version}`,
};
