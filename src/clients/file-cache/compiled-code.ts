import { lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { privateCache } from './cache-folder.ts';
import { isOwn, privateFolder } from './private-folder.ts';

/** Builds whose compiled code is kept. */
const MAX_BUILDS = 3;

/**
 * Lets Node keep the compiled code of a build in the user's cache folder. Node trusts what it finds there, so only a folder
 * that nobody else can write to will do; its own default, below /tmp, would not. NODE_COMPILE_CACHE is left alone.
 */
export function keepCompiled(build: string, env: Readonly<Record<string, string | undefined>>): void {
  if (env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const all = privateCache(env, 'compiled');
  if (all === undefined) return;
  const location = join(all, build.slice(0, 16));
  const isNew = statSync(location, { throwIfNoEntry: false }) === undefined;
  const made = privateFolder(location);
  if ('folder' in made && (isNew || areAllOwn(made.folder))) enableCompileCache(made.folder);
  if (isNew) forgetOldBuilds(all);
}

/** A folder that was open to others once may still have files of theirs. */
function areAllOwn(folder: string): boolean {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).every((path) =>
      isOwn(lstatSync(join(folder, path))),
    );
  } catch {
    return false;
  }
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
