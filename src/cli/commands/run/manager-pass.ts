import { setTimeout as sleepFor } from 'node:timers/promises';
import { changedOnly, defined, type EchelonError } from '../../../base/index.ts';
import { type Instance, type InstanceSource, readInstance, stateOf } from '../../../instance/index.ts';
import {
  type ChartRenderer,
  changesOf,
  executePlan,
  type FleetPlan,
  type ItemResult,
  memoryCache,
  observe,
  placeOf,
  type Rendered,
  renderGroups,
  summaryOf,
  type Target,
} from '../../../manager/index.ts';
import type { Logger, PassContext, PassResult } from '../../../runtime/index.ts';
import type { Io } from '../../io.ts';
import type { Clusters, openClusters } from '../manager/clusters.ts';
import { type ManagerContext, openChart, readCapabilities, selectFrom } from '../manager/context.ts';
import { accessOf, type FleetFlags, narrowed, planOf, targetsFor } from '../manager/fleet.ts';
import { parameterSources } from '../manager/image-parameters.ts';

import type { ManagerMetrics } from './manager-metrics.ts';

export interface ManagerParts {
  readonly io: Io;
  readonly flags: FleetFlags;
  readonly source: InstanceSource;
  readonly clusters: (access: Parameters<typeof openClusters>[2], vault: boolean | undefined) => Promise<Clusters>;
  readonly dryRun: boolean;
  readonly logger: Logger;
  readonly metrics: ManagerMetrics;
}

/** A pass of the manager; what it remembers makes the next one cheaper, never different. */
export type ManagerPass = (context: PassContext, mayWrite: () => boolean) => Promise<PassResult>;

export function managerPass(parts: ManagerParts): ManagerPass {
  const { io, flags, source, logger, metrics } = parts;
  const cache = memoryCache();
  const troubles = changedOnly();
  const capabilities = flags.capabilities === undefined ? undefined : readCapabilities(io, flags.capabilities);
  let chart: Promise<ChartRenderer> | undefined;
  let known: { readonly state: string; readonly instance: Instance } | undefined;
  let managed: readonly Target[] = [];

  const load = async (signal: AbortSignal): Promise<Instance> => {
    const state = await source.glimpse().catch(() => undefined);
    if (known !== undefined && state !== undefined && state === known.state) return known.instance;
    const snapshot = await source.load({ signal });
    known = { state: stateOf(snapshot.revision), instance: readInstance(snapshot) };
    return known.instance;
  };

  const render = async (context: ManagerContext, signal: AbortSignal): Promise<Rendered> => {
    if (context.groups.length === 0) return { namespaces: [], failures: [] };
    chart ??= openChart(io, flags);
    const parameters = parameterSources(io, flags, context.instance);
    return renderGroups(context.groups, { chart: await chart, cache, parameters, signal });
  };

  return async ({ signal }, mayWrite) => {
    const context = narrowed(selectFrom(io, flags, await load(signal), capabilities), flags);
    const rendered = await render(context, signal);
    const access = accessOf(context, flags);
    const declared = targetsFor(context, access, flags);
    const targets = remembered(declared, managed);
    const clusters = await parts.clusters(accessWith(context, access, targets), context.instance.settings?.vault);
    const live = await observe(targets, clusters.connect, signal);
    const plan = planOf(io, flags, context, rendered, live);
    metrics.planned(context, rendered, live, plan);
    const results = parts.dryRun
      ? []
      : await executePlan(plan, {
          connect: clusters.connect,
          mayWrite,
          signal,
          sleep: (milliseconds) => sleepFor(milliseconds),
          ...defined({ concurrency: flags.concurrency }),
        });
    metrics.applied(results);
    managed = stillToLook(targets, declared, plan, results);
    tell(logger, plan, results, parts.dryRun);
    const wrong = troubles(troublesOf(context, rendered, plan, results), ({ message, ...fields }) =>
      logger.error(message, fields),
    );
    return { code: wrong ? 1 : 0, changed: results.length > 0, revision: known?.state };
  };
}

