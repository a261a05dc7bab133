import { parseImage } from '../../base/index.ts';
import { type Fields, fieldsAt, isFields, type KubeObject, listAt } from './objects.ts';

const GRACE_SECONDS = 30;
const HISTORY = 10;
const PROGRESS_SECONDS = 600;
const READABLE = 0o644;
const HOUR = 3600;
const AFFINITY_SECONDS = 10_800;
const BACKOFF = 6;
const SUCCESSFUL_JOBS = 3;

type Defaulting = (object: KubeObject) => void;

/** Fills in what a server fills in; changes the object in place. Expects a normalized object. */
export function setDefaults(object: KubeObject): void {
  BY_KIND[object.kind]?.(object);
}

const BY_KIND: Readonly<Record<string, Defaulting>> = {
  Namespace: defaultNamespace,
  Pod: defaultPod,
  Service: defaultService,
  Secret: (secret) => orElse(secret, 'type', 'Opaque'),
  Deployment: defaultDeployment,
  ReplicaSet: defaultReplicaSet,
  StatefulSet: defaultStatefulSet,
  Job: defaultJob,
  CronJob: defaultCronJob,
};

/** Sets a field that has no value; empty text and 0 are none, where the type makes no difference between them. */
function orElse(fields: Fields, name: string, value: unknown): void {
  if (fields[name] === undefined || fields[name] === null || fields[name] === '') fields[name] = value;
}

function orElseCount(fields: Fields, name: string, value: number): void {
  if (fields[name] === undefined || fields[name] === 0) fields[name] = value;
}

function defaultNamespace({ metadata, status }: KubeObject): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  if (isFields(status)) orElse(status, 'phase', 'Active');
}

function defaultDeployment(object: KubeObject): void {
  const spec = fieldsAt(object, 'spec');
  defaultPodTemplate(spec);
  orElse(spec, 'replicas', 1);
  const strategy = fieldsAt(spec, 'strategy');
  orElse(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] === 'RollingUpdate') {
    orElse(strategy, 'rollingUpdate', {});
    const rollingUpdate = fieldsAt(strategy, 'rollingUpdate');
    orElse(rollingUpdate, 'maxUnavailable', '25%');
    orElse(rollingUpdate, 'maxSurge', '25%');
  }
  orElse(spec, 'revisionHistoryLimit', HISTORY);
  orElse(spec, 'progressDeadlineSeconds', PROGRESS_SECONDS);
}

function defaultReplicaSet(object: KubeObject): void {
  const spec = fieldsAt(object, 'spec');
  defaultPodTemplate(spec);
  orElse(spec, 'replicas', 1);
}

