import { defined } from '../../../base/index.ts';
import { nameHash } from '../ids.ts';
import { deepEqual, type Fields, fieldsAt, type KubeObject, valueAt } from '../objects.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../resources.ts';
import type { ControlContext } from './context.ts';
import { limitsOf, rollout } from './rollout.ts';
import { condition, controlled, createObject, ownerOf, removeObject, writeObject, writeStatus } from './write-as.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MOST = 'deployment.kubernetes.io/max-replicas';
const HASH_LABEL = 'pod-template-hash';
const NOT_COPIED = [
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  DESIRED,
  MOST,
  'deployment.kubernetes.io/revision-history',
];
const HASH_LENGTH = 10;

/** A replica set for each template a deployment had; the newest grows as the others shrink. */
export function reconcileDeployment(deployment: KubeObject, context: ControlContext): void {
  const all = controlled(REPLICA_SETS, deployment, context).sort((a, b) => revisionOf(a) - revisionOf(b));
  const isPaused = valueAt(deployment, 'spec', 'paused') === true;
  const newest =
    all.find((each) => hasTemplateOf(each, deployment)) ?? (isPaused ? undefined : create(deployment, all, context));
  const older = all.filter((each) => each !== newest);
  if (newest !== undefined) {
    if (!isPaused) {
      const revision = Math.max(revisionOf(newest), ...older.map((each) => revisionOf(each) + 1));
      const targets = rollout(deployment, newest, older);
      adjust(newest, targets.get(newest), annotationsOf(deployment, revision), context);
      for (const each of older) adjust(each, targets.get(each), undefined, context);
      forgetOldest(deployment, older, context);
    } else scalePaused(deployment, newest, context);
  }
  writeDeploymentStatus(deployment, newest?.metadata.name, context);
}

function revisionOf({ metadata }: KubeObject): number {
  return Number(metadata.annotations?.[REVISION] ?? 0);
}

function withoutHash(template: unknown): unknown {
  const { [HASH_LABEL]: _, ...labels } = fieldsAt(template, 'metadata', 'labels');
  return { ...fieldsAt(template), metadata: { ...fieldsAt(template, 'metadata'), labels } };
}

function hasTemplateOf(replicaSet: KubeObject, deployment: KubeObject): boolean {
  return deepEqual(
    withoutHash(valueAt(replicaSet, 'spec', 'template')),
    withoutHash(valueAt(deployment, 'spec', 'template')),
  );
}

function annotationsOf(deployment: KubeObject, revision: number): Record<string, string> {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !NOT_COPIED.includes(name));
  const { desired, surge } = limitsOf(deployment);
  return {
    ...Object.fromEntries(own),
    [REVISION]: String(revision),
    [DESIRED]: String(desired),
    [MOST]: String(desired + surge),
  };
}

function create(deployment: KubeObject, older: readonly KubeObject[], context: ControlContext): KubeObject {
  const { namespace = '', name } = deployment.metadata;
  const template = fieldsAt(deployment, 'spec', 'template');
  const hash = nameHash(`${older.length}${JSON.stringify(template)}`, HASH_LENGTH);
  const labels = { ...fieldsAt(template, 'metadata', 'labels'), [HASH_LABEL]: hash };
  const selector = fieldsAt(deployment, 'spec', 'selector');
  const { minReadySeconds } = fieldsAt(deployment, 'spec');
  const { desired, surge } = limitsOf(deployment);
  const present = older.reduce((sum, each) => sum + Number(valueAt(each, 'spec', 'replicas') ?? 0), 0);
  const isRecreate = valueAt(deployment, 'spec', 'strategy', 'type') === 'Recreate';
  const replicas = isRecreate && present > 0 ? 0 : Math.max(0, Math.min(desired, desired + surge - present));
  return createObject(
    REPLICA_SETS,
    namespace,
    {
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels,
        annotations: annotationsOf(deployment, Math.max(0, ...older.map(revisionOf)) + 1),
        ownerReferences: [ownerOf(deployment)],
      },
      spec: {
        replicas,
        selector: { ...selector, matchLabels: { ...fieldsAt(selector, 'matchLabels'), [HASH_LABEL]: hash } },
        template: { ...template, metadata: { ...fieldsAt(template, 'metadata'), labels } },
        ...defined({ minReadySeconds }),
      },
    },
    context,
  );
}

