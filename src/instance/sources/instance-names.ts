import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Walk } from './walk-tree.ts';

/** What an instance is read from. */
export const INSTANCE_PATHS: readonly string[] = ['data', 'resources', '.env'];

/** Of what is no folder where an instance is read from: a folder has names below it, what stands in its place has its own. */
export function topNames(root: string): string[] {
  return INSTANCE_PATHS.flatMap((path) => {
    const found = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (found === undefined) return [];
    if (!found.isDirectory()) return [path];
    return path === '.env' ? ['.env/.'] : [];
  });
}

/** Of everything but folders; undefined where one could not be listed. */
export function walkNames({ files, links, skipped, problems }: Walk): string[] | undefined {
  return problems.length > 0 ? undefined : [...files.map(({ path }) => path), ...links, ...skipped];
}

/** All names below the root; undefined where some are not known. */
export function allNames(
  tops: readonly string[],
  data: readonly string[] | undefined,
  resources: readonly string[] | undefined,
): string[] | undefined {
  if (data === undefined || resources === undefined) return undefined;
  return [...tops, ...data.map((name) => `data${name}`), ...resources.map((name) => `resources${name}`)];
}
