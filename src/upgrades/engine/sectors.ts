import type { SectorSpec } from '../policies/org-spec.ts';
import { compareVersions, type Version } from './versions.ts';

/** A cluster as its sector sees it. */
export interface SectorMember {
  readonly name: string;
  readonly sector: string;
  readonly version: Version;
  /** Absent: unknown, so it may be any. */
  readonly workloads?: readonly string[];
}

/** The cluster that is furthest behind. */
export type Behind = Pick<SectorMember, 'name' | 'sector' | 'version'>;

/** For a sector and a workload, the cluster that no dependent sector may overtake, if any. */
export type SectorFloor = (sector: string, workload: string) => Behind | undefined;

/**
 * A dependency with a cluster of the workload is a checkpoint; one without is transparent: its own dependencies count.
 * What is behind a checkpoint does not count. A cluster of unknown workloads holds back for every workload, but vouches
 * for none: it makes no checkpoint. Each sector and workload is computed once.
 */
export function sectorFloors(sectors: readonly SectorSpec[], members: readonly SectorMember[]): SectorFloor {
  const lowest = lowestPerSector(members);
  return floorsOver(new Map(sectors.map(({ name, dependencies }) => [name, dependencies])), (sector) =>
    lowest.get(sector),
  );
}

/** The same, where the lowest of each sector are known. */
export function floorsOver(
  dependencies: ReadonlyMap<string, readonly string[]>,
  lowestOf: (sector: string) => LowestInSector | undefined,
): SectorFloor {
  const floors = new Map<string, Map<string, Behind | undefined>>();

  const floor: SectorFloor = (sector, workload) => {
    const known = floors.get(sector) ?? new Map<string, Behind | undefined>();
    floors.set(sector, known);
    if (known.has(workload)) return known.get(workload);
    known.set(workload, undefined);
    let behind: Behind | undefined;
    for (const dependency of dependencies.get(sector) ?? []) {
      const lowest = lowestOf(dependency);
      const checkpoint = lowest?.perWorkload.get(workload) ?? floor(dependency, workload);
      behind = furtherBehind(behind, furtherBehind(checkpoint, lowest?.unknown));
    }
    known.set(workload, behind);
    return behind;
  };
  return floor;
}

/** The clusters of a sector that are furthest behind. */
export interface LowestInSector {
  readonly perWorkload: { get(workload: string): Behind | undefined };
  /** Of clusters whose workloads are unknown. */
  readonly unknown?: Behind | undefined;
}

interface Lowest {
  readonly perWorkload: Map<string, Behind>;
  unknown?: Behind | undefined;
}

function lowestPerSector(members: readonly SectorMember[]): ReadonlyMap<string, Lowest> {
  const bySector = new Map<string, Lowest>();
  for (const member of members) {
    const lowest: Lowest = bySector.get(member.sector) ?? { perWorkload: new Map() };
    bySector.set(member.sector, lowest);
    if (member.workloads === undefined) lowest.unknown = furtherBehind(lowest.unknown, member);
    for (const workload of member.workloads ?? []) {
      lowest.perWorkload.set(workload, furtherBehind(lowest.perWorkload.get(workload), member) ?? member);
    }
  }
  return bySector;
}

function furtherBehind(a: Behind | undefined, b: Behind | undefined): Behind | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareVersions(b.version, a.version) < 0 ? b : a;
}
