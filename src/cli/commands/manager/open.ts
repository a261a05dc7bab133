import { resolve } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defined, EchelonError } from '../../../base/index.ts';
import { cacheFolder, fileCache, privateCache } from '../../../clients/file-cache/index.ts';
import { resolveRefByForge } from '../../../clients/forge/index.ts';
import { resolveRef } from '../../../clients/git/index.ts';
import { findHelm, helmChart } from '../../../clients/helm/index.ts';
import { type Instance, type InstanceSource, loadInstance } from '../../../instance/index.ts';
import {
  type ChartRenderer,
  declaredChart,
  type Manager,
  type ManagerChoices,
  type ManagerPorts,
  managerSettings,
  memoryCache,
  openManager,
  type PlaceMemory,
  type RemovalMemory,
  type RenderCache,
  type RolloutPorts,
} from '../../../manager/index.ts';
import type { Capabilities } from '../../../sharding/index.ts';
import { type InstanceFlags, instanceFolder, instanceSource, readCapabilities } from '../../instance.ts';
import { type Io, version } from '../../io.ts';
import { progressOn } from '../../output/terminal.ts';
import type { LeaseFlags } from './clusters.ts';
import { type ClusterOptions, openClusters, requireLeasePlace } from './clusters.ts';
import type { ChartFlags, FleetFlags, ManagerFlags } from './flags.ts';
import { rolloutPorts } from './rollout-record.ts';

type OpenFlags = ManagerFlags & Partial<FleetFlags> & LeaseFlags & Pick<ManagerChoices, 'integration'>;

interface OpenOptions extends Omit<ClusterOptions, 'vault'> {
  /** An instance already read, or its source; taken from the flags when absent. */
  readonly instance?: Instance | InstanceSource;
  readonly capabilities?: Capabilities | undefined;
  readonly cache?: RenderCache;
  readonly removals?: RemovalMemory;
  readonly places?: PlaceMemory;
  /** Moves images in waves; by default only with a lease. */
  readonly rollouts?: RolloutPorts;
}

/** A manager for one command. */
export interface OpenedManager {
  /** Shows progress on standard error, cleared at the end. */
  during<T>(act: (manager: Manager, step: (text: string) => void) => Promise<T>): Promise<T>;
  close(): void;
}

/** Runs an action with a manager, then closes its connections. */
export async function withManager<T>(
  io: Io,
  flags: OpenFlags,
  options: OpenOptions,
  act: (opened: OpenedManager) => Promise<T>,
): Promise<T> {
  let step: ((text: string) => void) | undefined;
  const manager = managerFor(io, flags, options, (text) => step?.(text));
  const close = manager.close;
  try {
    return await act({
      close,
      during: async (work) => {
        const progress = progressOn(io);
        step = progress.step;
        try {
          return await work(manager, progress.step);
        } finally {
          step = undefined;
          progress.end();
        }
      },
    });
  } finally {
    close();
  }
}

/** The manager service with settings and ports from the flags. */
export function managerFor(
  io: Io,
  flags: OpenFlags,
  { instance, capabilities, cache = openCache(io, flags), removals, places, rollouts, ...access }: OpenOptions,
  onProgress?: (text: string) => void,
): Manager {
  if (flags.lease !== undefined) requireLeasePlace(io, flags.lease);
  if (flags.lease !== undefined && flags.integration !== undefined) throw notWithIntegration('--lease');
  const known = capabilities ?? readCapabilities(io, flags.capabilities);
  return openManager(managerSettings(flags, io.env, known), {
    instance: instancePort(io, flags, instance),
    chart: (folder) => openChart(io, flags, folder),
    resolveRef: (repository, ref) => commitOf(io, flags.upstreamClone, repository, ref),
    clusters: (clusters, vault) => openClusters(io, flags, clusters, { ...access, ...defined({ vault }) }),
    sleep: (milliseconds) => sleepFor(milliseconds),
    signal: io.signal,
    rollouts: rollouts ?? rolloutPorts(io, flags, { mayMove: () => flags.lease !== undefined }),
    ...defined({ cache, onProgress, removals, places }),
  });
}

/** A plan for some integrations leaves out moves that a lease's holder would record, and cannot narrow what was approved. */
export function notWithIntegration(other: string): EchelonError {
  const message = `--integration cannot be combined with ${other}`;
  return new EchelonError({ code: 'FLAG_INVALID', message, hint: 'pass one of them' });
}

function instancePort(io: Io, flags: OpenFlags, given: OpenOptions['instance']): ManagerPorts['instance'] {
  if (given !== undefined && 'snapshot' in given) return { read: async () => given };
  let source = given;
  return {
    read: async (options) => {
      source ??= await instanceSource(io, flags);
      return loadInstance(source, options);
    },
    currentRevision: async () => source?.currentRevision(),
  };
}

async function commitOf(io: Io, clone: string | undefined, repository: string, ref: string): Promise<string> {
  if (clone === undefined) return resolveRefByForge({ repository, ref, env: io.env, signal: io.signal });
  const commit = await resolveRef(resolve(io.cwd, clone), ref);
  if (commit !== undefined) return commit;
  throw new EchelonError({
    code: 'REF_UNKNOWN',
    message: `${clone} is not a clone of the upstream, or has no ref ${ref}`,
    hint: 'pass a clone with --upstream-clone, fetch it, or check the ref',
  });
}

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
function openCache(io: Io, flags: Partial<ChartFlags>): RenderCache | undefined {
  if (flags.cache !== true) return undefined;
  const folder = privateCache(io.env, `render-${version()}`);
  return memoryCache(folder === undefined ? undefined : fileCache(folder, CACHE_LIMITS));
}
