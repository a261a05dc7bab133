import { deepEqual, type Fields, fieldsAt, isFields, type KubeObject, listAt } from './objects.ts';
import { SERVICES } from './resources.ts';
import type { Store } from './store.ts';

const NETWORK = '10.96';
const FIRST_NODE_PORT = 30_000;

/** What a server decides by itself when an object comes into being; changes it in place. */
export function prepareCreate(object: KubeObject, store: Store): void {
  if (object.kind === 'Namespace') object['spec'] = { finalizers: ['kubernetes'] };
  if (object.kind === 'Service') allocate(object, undefined, store);
  if (object.kind === 'Job') selectOwnPods(object);
  if (object.kind === 'Pod') admitPod(object);
}

/** What a server keeps or decides when an object changes; changes it in place. */
export function prepareUpdate(object: KubeObject, old: KubeObject, store: Store): void {
  if (object.kind === 'Namespace') object['spec'] = old['spec'];
  if (object.kind === 'Service') allocate(object, old, store);
}

/** Addresses of a service are given once and then kept. */
function allocate(object: KubeObject, old: KubeObject | undefined, store: Store): void {
  const spec = fieldsAt(object, 'spec');
  const before = fieldsAt(old, 'spec');
  if (spec['type'] === 'ExternalName') return;
  if (spec['clusterIP'] === undefined) spec['clusterIP'] = before['clusterIP'] ?? freeAddress(store);
  if (spec['clusterIPs'] === undefined) spec['clusterIPs'] = [spec['clusterIP']];
  if (spec['ipFamilies'] === undefined) spec['ipFamilies'] = before['ipFamilies'] ?? ['IPv4'];
  if (spec['ipFamilyPolicy'] === undefined) spec['ipFamilyPolicy'] = before['ipFamilyPolicy'] ?? 'SingleStack';
  if (spec['type'] === 'NodePort' || spec['type'] === 'LoadBalancer') allocatePorts(spec, before, store);
}

function freeAddress(store: Store): string {
  const taken = new Set(store.list(SERVICES).map((service) => fieldsAt(service, 'spec')['clusterIP']));
  for (let i = taken.size + 10; ; i += 1) {
    const address = `${NETWORK}.${Math.floor(i / 250) % 250}.${(i % 250) + 1}`;
    if (!taken.has(address)) return address;
  }
}

function allocatePorts(spec: Fields, before: Fields, store: Store): void {
  const portsOf = (of: Fields): Fields[] => (Array.isArray(of['ports']) ? of['ports'].filter(isFields) : []);
  const taken = new Set(
    store.list(SERVICES).flatMap((service) => portsOf(fieldsAt(service, 'spec')).map(({ nodePort }) => nodePort)),
  );
  let next = FIRST_NODE_PORT;
  for (const port of portsOf(spec)) {
    port['nodePort'] ??= portsOf(before).find((old) => old['port'] === port['port'])?.['nodePort'];
    while (port['nodePort'] === undefined) {
      if (!taken.has(next)) port['nodePort'] = next;
      next += 1;
    }
    taken.add(port['nodePort']);
  }
}

/** A job without a selector of its own selects by its uid. */
function selectOwnPods(object: KubeObject): void {
  const spec = fieldsAt(object, 'spec');
  if (spec['manualSelector'] === true || spec['selector'] !== undefined) return;
  const { uid = '', name } = object.metadata;
  const template = fieldsAt(spec, 'template');
  const metadata = fieldsAt(template, 'metadata');
  const own = object.metadata.labels ?? {};
  const hasOwnLabels = Object.keys(own).length > 0 && !deepEqual(own, metadata['labels']);
  metadata['labels'] = {
    ...fieldsAt(metadata, 'labels'),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  spec['selector'] = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  if (!hasOwnLabels) object.metadata.labels = { ...fieldsAt(metadata, 'labels') } as Record<string, string>;
}

const TOLERATED = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const TOLERATION_SECONDS = 300;

function admitPod(pod: KubeObject): void {
  const spec = fieldsAt(pod, 'spec');
  const given = listAt(spec, 'tolerations') as Fields[];
  const added = TOLERATED.filter((key) => !given.some((toleration) => toleration['key'] === key)).map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: TOLERATION_SECONDS,
  }));
  spec['tolerations'] = [...given, ...added];
  spec['priority'] ??= 0;
  spec['preemptionPolicy'] ??= 'PreemptLowerPriority';
  pod['status'] = { phase: 'Pending', qosClass: qosClass(pod) };
}

function qosClass(pod: KubeObject): string {
  const containers = fieldsAt(pod, 'spec')['containers'];
  const resources = (Array.isArray(containers) ? containers : []).map((container) => fieldsAt(container, 'resources'));
  const named = resources.map((each) => ({ requests: fieldsAt(each, 'requests'), limits: fieldsAt(each, 'limits') }));
  if (named.every(({ requests, limits }) => Object.keys({ ...requests, ...limits }).length === 0)) return 'BestEffort';
  const isGuaranteed = named.every(({ requests, limits }) =>
    ['cpu', 'memory'].every((name) => limits[name] !== undefined && limits[name] === (requests[name] ?? limits[name])),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}
