import { defined } from '../../base/index.ts';
import type { KnownPolicy } from '../policies/org-spec.ts';
import type { ClusterState, OrgFacts } from './facts.ts';
import type { MutexMember } from './occupancy.ts';
import type { Rules } from './rules.ts';
import type { SectorMember } from './sector-floors.ts';

/** A cluster that counts in its sector and mutexes, whether it may be upgraded or not. */
export interface Member extends MutexMember, Pick<ClusterState, 'uuid' | 'version'> {
  readonly workloads?: readonly string[];
}

export function memberOf(cluster: ClusterState, { sector, mutexes = [], workloads }: KnownPolicy): Member {
  return {
    id: cluster.id,
    uuid: cluster.uuid,
    name: cluster.name,
    version: cluster.version,
    mutexes: [...mutexes, cluster.id],
    ...(sector === undefined || sector === '' ? {} : { sector }),
    ...defined({ workloads }),
  };
}

/** Clusters that count; held ones too, depending on the rules. */
export function membersOf({ clusters, held }: OrgFacts, rules: Rules): Member[] {
  return [
    ...clusters.map((cluster) => memberOf(cluster, cluster.policy)),
    ...(rules.heldClustersCount ? held.map((cluster) => memberOf(cluster, cluster.known)) : []),
  ];
}

/** Members of sectors. The existing scheduler identifies them by name, so of two with the same name the later counts. */
export function sectorMembers(members: readonly Member[], rules: Rules): (Member & SectorMember)[] {
  const byIdentity = new Map<string, Member & SectorMember>();
  for (const member of members) {
    const { sector } = member;
    if (sector === undefined) continue;
    const identity = rules.observedSoakOnly ? member.id : member.name;
    byIdentity.set(JSON.stringify([sector, identity]), { ...member, sector });
  }
  return [...byIdentity.values()];
}
