import { join } from 'node:path';
import { cacheFolder } from './cache-folder.ts';
import { type FileCache, fileCache } from './file-cache.ts';
import { privateFolder } from './private-folder.ts';

const LIMITS = { bytes: 64 * 1024 * 1024, days: 30 };

/** Answers about instances; undefined where another user could put in wrong ones. */
export function answerCache(env: Readonly<Record<string, string | undefined>>): FileCache | undefined {
  const folder = join(cacheFolder(env), 'answers');
  return privateFolder(folder) ? fileCache(folder, LIMITS) : undefined;
}
