import { pass, wait } from '../../../gates/index.ts';
import type { PassContext } from '../context.ts';
import type { Minima } from '../ledger.ts';
import { type Requirements, type SharedGate, type UpgradeVerdict, versionsOnly } from '../upgrade-gate.ts';
import { compareVersions, type Version } from '../versions.ts';

const NONE = pass('inherited-floor', 'no history is inherited');
const NO_SECTOR = pass('inherited-floor', 'the cluster has no sector');
const OPEN = pass('inherited-floor', 'every organization that history is inherited from runs it or a later one');

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
  if (minima === undefined && unobserved.length === 0) return NONE;
  if (!policy.sector && !rules.floorWithoutSector) return NO_SECTOR;
  if (unobserved.length > 0 && rules.floorNeedsHistory) return notObserved(unobserved);
  if (minima === undefined) return NONE;
  const unknown = policy.workloads.find((workload) => !minima.perWorkload.has(workload));
  const reason = unknown === undefined ? behind(policy, version, minima) : behindAll(unknown, version, minima);
  return reason === undefined ? OPEN : wait('inherited-floor', reason);
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
