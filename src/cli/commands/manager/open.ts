import { resolve } from 'node:path';
import { setTimeout as sleepFor } from 'node:timers/promises';
import { defined, EchelonError, inTurns } from '../../../base/index.ts';
import { resolveRefByForge } from '../../../clients/forge/index.ts';
import { resolveRef } from '../../../clients/git/index.ts';
import { type Instance, type InstanceSource, instanceSteps } from '../../../instance/index.ts';
import {
  type Manager,
  type ManagerChoices,
  type ManagerPorts,
  managerSettings,
  openManager,
  type PlaceMemory,
  type RemovalMemory,
  type RenderCache,
  type RolloutPorts,
} from '../../../manager/index.ts';
import type { Capabilities } from '../../../sharding/index.ts';
import { readCapabilities } from '../../capabilities-option.ts';
import { instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { progressOn } from '../../output/progress.ts';
import { openCache, openChart } from './chart.ts';
import { type ClusterOptions, openClusters } from './clusters.ts';
import type { FleetFlags, LeaseFlags, ManagerFlags } from './flags.ts';
import { requireLeasePlace } from './lease.ts';
import { rolloutPorts } from './rollout-ports.ts';

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
      return inTurns(instanceSteps(await source.load(options)));
    },
    glimpse: async () => source?.glimpse(),
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
