import { byText, defined, didYouMean } from '../../base/index.ts';
import { checkLimit, checkNames } from './fields.ts';
import { type Labels, PREFIX, type Reading, SECTOR_LABELS, sectorKey, splitCsv } from './label-keys.ts';
import { error, type Fault, type SectorSpec, warning } from './org-spec.ts';

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

/** Sectors that an organization may have. */
export const MAX_SECTORS = 200;

interface Sectors {
  readonly sectors: readonly SectorSpec[];
  readonly faults: readonly Fault[];
}

/** Sectors that the labels of an organization declare, sorted by label key. */
export function readSectors(labels: Labels, reading: Reading): Sectors {
  const faults: Fault[] = [];
  const dependencies = readDependencies(labels, reading, faults);
  const limits = readLimits(labels, reading, faults);
  const tooMany = sectorCountFaults(dependencies.size);
  if (tooMany.length > 0) return { sectors: [], faults: tooMany };
  if (reading.strict) faults.push(...strayLimits(limits, dependencies));
  const sectors = [...dependencies].map(([name, needs]): SectorSpec => {
    const limit = limits.get(name);
    return { name, dependencies: needs, ...defined({ maxParallelUpgrades: limit }) };
  });
  const cycles = sectorFaults(sectors, (sector) => sectorKey('dependencies', sector));
  return { sectors, faults: [...faults, ...cycles] };
}

/** Declared sectors with their dependencies, however many and whether they are valid or not. */
export function sectorDependencies(labels: Labels): Dependencies {
  return readDependencies(labels, { strict: true }, []);
}

type Dependencies = ReadonlyMap<string, readonly string[]>;

/** Dependencies declare sectors: the dependent one, and those it depends on. */
function readDependencies(labels: Labels, reading: Reading, faults: Fault[]): Dependencies {
  const dependencies = new Map<string, readonly string[]>();
  for (const [sector, text] of group(labels, 'dependencies')) {
    const key = sectorKey('dependencies', sector);
    const names = checkNames(key, splitCsv(text, reading), reading);
    faults.push(...names.faults);
    if (reading.strict && sector.trim() === '')
      faults.push(error(key, 'the key has no sector name', 'end it with a sector name'));
    dependencies.set(sector, names.value ?? []);
  }
  for (const name of [...dependencies.values()].flat()) if (!dependencies.has(name)) dependencies.set(name, []);
  return dependencies;
}

function readLimits(labels: Labels, reading: Reading, faults: Fault[]): ReadonlyMap<string, string> {
  const limits = new Map<string, string>();
  for (const [sector, text] of group(labels, 'maxParallelUpgrades')) {
    const limit = checkLimit(sectorKey('maxParallelUpgrades', sector), text, reading);
    faults.push(...limit.faults);
    if (limit.value !== undefined) limits.set(sector, limit.value);
  }
  return limits;
}

/** Labels of a group by the rest of their keys, sorted. */
function group(labels: Labels, name: keyof typeof SECTOR_LABELS): [string, string][] {
  const prefix = PREFIX + SECTOR_LABELS[name].suffix;
  return Object.entries(labels)
    .flatMap(([key, text]): [string, string][] => (key.startsWith(prefix) ? [[key.slice(prefix.length), text]] : []))
    .sort(([a], [b]) => byText(a, b));
}

/** A limit alone does not declare a sector. */
function strayLimits(limits: ReadonlyMap<string, string>, sectors: Dependencies): Fault[] {
  return [...limits.keys()]
    .filter((sector) => !sectors.has(sector))
    .map((sector) =>
      warning(
        sectorKey('maxParallelUpgrades', sector),
        `sector ${sector} is not declared, so its limit has no effect`,
        `declare it with the label ${sectorKey('dependencies', sector)}, which may be empty`,
      ),
    );
}

export function sectorCountFaults(sectors: number): Fault[] {
  if (sectors <= MAX_SECTORS) return [];
  const key = PREFIX + SECTOR_LABELS.dependencies.suffix;
  return [error(key, `the organization declares ${sectors} sectors`, `declare at most ${MAX_SECTORS}`)];
}
