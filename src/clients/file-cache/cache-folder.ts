import { homedir } from 'node:os';
import { join } from 'node:path';
import { privateFolder } from './private-folder.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where Echelon keeps what it may lose: ECHELON_CACHE, else `echelon` in the user's cache folder. Undefined for a user without a home:
 * a fixed name below the temporary folder could be anybody's.
 */
export function cacheFolder(env: Env): string | undefined {
  if (env['ECHELON_CACHE']) return env['ECHELON_CACHE'];
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'echelon');
  const home = env['HOME'] ?? homeOfUser();
  return home === '' || home === '/' ? undefined : join(home, '.cache/echelon');
}

/** A folder of the cache that only this user can write to; undefined where there is none, and nothing is cached. */
export function privateCache(env: Env, name: string): string | undefined {
  const all = cacheFolder(env);
  const made = all === undefined ? undefined : privateFolder(join(all, name));
  return made !== undefined && 'folder' in made ? made.folder : undefined;
}

/** Empty for a user without a name, as OpenShift chooses them. */
function homeOfUser(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
