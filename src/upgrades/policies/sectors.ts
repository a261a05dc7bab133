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
  const message = `dependency cycle between sectors: ${cycle.join(' → ')}`;
  return [...undeclared, error(keyOf(cycle[0] ?? ''), message, 'remove one of these dependencies')];
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
