import { didYouMean } from '../../base/index.ts';
import type { SectorSpec } from './org-spec.ts';
import { error, type Fault } from './problem.ts';

/** What is wrong with how sectors depend on each other: a dependency that is not declared, or a circle. */
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
  const circle = findCircle(byName);
  if (circle === undefined) return undeclared;
  const told = `sectors depend on each other in a circle: ${circle.join(' → ')}`;
  return [...undeclared, error(keyOf(circle[0] ?? ''), told, 'remove one of these dependencies')];
}

function defaultKey(sector: string): string {
  return `sectors.${sector}`;
}

/** The sectors of one circle, the first again at the end. Each sector is entered once, however many ways lead to it. */
function findCircle(sectors: ReadonlyMap<string, SectorSpec>): string[] | undefined {
  const left = new Set<string>();
  const trail: string[] = [];
  const visit = (name: string): string[] | undefined => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (left.has(name)) return undefined;
    trail.push(name);
    for (const dependency of sectors.get(name)?.dependencies ?? []) {
      const circle = visit(dependency);
      if (circle !== undefined) return circle;
    }
    trail.pop();
    left.add(name);
    return undefined;
  };
  for (const name of sectors.keys()) {
    const circle = visit(name);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
