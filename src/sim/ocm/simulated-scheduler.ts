import { defined, memoryStateStore, type StateStore } from '../../base/index.ts';
import type { OrgId } from '../../instance/index.ts';
import {
  createScheduler,
  DEFAULT_RULES,
  type FleetPlanned,
  type FleetReport,
  type HealthCheck,
  type ReadingDepth,
  type Rules,
  type Site,
  type UpgradeGates,
  type WriteOptions,
} from '../../upgrades/index.ts';
import type { World } from './world/world.ts';
import { type Intercept, worldApi } from './world-upgrade-api.ts';

export interface SimulatedSchedulerOptions {
  readonly rules?: Rules;
  readonly gates?: UpgradeGates;
  /** Shared with other schedulers, or kept when a scheduler is replaced by another. */
  readonly store?: StateStore;
  /** All organizations when absent. */
  readonly serves?: (orgId: string) => boolean;
  /** For all organizations; default: the OCM check, enforced. */
  readonly healthChecks?: readonly HealthCheck[];
  /** By the name of the environment: faults on the way to it. */
  readonly intercept?: (environment: string) => Intercept;
  readonly resyncSeconds?: number;
  readonly ignoreSts?: boolean;
}

/** The scheduler as in pods, on worlds in this process and their clock. */
export interface SimulatedScheduler {
  readonly store: StateStore;
  /** Advances the worlds until then, if given, and runs one pass. */
  pass(moment?: Date, options?: WriteOptions & { readonly dryRun?: boolean }): Promise<FleetReport>;
  /** Observes and decides on the current state. */
  plan(depth?: ReadingDepth): Promise<FleetPlanned>;
}

const OCM_SAYS: readonly HealthCheck[] = [{ provider: 'ocm', enforced: true }];

/** Deterministic: the same worlds give the same passes. */
export function simulatedScheduler(
  worlds: readonly World[],
  options: SimulatedSchedulerOptions = {},
): SimulatedScheduler {
  const { rules = DEFAULT_RULES, store = memoryStateStore(), healthChecks = OCM_SAYS, serves = () => true } = options;
  const sites = worlds.map((world): Site => {
    const api = worldApi(world, options.intercept?.(world.environment));
    return {
      name: world.environment,
      connect: async () => api,
      serves: (orgId) => (serves(orgId) ? { orgId: orgId as OrgId, healthChecks } : undefined),
      health: new Map(),
    };
  });
  const scheduler = createScheduler({
    integration: 'advanced-upgrade-scheduler',
    store,
    rules,
    clock: { now: () => latest(worlds) },
    ...defined({ gates: options.gates, resyncSeconds: options.resyncSeconds, ignoreSts: options.ignoreSts }),
  });
  return {
    store,
    plan: (depth) => scheduler.plan({ sites }, depth),
    pass: async (moment, write) => {
      for (const world of worlds) world.advanceTo(moment ?? latest(worlds));
      return scheduler.pass({ sites }, write);
    },
  };
}

function latest(worlds: readonly World[]): Date {
  return new Date(Math.max(...worlds.map((world) => world.now().getTime())));
}