function defaultStatefulSet(object: KubeObject): void {
  const spec = fieldsAt(object, 'spec');
  defaultPodTemplate(spec);
  orElse(spec, 'podManagementPolicy', 'OrderedReady');
  const strategy = fieldsAt(spec, 'updateStrategy');
  if (strategy['type'] === undefined) {
    strategy['type'] = 'RollingUpdate';
    orElse(strategy, 'rollingUpdate', {});
  }
  if (strategy['type'] === 'RollingUpdate' && isFields(strategy['rollingUpdate']))
    orElse(strategy['rollingUpdate'], 'partition', 0);
  orElse(spec, 'persistentVolumeClaimRetentionPolicy', {});
  const retention = fieldsAt(spec, 'persistentVolumeClaimRetentionPolicy');
  orElse(retention, 'whenDeleted', 'Retain');
  orElse(retention, 'whenScaled', 'Retain');
  orElse(spec, 'replicas', 1);
  orElse(spec, 'revisionHistoryLimit', HISTORY);
  for (const claim of listAt(spec, 'volumeClaimTemplates')) {
    Object.assign(claim as Fields, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    orElse(fieldsAt(claim, 'spec'), 'volumeMode', 'Filesystem');
    orElse(fieldsAt(claim, 'status'), 'phase', 'Pending');
  }
}

function defaultCronJob(object: KubeObject): void {
  const spec = fieldsAt(object, 'spec');
  defaultPodTemplate(fieldsAt(spec, 'jobTemplate', 'spec'));
  orElse(spec, 'concurrencyPolicy', 'Allow');
  orElse(spec, 'suspend', false);
  orElse(spec, 'successfulJobsHistoryLimit', SUCCESSFUL_JOBS);
  orElse(spec, 'failedJobsHistoryLimit', 1);
}

function defaultJob(object: KubeObject): void {
  const spec = fieldsAt(object, 'spec');
  defaultPodTemplate(spec);
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  orElse(spec, 'parallelism', 1);
  orElse(spec, 'backoffLimit', spec['backoffLimitPerIndex'] === undefined ? BACKOFF : 2 ** 31 - 1);
  const labels = fieldsAt(spec, 'template', 'metadata', 'labels');
  if (object.metadata.labels === undefined && Object.keys(labels).length > 0)
    object.metadata.labels = { ...labels } as Record<string, string>;
  orElse(spec, 'completionMode', 'NonIndexed');
  orElse(spec, 'suspend', false);
  orElse(spec, 'podReplacementPolicy', spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed');
  orElse(spec, 'manualSelector', false);
}

function defaultService(object: KubeObject): void {
  const spec = fieldsAt(object, 'spec');
  orElse(spec, 'sessionAffinity', 'None');
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (
    spec['sessionAffinity'] === 'ClientIP' &&
    fieldsAt(spec, 'sessionAffinityConfig', 'clientIP')['timeoutSeconds'] === undefined
  )
    spec['sessionAffinityConfig'] = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
  orElse(spec, 'type', 'ClusterIP');
  for (const port of listAt(spec, 'ports') as Fields[]) {
    orElse(port, 'protocol', 'TCP');
    if (port['targetPort'] === undefined || port['targetPort'] === 0 || port['targetPort'] === '')
      port['targetPort'] = port['port'];
  }
  const isExternal = spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer';
  if (isExternal) orElse(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec['type'] !== 'ExternalName') orElse(spec, 'internalTrafficPolicy', 'Cluster');
  if (spec['type'] === 'LoadBalancer') orElse(spec, 'allocateLoadBalancerNodePorts', true);
}

function defaultPod(object: KubeObject): void {
  const spec = fieldsAt(object, 'spec');
  defaultPodSpec(spec);
  orElse(spec, 'enableServiceLinks', true);
  for (const container of [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')] as Fields[]) {
    const resources = fieldsAt(container, 'resources');
    const limits = fieldsAt(resources, 'limits');
    if (Object.keys(limits).length > 0) resources['requests'] = { ...limits, ...fieldsAt(resources, 'requests') };
  }
}

function defaultPodTemplate(spec: Fields): void {
  defaultPodSpec(fieldsAt(spec, 'template', 'spec'));
}

function defaultPodSpec(spec: Fields): void {
  for (const volume of listAt(spec, 'volumes') as Fields[]) defaultVolume(volume);
  const containers = [
    ...listAt(spec, 'initContainers'),
    ...listAt(spec, 'containers'),
    ...listAt(spec, 'ephemeralContainers'),
  ];
  for (const container of containers as Fields[]) defaultContainer(container);
  orElse(spec, 'dnsPolicy', 'ClusterFirst');
  orElse(spec, 'restartPolicy', 'Always');
  orElse(spec, 'securityContext', {});
  orElse(spec, 'terminationGracePeriodSeconds', GRACE_SECONDS);
  orElse(spec, 'schedulerName', 'default-scheduler');
  if (spec['serviceAccountName'] !== undefined) spec['serviceAccount'] = spec['serviceAccountName'];
  else if (spec['serviceAccount'] !== undefined) spec['serviceAccountName'] = spec['serviceAccount'];
}

function defaultContainer(container: Fields): void {
  orElse(container, 'imagePullPolicy', isLatest(String(container['image'] ?? '')) ? 'Always' : 'IfNotPresent');
  orElse(container, 'terminationMessagePath', '/dev/termination-log');
  orElse(container, 'terminationMessagePolicy', 'File');
  for (const port of listAt(container, 'ports') as Fields[]) {
    orElse(port, 'protocol', 'TCP');
  }
  for (const { valueFrom } of listAt(container, 'env') as Fields[]) {
    const reference = fieldsAt(valueFrom, 'fieldRef');
    if (Object.keys(reference).length > 0) orElse(reference, 'apiVersion', 'v1');
    const resource = fieldsAt(valueFrom, 'resourceFieldRef');
    if (Object.keys(resource).length > 0) orElse(resource, 'divisor', '0');
  }
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) defaultProbe(container[probe]);
  for (const hook of ['postStart', 'preStop']) defaultHttpGet(fieldsAt(container, 'lifecycle', hook)['httpGet']);
}

function defaultProbe(probe: unknown): void {
  if (!isFields(probe)) return;
  orElseCount(probe, 'timeoutSeconds', 1);
  orElseCount(probe, 'periodSeconds', 10);
  orElseCount(probe, 'successThreshold', 1);
  orElseCount(probe, 'failureThreshold', 3);
  defaultHttpGet(probe['httpGet']);
  if (isFields(probe['grpc'])) orElse(probe['grpc'], 'service', '');
}

function defaultHttpGet(httpGet: unknown): void {
  if (!isFields(httpGet)) return;
  orElse(httpGet, 'path', '/');
  orElse(httpGet, 'scheme', 'HTTP');
}

const REFERENCE = /^(?:[A-Za-z0-9.-]+(?::\d+)?\/)?[a-z0-9._/-]+(?::[\w.-]+)?$/;

/** Whether the image has the tag `latest`, or no tag and no digest. */
export function isLatest(image: string): boolean {
  if (image.includes('@') || !REFERENCE.test(image)) return false;
  const { tag } = parseImage(image);
  return tag === undefined || tag === 'latest';
}

function defaultVolume(volume: Fields): void {
  if (Object.keys(volume).every((name) => name === 'name')) volume['emptyDir'] = {};
  for (const source of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    if (isFields(volume[source])) orElse(volume[source], 'defaultMode', READABLE);
  }
  if (isFields(volume['hostPath'])) volume['hostPath']['type'] ??= '';
  for (const item of listAt(volume, 'downwardAPI', 'items')) defaultFieldRef(item);
  for (const projection of listAt(volume, 'projected', 'sources')) {
    const token = fieldsAt(projection, 'serviceAccountToken');
    if (Object.keys(token).length > 0) orElse(token, 'expirationSeconds', HOUR);
    for (const item of listAt(projection, 'downwardAPI', 'items')) defaultFieldRef(item);
  }
}

function defaultFieldRef(item: unknown): void {
  const reference = fieldsAt(item, 'fieldRef');
  if (Object.keys(reference).length > 0) orElse(reference, 'apiVersion', 'v1');
}
