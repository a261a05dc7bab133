import { count, defined, EchelonError, inTurns } from '../../base/index.ts';
import type { ClusterAccess } from '../../instance/index.ts';
import { type NamespaceGroup, targetOf } from '../desired/group.ts';
import type { NamespaceValues } from '../desired/values.ts';
import type { WatchedPass } from '../plan/cluster-api.ts';
import { executePlan, type ItemResult } from '../plan/execute.ts';
import { type FleetPlan, type FleetPlanOptions, planFleet } from '../plan/fleet-plan.ts';
import { type LiveCluster, observe, type Target } from '../plan/observe.ts';
import { imageWrites, refuseStale, type SavedPlan, targetsOf, withCurrentVersions } from '../plan/saved-plan.ts';
import { choiceKey } from '../rollout/choices.ts';
import { refuseMoves } from '../rollout/refuse-moves.ts';
import { declaredUpstreams } from './declared-upstreams.ts';
import type { ApplyOptions, ApprovedPlan, DesiredFleet, FleetStatus, PlannedFleet } from './fleet.ts';
import { keptCharts, keptConnections, keptFleet, keptInstance } from './kept.ts';
import { observeShards } from './observe-shards.ts';
import { accessOf, clusterScope, errorsIn, instanceId, type OperatedFleet, operatedFleet } from './operated-fleet.ts';
import { managerPass, type PassOptions, type PassOutcome } from './pass.ts';
import type { ManagerPorts } from './ports.ts';
import { recentlyRemoved, recorded } from './removal-memory.ts';
import { renderFleet, valuesIn } from './render-fleet.ts';
import { type RolloutPass, rolloutPass, rolloutsInUse, storeDecision } from './rollout-pass.ts';
import { type RolloutPorts, readOnlyRollouts } from './rollout-ports.ts';
import type { ManagerSettings } from './settings.ts';
import { shadowAccess, shadowMemory } from './shadow-access.ts';
import { declaredTargets, withEarlierTargets } from './targets.ts';
import { requireKnownNames } from './unknown-names.ts';
import { unrenderedShards } from './unrendered-shards.ts';

interface StatusScope {
  /** Only these, as `cluster/namespace`; all when absent. */
  readonly places?: ReadonlySet<string>;
  readonly signal?: AbortSignal;
}

/** The only path from an instance to clusters. Caching makes the next call cheaper, never different. */
export interface Manager {
  /** What the instance declares, restricted to the settings' scope. */
  operated(signal?: AbortSignal): Promise<OperatedFleet>;
  /** The values document of every namespace, as passed to the chart. */
  values(): Promise<OperatedFleet & { readonly values: readonly NamespaceValues[] }>;
  /** The desired objects; `regroup` splits a namespace by the managers that operate it. */
  desired(regroup?: (fleet: OperatedFleet) => readonly NamespaceGroup[]): Promise<DesiredFleet>;
  /** The plan to reach the desired state, from one observation of the clusters. */
  plan(): Promise<PlannedFleet>;
  /** Accepts a saved plan if its objects did not change since; throws an EchelonError otherwise. */
  approve(saved: SavedPlan, file: string, vault?: boolean): Promise<ApprovedPlan>;
  /** Applies a plan and nothing else. */
  apply(approved: ApprovedPlan, options?: ApplyOptions): Promise<ItemResult[]>;
  /** The current status of every shard. */
  status(scope?: StatusScope): Promise<FleetStatus>;
  /** Plans, applies and reports; also observes what the previous pass managed. */
  pass(options: PassOptions): Promise<PassOutcome>;
  close(): void;
}

