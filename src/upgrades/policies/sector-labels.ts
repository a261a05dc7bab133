import { byText, defined } from '../../base/index.ts';
import { type Reading, splitCsv } from './csv.ts';
import { type Labels, PREFIX, SECTOR_LABELS, sectorKey } from './label-keys.ts';
import type { SectorSpec } from './org-spec.ts';
import { checkLimit, checkNames } from './policy-fields.ts';
import { error, type Fault, warning } from './problem.ts';
import { sectorFaults } from './sectors.ts';

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
