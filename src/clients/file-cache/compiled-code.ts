import { readdirSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { privatePlace } from './private-folder.ts';

/** Builds whose compiled code is kept. */
const MAX_BUILDS = 3;

/**
 * Lets Node keep the compiled code of a build in the user's cache folder. Node trusts what it finds there, so only a place
 * that nobody else can write to will do; its own default, below /tmp, would not. NODE_COMPILE_CACHE is left alone.
 */
export function keepCompiled(build: string, env: Readonly<Record<string, string | undefined>>): void {
  if (env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const all = join(cacheFolder(env), 'compiled');
  if (!privatePlace(all)) return;
  const folder = join(all, build.slice(0, 16));
  const isNew = statSync(folder, { throwIfNoEntry: false }) === undefined;
  if (privatePlace(folder)) enableCompileCache(folder);
  if (isNew) forgetOldBuilds(all);
}

/** Code of a build that still runs is compiled again. */
function forgetOldBuilds(all: string): void {
  try {
    const folders = readdirSync(all).map((name) => join(all, name));
    const byAge = folders.map((folder) => ({ folder, time: statSync(folder).mtimeMs })).sort((a, b) => b.time - a.time);
    for (const { folder } of byAge.slice(MAX_BUILDS)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another process removes them too.
  }
}
