import { defined, EchelonError, mapLimited, passes, serverAddress } from '../../base/index.ts';
import type { Namespace } from '../../instance/index.ts';
import { type DesiredNamespace, type KubeObject, objectKey } from '../desired/desired-namespace.ts';
import { type NamespaceGroup, targetOf } from '../desired/group.ts';
import { isWorkload } from '../desired/identity.ts';
import type { Rendered } from '../desired/render.ts';
import type { ClusterApi, Connect } from '../plan/cluster-api.ts';
import type { LiveCluster, PlaceFailure } from '../plan/observe.ts';
import { placeOf } from '../plan/places.ts';
import { placeFailureText } from '../report/obstacles.ts';
import { choiceKey } from '../rollout/choices.ts';
import { type ShardStatus, statusOf, unknownShards } from '../status/status.ts';
import { declaredUpstreams } from './declared-upstreams.ts';
import type { OperatedFleet } from './operated-fleet.ts';
import type { RolloutPass } from './rollout-pass.ts';

const NAMESPACES_AT_ONCE = 8;
const STATUS_KINDS = ['Deployment', 'StatefulSet', 'CronJob', 'ReplicaSet', 'Pod'];

/** The current status of every shard, and the namespaces that could not be observed. */
export interface ObservedShards {
  readonly shards: readonly ShardStatus[];
  readonly failures: readonly PlaceFailure[];
  /** Why it is not known what rollouts hold, or that they hold everything because their file cannot be used. */
  readonly rolloutFault?: EchelonError;
  /** What rollouts decided; absent without them, or when they cannot be decided. */
  readonly rollout?: RolloutPass;
}

/** What rollouts decide about workloads that were observed; absent without rollouts. */
type DecideRollouts = (live: readonly LiveCluster[]) => Promise<RolloutPass | undefined>;

/** A namespace that cannot be observed does not affect the others. */
export async function observeShards(
  fleet: OperatedFleet & { readonly rendered: Rendered },
  connect: Connect,
  signal: AbortSignal,
  decide: DecideRollouts,
): Promise<ObservedShards> {
  const { caller, callers = caller, integrations, scope } = fleet.settings;
  const declaredFor = declaredUpstreams(fleet.instance, fleet.settings);
  const desired = new Map(fleet.rendered.namespaces.map((namespace) => [placeOf(namespace), namespace]));
  const declared = declaredObjects(fleet.groups, desired);
  const observed = await mapLimited(fleet.groups, NAMESPACES_AT_ONCE, (group) => observeGroup(group, connect, signal));
  const seen = observed.flatMap((one) => ('live' in one ? [one] : []));
  const { rollout, fault: rolloutFault } = await rolloutsOf(decide, seen, signal);
  const shards = seen.flatMap(({ group, live, ...place }) =>
    statusOf({
      ...{ group, desired: desired.get(targetOf(group.namespace)), ...place, live, callers },
      isAnothers: (object) => {
        const declaring = scope.upstream === undefined ? undefined : declaredFor(object, place.namespace);
        return declaring !== undefined && declaring.upstream !== scope.upstream;
      },
      declaredToo: declared.get(spotOf(group.namespace)) ?? new Set(),
      heldBecause: ({ kind, name }) => {
        const choice = rollout?.choices.get(choiceKey({ ...place, kind, name }));
        return choice?.kind === 'hold' ? choice.reason : undefined;
      },
    }),
  );
  const failed = observed.flatMap((one) => ('error' in one ? [one] : []));
  const unknown = failed.flatMap(({ group, ...failure }) =>
    unknownShards(
      { group, desired: desired.get(targetOf(group.namespace)), ...placed(group) },
      placeFailureText(failure),
    ),
  );
  return {
    shards: [...shards, ...unknown].filter(({ integration }) => passes(integrations, integration ?? '')),
    failures: failed.map(({ group: _, ...failure }) => failure),
    ...defined({ rolloutFault, rollout }),
  };
}

interface ObservedGroup {
  readonly group: NamespaceGroup;
  readonly cluster: string;
  readonly namespace: string;
  readonly live: readonly KubeObject[];
}

type FailedGroup = PlaceFailure & { readonly group: NamespaceGroup };

function placed({ namespace }: NamespaceGroup): { readonly cluster: string; readonly namespace: string } {
  return { cluster: namespace.cluster.name, namespace: namespace.name };
}

async function observeGroup(
  group: NamespaceGroup,
  connect: Connect,
  signal: AbortSignal,
): Promise<ObservedGroup | FailedGroup> {
  const place = placed(group);
  const { cluster, namespace } = place;
  try {
    return { group, ...place, live: await liveObjects(await connect(cluster), namespace, signal) };
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    return { group, ...place, error: thrown };
  }
}

/** Without their decision every shard is compared to its declared image. */
async function rolloutsOf(
  decide: DecideRollouts,
  seen: readonly ObservedGroup[],
  signal: AbortSignal,
): Promise<{ readonly rollout?: RolloutPass; readonly fault?: EchelonError }> {
  const live = seen.map(({ cluster, namespace, live: objects }): LiveCluster => {
    const workloads = objects.filter(isWorkload);
    return { cluster, namespaces: [{ cluster, namespace, objects: workloads }], elsewhere: [], failures: [] };
  });
  try {
    const rollout = await decide(live);
    return defined({ rollout, fault: rollout?.fault });
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof EchelonError)) throw thrown;
    return { fault: thrown };
  }
}

async function liveObjects(api: ClusterApi, namespace: string, signal: AbortSignal) {
  const lists = await Promise.all(STATUS_KINDS.map((kind) => api.list(kind, { namespace, signal })));
  return lists.flat();
}

/** The desired objects of every namespace, under all names of its cluster. */
function declaredObjects(
  groups: readonly NamespaceGroup[],
  desired: ReadonlyMap<string, DesiredNamespace>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const objects = new Map<string, Set<string>>();
  for (const { namespace } of groups) {
    const known = objects.get(spotOf(namespace)) ?? new Set();
    for (const object of desired.get(targetOf(namespace))?.objects ?? []) known.add(objectKey(object));
    objects.set(spotOf(namespace), known);
  }
  return objects;
}

function spotOf({ cluster, name }: Namespace): string {
  return `${serverAddress(cluster.serverUrl) ?? cluster.name}/${name}`;
}
