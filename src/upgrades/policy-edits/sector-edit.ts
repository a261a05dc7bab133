import * as z from 'zod';
import { byText, defined } from '../../base/index.ts';
import { cleanMembers, type Labels, PREFIX, SECTOR_LABELS, sectorKey, splitCsv } from '../policies/label-keys.ts';
import { error, type Fault } from '../policies/org-spec.ts';
import { MAX_SECTORS } from '../policies/sectors.ts';

const SECTOR = z.strictObject({
  dependencies: z.array(z.string()).exactOptional(),
  maxParallelUpgrades: z.string().exactOptional(),
  name: z.string().min(1),
});

/** A sector in file format; the keys are those of the existing OCM plugin. */
export type SectorJson = z.infer<typeof SECTOR>;

export const sectorsShape = z.array(SECTOR).max(MAX_SECTORS);

export interface SectorEdit {
  /** Their dependencies are added; a limit replaces the existing one. */
  readonly add: readonly SectorJson[];
  /** Their dependencies are removed; a sector without any is removed itself. */
  readonly remove: readonly SectorJson[];
  /** Replaces all existing sectors. */
  readonly replace: boolean;
}

/** Sectors with their own label, by name; those that are only dependencies are left out. */
export function ownSectors(labels: Labels): SectorJson[] {
  const names = Object.keys(labels).flatMap((key) =>
    GROUPS.flatMap((prefix) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])),
  );
  return [...new Set(names)].sort(byText).map((name) => {
    const dependencies = membersOf(labels[sectorKey('dependencies', name)] ?? '');
    const limit = labels[sectorKey('maxParallelUpgrades', name)];
    return sectorJson(name, dependencies, limit);
  });
}

/** The sectors after the edit, by name. */
export function editSectors(current: readonly SectorJson[], { add, remove, replace }: SectorEdit): SectorJson[] {
  const sectors = new Map((replace ? [] : current).map((sector) => [sector.name, sector]));
  for (const { name, dependencies = [], maxParallelUpgrades } of add) {
    const known = sectors.get(name);
    const all = cleanMembers([...(known?.dependencies ?? []), ...dependencies]).members;
    sectors.set(name, sectorJson(name, all, maxParallelUpgrades ?? known?.maxParallelUpgrades));
  }
  for (const { name, dependencies = [] } of remove) {
    const known = sectors.get(name);
    if (dependencies.length === 0) sectors.delete(name);
    else if (known !== undefined) {
      const left = (known.dependencies ?? []).filter((dependency) => !dependencies.includes(dependency));
      sectors.set(name, sectorJson(name, left, known.maxParallelUpgrades));
    }
  }
  return [...sectors.values()].sort((a, b) => byText(a.name, b.name));
}

/**
 * The labels of sectors. A sector without dependencies gets an empty label where nothing else declares it, as a limit
 * alone would have no effect.
 */
export function sectorLabels(sectors: readonly SectorJson[], current: Labels): Labels {
  const declared = new Set(sectors.flatMap(({ dependencies = [] }) => dependencies));
  const labels = new Map<string, string>();
  for (const { name, dependencies = [], maxParallelUpgrades } of sectors) {
    const key = sectorKey('dependencies', name);
    const isNeeded = dependencies.length > 0 || !declared.has(name) || current[key] !== undefined;
    if (isNeeded) labels.set(key, dependencies.join(','));
    if (maxParallelUpgrades !== undefined) labels.set(sectorKey('maxParallelUpgrades', name), maxParallelUpgrades);
  }
  return Object.fromEntries(labels);
}

/** `A=B,C`; without `=` only the name. */
export function parseDependencies(text: string): SectorJson {
  const [name = '', ...rest] = text.split('=');
  return sectorJson(name.trim(), membersOf(rest.join('=')), undefined);
}

/** `A=2` or `A=50%`; undefined for anything else. */
export function parseLimit(text: string): SectorJson | undefined {
  const [, name, limit] = /^\s*([^=]+?)\s*=\s*(\S+)\s*$/.exec(text) ?? [];
  return name === undefined || limit === undefined ? undefined : sectorJson(name, [], limit);
}

/** A name is the end of a label key, so not every text is valid. */
export function sectorNameFaults(name: string): Fault[] {
  if (/^[A-Za-z0-9._-]{1,200}$/.test(name)) return [];
  const message = `${JSON.stringify(name)} cannot be part of a label key`;
  return [error(sectorKey('dependencies', name), message, 'use letters, digits, dots, dashes and underscores')];
}

export function isSectorKey(key: string): boolean {
  return GROUPS.some((prefix) => key.startsWith(prefix));
}

const GROUPS = Object.values(SECTOR_LABELS).map(({ suffix }) => PREFIX + suffix);

function membersOf(text: string): readonly string[] {
  return cleanMembers(splitCsv(text, { strict: true })).members;
}

function sectorJson(name: string, dependencies: readonly string[], limit: string | undefined): SectorJson {
  return {
    ...(dependencies.length === 0 ? {} : { dependencies: [...dependencies] }),
    ...defined({ maxParallelUpgrades: limit }),
    name,
  };
}