export function openManager(settings: ManagerSettings, ports: ManagerPorts): Manager {
  const instance = keptInstance(ports.instance);
  const connections = keptConnections(ports.clusters);
  const charts = keptCharts(ports.chart);
  const compared = shadowMemory();

  const selected = keptFleet((read, chosen) => inTurns(operatedFleet(read, chosen)));
  const operated = async (signal: AbortSignal, chosen = settings): Promise<OperatedFleet> =>
    selected(await instance({ signal, ...defined({ onProgress: ports.onProgress }) }), chosen);

  const render = async (fleet: OperatedFleet, signal: AbortSignal): Promise<DesiredFleet> => ({
    ...fleet,
    rendered: await renderFleet(fleet, { ...ports, chart: charts, signal }),
  });

  const isWhole =
    settings.clusters === undefined && settings.namespaces === undefined && settings.internal === undefined;
  const decideRollouts = async (
    rollouts: RolloutPorts | undefined,
    input: Parameters<typeof rolloutPass>[1],
  ): Promise<RolloutPass | undefined> => (rollouts === undefined ? undefined : rolloutPass(rollouts, input));

  const plan = async (signal: AbortSignal, before: readonly Target[], watched?: WatchedPass): Promise<PlannedFleet> => {
    const fleet = await render(await operated(signal), signal);
    const declaring = accessOf(fleet, settings.clusters);
    const declared = declaredTargets(fleet, declaring, fleet.settings);
    // A cluster that has left the scope belongs to another manager; nobody can log in to one that left the instance.
    const inScope = clusterScope(fleet.instance, settings);
    const known = new Set([...declaring, ...fleet.instance.clusters].map(({ name }) => name));
    const targets = withEarlierTargets(
      declared,
      before.filter(({ cluster }) => inScope(cluster) && known.has(cluster)),
    );
    const access = withEarlierAccess(fleet, declaring, targets);
    const vault = fleet.instance.settings?.vault;
    const { connect, shadows } = await connections.open(access, vault);
    for (const { cluster } of targets) ports.onProgress?.(`observe ${cluster}`);
    const live = await observe(targets, connect, signal, watched);
    const rollout = await decideRollouts(ports.rollouts, {
      ...{ fleet, live, connect, signal, isWhole },
      ...defined({ shadows: shadows && shadowAccess(fleet, shadows, compared) }),
    });
    const images = rollout === undefined || rollout.choices.size === 0 ? undefined : imagesOf(rollout);
    const first = planned(fleet, live, defined({ images }));
    const isCounted = ports.removals === undefined || first.removals.length === 0;
    const recent = isCounted ? undefined : await recentlyRemoved(ports.removals, signal);
    const whole = isCounted ? first : planned(fleet, live, defined({ images, recent }));
    return { ...fleet, access, vault, targets, declared, live, plan: whole, ...defined({ rollout }) };
  };

  /** Decides rollouts again where they concern a saved plan. */
  const approveRollouts = async (saved: SavedPlan, file: string, live: readonly LiveCluster[]) => {
    const writes = imageWrites(saved.items, live);
    if (ports.rollouts === undefined || (writes.length === 0 && saved.rolloutRecord === undefined)) return undefined;
    const isNew = saved.rolloutRecord === undefined;
    const read = operated(ports.signal);
    const fleet = await (isNew ? read.catch(notAtHand) : read);
    const inUse = fleet === undefined ? undefined : await rolloutsInUse(ports.rollouts, fleet);
    if (inUse === undefined && isNew) return undefined;
    const { rollout, rendered } = await plan(ports.signal, []);
    const { choices = new Map(), version } = rollout ?? {};
    refuseMoves(file, saved, writes, { choices, namespaces: rendered.namespaces, ...defined({ version }) });
    return rollout;
  };

  const apply: Manager['apply'] = async ({ plan: approved, access, vault, rollout }, options = {}) => {
    const { connect } = await connections.open(access, vault);
    const { signal = ports.signal } = options;
    if (rollout !== undefined && ports.rollouts !== undefined)
      await storeDecision(ports.rollouts, rollout, options.mayWrite);
    const { plan: allowed, skipped } = await recorded(approved, ports.removals, signal);
    const results = await executePlan(allowed, {
      connect,
      signal,
      sleep: ports.sleep,
      ...defined({ concurrency: settings.concurrency }),
      ...options,
    });
    await rollout?.shadows?.(options.mayWrite ?? (() => true));
    return [...results, ...skipped];
  };

  return {
    operated: (signal = ports.signal) => operated(signal),
    values: async () => {
      // Values are for any chart, so nothing is known of the objects' names.
      const fleet = await operated(ports.signal, { ...settings, otherChart: true });
      requireKnownNames(fleet);
      return valuesIn(onlyChosen(fleet));
    },
    desired: async (regroup) => {
      const fleet = await operated(ports.signal);
      // A change that is checked may introduce a name.
      if (regroup === undefined) requireKnownNames(fleet);
      return render(regroup === undefined ? onlyChosen(fleet) : { ...fleet, groups: regroup(fleet) }, ports.signal);
    },
    plan: async () => {
      const made = await plan(ports.signal, []);
      const { items } = made.plan;
      requireKnownNames(made, ({ what, name }) =>
        items.some(({ namespace }) => what === 'upstream' || namespace === name),
      );
      return made;
    },
    approve: async (saved, file, vault) => {
      const { connect } = await connections.open(saved.clusters, vault);
      const live = await observe(targetsOf(saved), connect, ports.signal);
      refuseStale(file, saved, live);
      const rollout = await approveRollouts(saved, file, live);
      const items = withCurrentVersions(saved.items, live);
      const approved = { ...saved, items, failures: [], breaches: [], removals: [], blind: [] };
      return { plan: approved, access: saved.clusters, vault, ...defined({ rollout }) };
    },
    apply,
    status: async ({ places, signal = ports.signal } = {}) => {
      const all = await operated(signal);
      requireKnownNames(all);
      const groups = all.groups.filter(({ namespace }) => places === undefined || places.has(targetOf(namespace)));
      const fleet = await render({ ...all, groups }, signal);
      const access = accessOf(fleet, settings.clusters);
      const { connect } = await connections.open(access, fleet.instance.settings?.vault);
      const rollouts = ports.rollouts === undefined ? undefined : readOnlyRollouts(ports.rollouts);
      const scope = { fleet, connect, signal, isWhole: isWhole && places === undefined };
      const decide = (live: readonly LiveCluster[]) => decideRollouts(rollouts, { ...scope, live });
      return { ...fleet, ...(await observeShards(fleet, connect, signal, decide)) };
    },
    pass: managerPass(plan, apply, isWhole ? ports.places : undefined),
    close: connections.close,
  };
}