function adjust(
  replicaSet: KubeObject,
  replicas: number | undefined,
  annotations: Record<string, string> | undefined,
  context: ControlContext,
): void {
  const spec = fieldsAt(replicaSet, 'spec');
  const next: KubeObject = {
    ...replicaSet,
    metadata:
      annotations === undefined
        ? replicaSet.metadata
        : { ...replicaSet.metadata, annotations: { ...replicaSet.metadata.annotations, ...annotations } },
    spec: replicas === undefined ? spec : { ...spec, replicas },
  };
  if (!deepEqual(next, replicaSet)) writeObject(REPLICA_SETS, next, context);
}

function scalePaused(deployment: KubeObject, newest: KubeObject, context: ControlContext): void {
  const { desired } = limitsOf(deployment);
  if (valueAt(newest, 'spec', 'replicas') !== 0) adjust(newest, desired, undefined, context);
}

function forgetOldest(deployment: KubeObject, older: readonly KubeObject[], context: ControlContext): void {
  const limit = Number(valueAt(deployment, 'spec', 'revisionHistoryLimit') ?? 10);
  const idle = older.filter(
    (each) => valueAt(each, 'spec', 'replicas') === 0 && valueAt(each, 'status', 'replicas') === 0,
  );
  for (const each of idle.slice(0, Math.max(0, idle.length - limit))) removeObject(REPLICA_SETS, each, context);
}

function writeDeploymentStatus(before: KubeObject, newestName: string | undefined, context: ControlContext): void {
  const { namespace, name } = before.metadata;
  const deployment = context.store.get(DEPLOYMENTS, namespace, name);
  if (deployment === undefined) return;
  const all = controlled(REPLICA_SETS, deployment, context);
  const newest = all.find((each) => each.metadata.name === newestName);
  const sum = (field: string): number =>
    all.reduce((total, each) => total + Number(valueAt(each, 'status', field) ?? 0), 0);
  const { desired, unavailable } = limitsOf(deployment);
  const [replicas, ready, available] = [sum('replicas'), sum('readyReplicas'), sum('availableReplicas')];
  const updated = Number(valueAt(newest, 'status', 'replicas') ?? 0);
  const status: Fields = {
    observedGeneration: deployment.metadata.generation,
    replicas,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: available,
    unavailableReplicas: Math.max(0, Math.max(replicas, desired) - available),
    terminatingReplicas: 0,
    conditions: conditionsOf(deployment, { desired, unavailable, replicas, updated, available, newestName }, context),
  };
  const revision = newest?.metadata.annotations?.[REVISION];
  const annotations = {
    ...deployment.metadata.annotations,
    ...defined({ [REVISION]: revision }),
  };
  writeStatus(DEPLOYMENTS, deployment, status, context, { annotations });
}

interface Counts {
  readonly desired: number;
  readonly unavailable: number;
  readonly replicas: number;
  readonly updated: number;
  readonly available: number;
  readonly newestName: string | undefined;
}

function conditionsOf(deployment: KubeObject, counts: Counts, { writes }: ControlContext): Fields[] {
  const { desired, unavailable, replicas, updated, available, newestName } = counts;
  const isAvailable = available >= desired - unavailable;
  const isComplete = updated === desired && replicas === desired && available === desired;
  const availability = {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    lastUpdateTime: '',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: isAvailable ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
  };
  const progress = {
    type: 'Progressing',
    status: 'True',
    lastUpdateTime: '',
    reason: isComplete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
    message: `ReplicaSet "${newestName}" ${isComplete ? 'has successfully progressed' : 'is progressing'}.`,
  };
  const now = writes.now();
  return [
    condition(deployment, availability, now),
    ...(newestName === undefined ? [] : [condition(deployment, progress, now)]),
  ];
}