/** What was managed before is looked at once more, so that what is no longer declared there goes. */
function remembered(targets: readonly Target[], before: readonly Target[]): Target[] {
  const gone = before.filter(({ cluster }) => !targets.some((target) => target.cluster === cluster));
  return [
    ...targets.map((target) => {
      const earlier = before.find(({ cluster }) => cluster === target.cluster)?.namespaces ?? [];
      return { ...target, namespaces: [...new Set([...target.namespaces, ...earlier])] };
    }),
    ...gone,
  ];
}

/** The places that are declared, and those where something of ours is left that could not be taken away. */
function stillToLook(
  targets: readonly Target[],
  declared: readonly Target[],
  plan: FleetPlan,
  results: readonly ItemResult[],
): Target[] {
  const done = new Set(results.filter(({ outcome }) => outcome === 'done').map(({ item }) => item));
  const left = new Set(plan.items.filter((item) => item.action !== 'keep' && !done.has(item)).map(placeOf));
  const unseen = new Set(
    plan.failures.map(({ cluster, namespace }) => (namespace === undefined ? cluster : `${cluster}/${namespace}`)),
  );
  return targets.flatMap((target) => {
    const own = declared.find(({ cluster }) => cluster === target.cluster)?.namespaces ?? [];
    const namespaces = target.namespaces.filter((namespace) => {
      const place = `${target.cluster}/${namespace}`;
      return own.includes(namespace) || left.has(place) || unseen.has(place) || unseen.has(target.cluster);
    });
    return namespaces.length === 0 ? [] : [{ ...target, namespaces }];
  });
}

function accessWith(
  { instance }: ManagerContext,
  access: Parameters<typeof openClusters>[2],
  targets: readonly Target[],
): Parameters<typeof openClusters>[2] {
  const names = new Set(access.map(({ name }) => name));
  const more = targets.filter(({ cluster }) => !names.has(cluster)).map(({ cluster }) => cluster);
  return [...access, ...instance.clusters.filter(({ name }) => more.includes(name))];
}

/** One event for each thing that was done, or would be. */
function tell(logger: Logger, plan: FleetPlan, results: readonly ItemResult[], dryRun: boolean): void {
  const done = dryRun
    ? changesOf(plan).map((item) => ({ item, message: 'would be done' }))
    : results.filter(({ outcome }) => outcome === 'done').map(({ item }) => ({ item, message: 'done' }));
  for (const { item, message } of done) {
    const { action, cluster, namespace, kind, name } = item;
    const differences = 'differences' in item ? item.differences.map(({ path }) => path) : undefined;
    logger.info(message, {
      action,
      cluster,
      namespace,
      kind,
      name,
      ...defined({ differences }),
    });
  }
  if (done.length > 0) logger.info('plan', { revision: plan.revision, ...summaryOf(plan) });
}

export interface Trouble {
  readonly message: string;
  readonly [field: string]: unknown;
}

function troublesOf(
  { problems }: ManagerContext,
  rendered: Rendered,
  plan: FleetPlan,
  results: readonly ItemResult[],
): Trouble[] {
  const told = (error: EchelonError | undefined): object =>
    error === undefined ? {} : { code: error.code, error: error.message, hint: error.hint };
  return [
    ...problems
      .filter(({ severity }) => severity === 'error')
      .map(({ file, line, rule, message }) => ({
        message: 'the instance has an error',
        file,
        line,
        rule,
        error: message,
      })),
    ...rendered.failures.map(({ target, error }) => ({
      message: 'a namespace cannot be rendered',
      target,
      ...told(error),
    })),
    ...plan.failures.map(({ cluster, namespace, error }) => ({
      message: 'a place cannot be looked at',
      cluster,
      namespace,
      ...told(error),
    })),
    ...plan.breaches.map((breach) => ({ message: 'mass deletion withheld', ...breach, code: 'MASS_DELETION' })),
    ...plan.items.flatMap((item) =>
      item.action === 'conflict' || item.action === 'withhold'
        ? [
            {
              message: item.action,
              place: placeOf(item),
              kind: item.kind,
              name: item.name,
              reason: item.reason,
              hint: item.hint,
            },
          ]
        : [],
    ),
    ...results
      .filter(({ outcome, error }) => outcome === 'failed' || (outcome === 'skipped' && error?.code === 'SKIPPED'))
      .map(({ item, error }) => ({
        message: 'failed',
        action: item.action,
        place: placeOf(item),
        kind: item.kind,
        name: item.name,
        ...told(error),
      })),
  ];
}
