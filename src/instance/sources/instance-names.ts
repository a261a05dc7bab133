import { hash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { INSTANCE_PATHS } from './instance-paths.ts';
import { splitPaths } from './joined-paths.ts';
import type { Listing } from './tree-before.ts';
import type { Walk } from './walk-tree.ts';

/** Of what is no folder where an instance is read from: a folder has names below it, what stands in its place has its own. */
export function topNames(root: string): string[] {
  return INSTANCE_PATHS.flatMap((path) => {
    const found = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (found === undefined) return [];
    if (!found.isDirectory()) return [path];
    return path === '.env' ? ['.env/.'] : [];
  });
}

/** Of everything but folders. Thousands of them are made only when they are needed. */
export interface Names {
  /** Differs when a name differs. */
  readonly print: () => string;
  readonly all: () => readonly string[];
}

export const NO_NAMES: Names = namesOf([]);

export function listingNames({ parts, print, links, others }: Omit<Listing, 'problems'>): Names {
  return {
    print: () => printOf([print, links, others]),
    all: () => [...parts.flatMap(splitPaths), ...links, ...others],
  };
}

/** Undefined where a folder could not be listed. */
export function walkNames({ files, links, skipped, problems }: Walk): Names | undefined {
  return problems.length > 0 ? undefined : namesOf([...files.map(({ path }) => path), ...links, ...skipped]);
}

/** All names below the root; undefined where some are not known. */
export function allNames(
  tops: readonly string[],
  data: Names | undefined,
  resources: Names | undefined,
): Names | undefined {
  if (data === undefined || resources === undefined) return undefined;
  const below = (folder: string, names: Names): string[] => names.all().map((name) => folder + name);
  return {
    print: () => printOf([tops, data.print(), resources.print()]),
    all: () => [...tops, ...below('data', data), ...below('resources', resources)],
  };
}

function namesOf(all: readonly string[]): Names {
  return { print: () => printOf(all), all: () => all };
}

function printOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value));
}
