import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defined } from '../../../base/index.ts';
import { cacheFolder, fileCache, privateCache } from '../../../clients/file-cache/index.ts';
import { findHelm, helmChart } from '../../../clients/helm/index.ts';
import { type ChartRenderer, declaredChart, memoryCache, type RenderCache } from '../../../manager/index.ts';
import { type InstanceFlags, instanceFolder } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { version } from '../../version.ts';
import type { ChartFlags } from './flags.ts';

/** Echelon's chart is next to `src/` in a checkout and next to `dist/` when installed. */
const OWN_CHART = fileURLToPath(new URL('../../../../charts/reconciler', import.meta.url));

/** @param declared the folder in manager.yml: below the instance, or absolute. */
export async function openChart(
  io: Io,
  flags: Partial<ChartFlags & InstanceFlags>,
  declared?: string,
): Promise<ChartRenderer> {
  const helm = await findHelm({
    ...defined({ flag: flags.helm }),
    env: io.env,
    cwd: io.cwd,
    cacheFolder: cacheFolder(io.env),
  });
  const chart =
    flags.chart === undefined
      ? (declaredChart(declared, instanceFolder(io, flags)) ?? OWN_CHART)
      : resolve(io.cwd, flags.chart);
  return helmChart({ helm, chart, signal: io.signal });
}

const CACHE_LIMITS = { bytes: 256 * 1024 * 1024, days: 30 };

/** Cached render results, in memory and, where only this user can write, on disk; none with `--no-cache`. */
export function openCache(io: Io, flags: Partial<ChartFlags>): RenderCache | undefined {
  if (flags.cache !== true) return undefined;
  const folder = privateCache(io.env, `render-${version()}`);
  return memoryCache(folder === undefined ? undefined : fileCache(folder, CACHE_LIMITS));
}
