import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
}

/** The bytes of all packages that an installation brings, without Echelon's own files. */
export function dependencyBytes(repo: string): number {
  const { packages } = JSON.parse(readFileSync(join(repo, 'package-lock.json'), 'utf8')) as Locked;
  return Object.entries(packages)
    .filter(([place, { dev, devOptional }]) => place !== '' && dev !== true && devOptional !== true)
    .map(([place]) => join(repo, place))
    .filter((folder) => existsSync(folder))
    .reduce((sum, folder) => sum + bytesIn(folder), 0);
}

/** Packages inside of a package are listed on their own. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .reduce((sum, entry) => {
      const location = join(folder, entry.name);
      return sum + (entry.isDirectory() ? bytesIn(location) : statSync(location).size);
    }, 0);
}
