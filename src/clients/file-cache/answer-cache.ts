import { privateCache } from './cache-folder.ts';
import { type FileCache, fileCache } from './file-cache.ts';

const LIMITS = { bytes: 64 * 1024 * 1024, days: 30 };

/** Answers about instances; undefined where another user could put in wrong ones. */
export function answerCache(env: Readonly<Record<string, string | undefined>>): FileCache | undefined {
  const folder = privateCache(env, 'answers');
  return folder === undefined ? undefined : fileCache(folder, LIMITS);
}
