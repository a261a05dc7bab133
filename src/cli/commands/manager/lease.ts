import { defined, EchelonError, inTurns } from '../../../base/index.ts';
import { inCluster, isInCluster, type KubeClient, kubeClient, ownNamespace } from '../../../clients/kube/index.ts';
import { type InstanceSource, instanceSteps } from '../../../instance/index.ts';
import { type LeaseApi, leaseObject, type WritePermits, withHeldLease } from '../../../runtime/index.ts';
import { type InstanceFlags, instanceSource } from '../../instance-option.ts';
import type { Io } from '../../io.ts';
import { type ClusterFlags, type ClusterOptions, type Clusters, openClusters } from './clusters.ts';
import type { LeaseFlags } from './flags.ts';

/** The location of a lease. */
export interface LeasePlace {
  /** A cluster of the instance; this pod's own when absent. */
  readonly cluster?: string;
  readonly namespace: string;
  readonly name: string;
}

/** `CLUSTER/NAMESPACE/NAME`, or `NAMESPACE/NAME` in this pod's cluster. */
export function parseLease(text: string): LeasePlace {
  const parts = text.split('/');
  const [name = '', namespace = '', cluster] = parts.toReversed();
  if (parts.length >= 2 && parts.length <= 3 && !parts.includes('')) {
    return { namespace, name, ...defined({ cluster }) };
  }
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--lease ${text} must be CLUSTER/NAMESPACE/NAME or NAMESPACE/NAME`,
    hint: 'use --lease NAMESPACE/NAME for a lease in the cluster of this pod',
  });
}

/** Throws FLAG_INVALID for a lease in the cluster of this pod where there is no pod. */
export function requireLeasePlace(io: Io, text: string): LeasePlace {
  const place = parseLease(text);
  if (place.cluster !== undefined || isInCluster(io.env)) return place;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--lease ${text} is a lease in the cluster of this pod, but this is not a pod`,
    hint: `pass --lease CLUSTER/${text} with the cluster that has the lease`,
  });
}

/** In a pod a lease is used unless disabled; elsewhere only if one is given. */
export async function leasePlace(
  io: Io,
  flag: string | boolean | undefined,
  name: string,
): Promise<LeasePlace | undefined> {
  if (flag === false) return undefined;
  if (typeof flag === 'string') return requireLeasePlace(io, flag);
  if (!isInCluster(io.env)) return undefined;
  const namespace = await ownNamespace(io.env);
  return namespace === undefined ? undefined : { namespace, name };
}

/** A new client for the cluster of a lease. */
export async function leaseClient(
  io: Io,
  place: LeasePlace,
  clusters: Clusters,
  permit?: ClusterOptions['permit'],
): Promise<KubeClient> {
  if (place.cluster !== undefined) return clusters.dedicated(place.cluster, permit);
  const pod = await inCluster({ name: 'the cluster of this pod', env: io.env, ...defined({ onSecret: io.onSecret }) });
  return kubeClient(pod, defined({ permit }));
}

/** The lease as a Kubernetes object. Uses its own client: fleet writes must not delay a renewal. */
export async function kubeLease(io: Io, place: LeasePlace, clusters: Clusters): Promise<LeaseApi> {
  return leaseObject(await leaseClient(io, place, clusters), place);
}

/** The lease cluster is reached with the same credentials as in a pass. */
export async function leaseClusters(
  io: Io,
  flags: ClusterFlags,
  source: InstanceSource,
  { cluster }: LeasePlace,
): Promise<Clusters> {
  if (cluster === undefined) return openClusters(io, flags, [], { readOnly: false });
  const { clusters, namespaces, settings } = await inTurns(instanceSteps(await source.load({ signal: io.signal })));
  const known = [...clusters, ...namespaces.map(({ cluster: of }) => of)].find(({ name }) => name === cluster);
  const vault = settings?.vault === undefined ? {} : { vault: settings.vault };
  return openClusters(io, flags, known === undefined ? [] : [known], { readOnly: false, ...vault });
}

/** Runs a command's writes as the holder of the lease that its flags name; without one they are not restricted. */
export async function withLease<T>(
  io: Io,
  flags: ClusterFlags & InstanceFlags & LeaseFlags,
  permits: Pick<WritePermits, 'grant'>,
  work: (mayWrite: () => boolean) => Promise<T>,
): Promise<T> {
  if (flags.lease === undefined) {
    permits.grant(undefined);
    return work(() => true);
  }
  const place = requireLeasePlace(io, flags.lease);
  const clusters = await leaseClusters(io, flags, await instanceSource(io, flags), place);
  const api = await kubeLease(io, place, clusters);
  return withHeldLease({ api, name: flags.lease, signal: io.signal }, (leadership) => {
    permits.grant(leadership);
    return work(() => leadership.mayWrite());
  });
}
