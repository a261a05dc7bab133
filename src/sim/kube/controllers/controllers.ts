import { Deletes } from '../deletes.ts';
import type { KubeObject } from '../objects.ts';
import { DEPLOYMENTS, JOBS, NAMESPACES, PODS, REPLICA_SETS, type Resource, STATEFUL_SETS } from '../resources.ts';
import { ApiError } from '../status.ts';
import type { StoreEvent } from '../store.ts';
import { type WriteContext, Writes } from '../writes.ts';
import { type BadImage, badImageFinder } from './bad-images.ts';
import type { ControlContext } from './context.ts';
import { reconcileDeployment } from './deployment.ts';
import { collect, isOrphaned, reconcileDeleted } from './garbage.ts';
import { reconcileJob } from './job.ts';
import { reconcileNamespace } from './namespace.ts';
import { changesWithTime, reconcilePod } from './pod.ts';
import { reconcileReplicaSet } from './replica-set.ts';
import { reconcileStatefulSet } from './stateful-set.ts';

type Reconcile = (object: KubeObject, context: ControlContext) => void;

const RECONCILERS: ReadonlyMap<Resource, Reconcile> = new Map([
  [DEPLOYMENTS, reconcileDeployment],
  [REPLICA_SETS, reconcileReplicaSet],
  [STATEFUL_SETS, reconcileStatefulSet],
  [JOBS, reconcileJob],
  [PODS, reconcilePod],
  [NAMESPACES, reconcileNamespace],
]);

/** More steps than any cluster that fits into memory needs to settle. */
const STEPS_LIMIT = 10_000_000;

/** Brings a cluster to what its objects ask for, one change after the other, in the order in which they happened. */
export class Controllers {
  private readonly context: ControlContext;
  private readonly queue = new Map<string, () => void>();
  /** Pods that change as time goes on, by uid. */
  private readonly restless = new Map<string, KubeObject>();

  constructor({ store, clock, ...rest }: WriteContext, badImages: readonly BadImage[] = []) {
    const writes = new Writes({ store, clock, ...rest });
    const badImageOf = badImageFinder(badImages);
    this.context = { store, clock, writes, deletes: new Deletes(store, clock), badImageOf };
    store.listen((event) => this.notice(event));
  }

  /** Works until there is nothing left to do. */
  run(): void {
    for (let step = 0; this.queue.size > 0; step += 1) {
      if (step > STEPS_LIMIT) throw new Error('the simulated controllers do not settle');
      const [next] = this.queue;
      if (next === undefined) return;
      this.queue.delete(next[0]);
      attempt(next[1]);
    }
  }

  /** Lets the pods catch up with the clock, then works until there is nothing left to do. */
  tick(): void {
    for (const { metadata } of this.restless.values()) this.enqueue(PODS, metadata.namespace, metadata.name);
    this.run();
  }

  private notice({ type, resource, object }: StoreEvent): void {
    const { store } = this.context;
    if (resource === PODS) this.watch(object, type !== 'DELETED');
    for (const { kind, apiVersion, name } of object.metadata.ownerReferences ?? []) {
      const owner = [...RECONCILERS.keys()].find((each) => each.kind === kind && each.apiVersion === apiVersion);
      if (owner !== undefined) this.enqueue(owner, object.metadata.namespace, name);
    }
    if (type === 'DELETED') {
      const { uid = '', deletionTimestamp } = object.metadata;
      if (store.dependents(uid).length > 0 || deletionTimestamp !== undefined)
        this.plan(`collect/${uid}`, () => collect(object, this.context));
      return;
    }
    this.enqueue(resource, object.metadata.namespace, object.metadata.name);
  }

  private watch(pod: KubeObject, exists: boolean): void {
    const { uid = '' } = pod.metadata;
    if (exists && changesWithTime(pod, this.context)) this.restless.set(uid, pod);
    else this.restless.delete(uid);
  }

  private enqueue(resource: Resource, namespace: string | undefined, name: string): void {
    this.plan(`${resource.kind}/${namespace ?? ''}/${name}`, () => {
      const object = this.context.store.get(resource, namespace, name);
      if (object === undefined) return;
      if (isOrphaned(object, this.context))
        this.context.deletes.delete(resource, namespace ?? '', name, {
          propagationPolicy: 'Background',
          dryRun: false,
        });
      else if (object.metadata.deletionTimestamp === undefined) RECONCILERS.get(resource)?.(object, this.context);
      else if (resource === NAMESPACES) reconcileNamespace(object, this.context);
      else reconcileDeleted(resource, object, this.context);
    });
  }

  private plan(key: string, work: () => void): void {
    if (!this.queue.has(key)) this.queue.set(key, work);
  }
}

/** What the server refuses a controller is left as it is, as a real one would try again later. */
function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
