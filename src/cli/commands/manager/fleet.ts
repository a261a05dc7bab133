import { count, defined, didYouMean, EchelonError } from '../../../base/index.ts';
import type { ClusterAccess } from '../../../instance/index.ts';
import {
  type FleetPlan,
  type LiveCluster,
  type NamespaceGroup,
  observe,
  planFleet,
  type Rendered,
  type Target,
} from '../../../manager/index.ts';
import type { Io } from '../../io.ts';
import { progressOn } from '../../output/progress.ts';
import { type ClusterFlags, type Clusters, openClusters } from './clusters.ts';
import { type ManagerContext, openManager } from './context.ts';
import { DEFAULT_UPSTREAM } from './image-parameters.ts';
import { type DesiredFlags, renderAll } from './render-all.ts';

export interface FleetFlags extends DesiredFlags, ClusterFlags {
  readonly cluster?: readonly string[];
  readonly namespace?: readonly string[];
  readonly adopt?: boolean;
  readonly recreate?: boolean;
  readonly forceConflicts?: boolean;
  readonly allowMassDeletion?: boolean;
}

/** Everything that is known before a plan is carried out. */
export interface FleetView {
  readonly context: ManagerContext;
  readonly rendered: Rendered;
  readonly clusters: Clusters;
  readonly access: readonly ClusterAccess[];
  readonly live: readonly LiveCluster[];
  readonly plan: FleetPlan;
}

/** Reads, renders, looks at the clusters and plans. Close the clusters when done. */
export async function viewFleet(io: Io, flags: FleetFlags, readOnly: boolean): Promise<FleetView> {
  const context = narrowed(await openManager(io, flags), flags);
  const rendered = await renderAll(io, flags, context);
  const access = accessOf(context, flags);
  const { settings } = context.instance;
  const clusters = await openClusters(io, flags, access, {
    readOnly,
    ...defined({ vault: settings?.vault }),
  });
  const progress = progressOn(io);
  try {
    const targets = targetsFor(context, access, flags);
    for (const { cluster } of targets) progress.step(`look at ${cluster}`);
    const live = await observe(targets, clusters.connect, io.signal);
    return { context, rendered, clusters, access, live, plan: planOf(io, flags, context, rendered, live) };
  } catch (thrown) {
    clusters.close();
    throw thrown;
  } finally {
    progress.end();
  }
}

export function planOf(
  io: Io,
  flags: FleetFlags,
  context: ManagerContext,
  rendered: Rendered,
  live: readonly LiveCluster[],
): FleetPlan {
  const { instance, problems, scope } = context;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const id = instanceId(context);
  return planFleet(rendered.namespaces, live, {
    revision: instance.snapshot.revision.id,
    scope,
    caller: callerOf(io, flags),
    ...defined({
      instance: id,
      adopt: flags.adopt,
      recreate: flags.recreate,
      forceConflicts: flags.forceConflicts,
      allowMassDeletion: flags.allowMassDeletion,
    }),
    ...(errors === 0 ? {} : { incomplete: `the instance has ${count(errors, 'error')}` }),
    partial: new Set(rendered.failures.map(({ target }) => target)),
  });
}

export function callerOf(io: Io, flags: FleetFlags): string {
  return flags.upstream ?? (io.env['INTEGRATIONS_MANAGER_UPSTREAM'] || DEFAULT_UPSTREAM);
}

/** What tells this data repository from others that operate the same cluster. */
export function instanceId({ instance }: ManagerContext): string | undefined {
  return instance.settings?.repoUrl ?? instance.settings?.name;
}

/** The groups in the clusters and namespaces that were asked for. */
export function narrowed(context: ManagerContext, { cluster, namespace }: FleetFlags): ManagerContext {
  const inCluster = ({ namespace: { cluster: of } }: NamespaceGroup): boolean =>
    cluster === undefined || cluster.includes(of.name);
  const inNamespace = ({ namespace: { name } }: NamespaceGroup): boolean =>
    namespace === undefined || namespace.includes(name);
  return { ...context, groups: context.groups.filter((group) => inCluster(group) && inNamespace(group)) };
}

/** The clusters of the groups, and those that were named though nothing is declared there any more. */
export function accessOf({ groups, instance }: ManagerContext, { cluster = [] }: FleetFlags): ClusterAccess[] {
  const known = new Map<string, ClusterAccess>([
    ...instance.clusters.map((one) => [one.name, one] as const),
    ...instance.namespaces.map(({ cluster: of }) => [of.name, of] as const),
  ]);
  for (const name of cluster) {
    if (known.has(name)) continue;
    throw new EchelonError({
      code: 'CLUSTER_UNKNOWN',
      message: `there is no cluster ${name} in this instance`,
      hint: didYouMean(name, known.keys(), 'see echelon get clusters'),
    });
  }
  const names = new Set([...groups.map(({ namespace }) => namespace.cluster.name), ...cluster]);
  return [...names].flatMap((name) => known.get(name) ?? []);
}

/** With `-n` only those namespaces are looked at; else also where own objects may have been left behind. */
export function targetsFor(context: ManagerContext, access: readonly ClusterAccess[], flags: FleetFlags): Target[] {
  const groups = Map.groupBy(context.groups, ({ namespace }) => namespace.cluster.name);
  const id = instanceId(context);
  const { environment } = context.scope;
  return access.map(({ name }) => {
    const declared = (groups.get(name) ?? []).map(({ namespace }) => namespace.name);
    const elsewhere = id === undefined || flags.namespace !== undefined ? undefined : { instance: id };
    return {
      cluster: name,
      namespaces: [...new Set([...declared, ...(flags.namespace ?? [])])],
      ...(elsewhere === undefined ? {} : { elsewhere: { ...elsewhere, ...defined({ environment }) } }),
    };
  });
}
