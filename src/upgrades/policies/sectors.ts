import { didYouMean } from '../../base/index.ts';
import type { SectorSpec } from './org-spec.ts';
import { error, type Fault } from './problem.ts';

/** Problems in sector dependencies: a dependency that is not declared, or a cycle. */
export function sectorFaults(sectors: readonly SectorSpec[], keyOf = defaultKey): Fault[] {
  const byName = new Map(sectors.map((sector) => [sector.name, sector]));
  const undeclared = sectors.flatMap(({ name, dependencies }) =>
    dependencies
      .filter((dependency) => !byName.has(dependency))
      .map((dependency) =>
        error(
          keyOf(name),
          `sector ${name} depends on ${dependency}, which is not declared`,
          didYouMean(dependency, byName.keys(), `declare ${dependency}, or remove it`),
        ),
      ),
  );
  const cycle = findCycle(byName);
  if (cycle === undefined) return undeclared;
  return [...undeclared, cycleFault(cycle, keyOf(cycle[0] ?? ''))];
}

/** The sectors of a cycle, the first again at the end. */
export function cycleFault(cycle: readonly string[], key: string): Fault {
  return error(key, `dependency cycle between sectors: ${cycle.join(' → ')}`, 'remove one of these dependencies');
}

/** A cycle that starts with one of these dependencies of a sector. Each sector is visited once. */
export function cycleThrough(
  sector: string,
  dependencies: readonly string[],
  all: ReadonlyMap<string, readonly string[]>,
): string[] | undefined {
  const cameFrom = new Map(dependencies.map((dependency) => [dependency, sector]));
  for (const [reached] of cameFrom) {
    if (reached === sector) break;
    for (const next of all.get(reached) ?? []) if (!cameFrom.has(next)) cameFrom.set(next, reached);
  }
  return cameFrom.has(sector) ? trailTo(sector, cameFrom) : undefined;
}

/** From a sector back to itself. */
function trailTo(sector: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const trail = [sector];
  let at = cameFrom.get(sector) ?? sector;
  for (; at !== sector; at = cameFrom.get(at) ?? sector) trail.push(at);
  return [...trail, sector].reverse();
}

function defaultKey(sector: string): string {
  return `sectors.${sector}`;
}

/** The sectors of one cycle, the first again at the end. Each sector is visited once. */
function findCycle(sectors: ReadonlyMap<string, SectorSpec>): string[] | undefined {
  const left = new Set<string>();
  const trail: string[] = [];
  const visit = (name: string): string[] | undefined => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (left.has(name)) return undefined;
    trail.push(name);
    for (const dependency of sectors.get(name)?.dependencies ?? []) {
      const cycle = visit(dependency);
      if (cycle !== undefined) return cycle;
    }
    trail.pop();
    left.add(name);
    return undefined;
  };
  for (const name of sectors.keys()) {
    const cycle = visit(name);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
