import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Echelon keeps what it may lose: ECHELON_CACHE, else `echelon` in the user's cache folder. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  if (env['ECHELON_CACHE']) return env['ECHELON_CACHE'];
  const home = env['HOME'] ?? homedir();
  const base = env['XDG_CACHE_HOME'] || (home === '' || home === '/' ? tmpdir() : join(home, '.cache'));
  return join(base, 'echelon');
}