function imagesOf({ choices }: RolloutPass): NonNullable<FleetPlanOptions['images']> {
  return (name) => choices.get(choiceKey(name));
}

/** A plan that was made without rollouts can be applied where its instance is not. */
function notAtHand(thrown: unknown): undefined {
  if (thrown instanceof EchelonError && thrown.code === 'INSTANCE_NOT_FOUND') return undefined;
  throw thrown;
}

/** Only the integrations that were asked for. */
function onlyChosen(fleet: OperatedFleet): OperatedFleet {
  const { integrations } = fleet.settings;
  if (integrations === undefined) return fleet;
  const groups = fleet.groups.map(({ namespace, entries }) => {
    return { namespace, entries: entries.filter(({ integration }) => integrations.includes(integration.name)) };
  });
  return { ...fleet, groups: groups.filter(({ entries }) => entries.length > 0) };
}

/** The plan from the desired and the live state. */
function planned(
  fleet: DesiredFleet,
  live: readonly LiveCluster[],
  more: Pick<FleetPlanOptions, 'recent' | 'images'>,
): FleetPlan {
  const { instance, rendered, scope, settings } = fleet;
  const errors = errorsIn(fleet).length;
  return planFleet(rendered.namespaces, live, {
    revision: instance.snapshot.revision.id,
    scope,
    caller: settings.caller,
    declaredFor: declaredUpstreams(instance, settings),
    ...settings.consent,
    ...more,
    ...defined({ instance: instanceId(fleet), callers: settings.callers, integrations: settings.integrations }),
    ...(errors === 0 ? {} : { incomplete: `the instance has ${count(errors, 'error')}` }),
    partial: new Set(rendered.failures.map(({ target }) => target)),
    unrendered: () => unrenderedShards(fleet),
  });
}

/** Adds clusters that an earlier pass managed, if the instance still declares them. */
function withEarlierAccess(
  { instance }: OperatedFleet,
  access: readonly ClusterAccess[],
  targets: readonly Target[],
): ClusterAccess[] {
  const names = new Set(access.map(({ name }) => name));
  const more = new Set(targets.map(({ cluster }) => cluster).filter((cluster) => !names.has(cluster)));
  return [...access, ...instance.clusters.filter(({ name }) => more.has(name))];
}
