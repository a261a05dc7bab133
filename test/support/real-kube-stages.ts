/** How KWOK lets nodes and pods live: the configuration that it is given. */

/** Of the image of a container that is never ready, such as `v2-broken`. */
const BROKEN = ':[^/:]*broken[^/:]*$';
/** Of one whose process ends again and again, such as `v2-crashing`. */
const CRASHING = ':[^/:]*crashing[^/:]*$';

/** Of one whose process ends again and again, two seconds after it was ready, such as `v2-ailing`. */
const AILING = ':[^/:]*ailing[^/:]*$';

const IS_THERE = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };
const IS_PENDING = { key: '.status.phase', operator: 'In', values: ['Pending'] };
const IS_BROKEN = {
  key: `.spec | (.initContainers[]?, .containers[]) | select(.image | test("${BROKEN}")) | .name`,
};
const IS_CRASHING = { key: `.spec.containers[] | select(.image | test("${CRASHING}")) | .name` };
const IS_AILING = { key: `.spec.containers[] | select(.image | test("${AILING}")) | .name` };
const FINISHES = { key: '.spec.restartPolicy', values: ['Never', 'OnFailure'] };
const HAS_FAILED = { key: '.status.containerStatuses.[] | .name' };

/** Go templates over the pod. */
const NOW = '{{ $now := Now }}';
const IMAGE = `name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  restartCount: 0`;
/** The digest that the image has in the registry, as a kubelet reports it. */
const IMAGE_ID = `{{ regexReplaceAll "(:[^/:]*)?(@.*)?$" .image "" }}@sha256:{{ sha256sum .image }}`;
const PULLED = `${IMAGE}
  imageID: ${IMAGE_ID}`;
const RUNNING = `- ${PULLED}
  ready: true
  started: true
  state: { running: { startedAt: {{ $now | Quote }} } }`;
const COMPLETED = `- ${PULLED}
  ready: false
  started: false
  state: { terminated: { exitCode: 0, reason: Completed, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }`;
const NOT_PULLED = `- ${IMAGE}
  imageID: ""
  ready: false
  started: false
  state: { waiting: { reason: ImagePullBackOff, message: {{ printf "Back-off pulling image %s" .image | Quote }} } }`;

/** More restarts than a job has retries, unless it says how many. */
const CRASHED = `- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: ${IMAGE_ID}
  restartCount: 7
  ready: false
  started: false
  state: { waiting: { reason: CrashLoopBackOff, message: back-off restarting failed container } }`;

const each = (list: string, status: string): string => `{{ range .spec.${list} }}\n${status}\n{{ end }}`;
const conditions = (status: 'True' | 'False'): string =>
  ['ContainersReady', 'Ready']
    .map((type) => `- { type: ${type}, status: "${status}", lastTransitionTime: {{ $now | Quote }} }`)
    .join('\n');

function podStatus(phase: string, ready: 'True' | 'False', containers: string, initContainers: string): string {
  return [
    NOW,
    `phase: ${phase}`,
    'startTime: {{ $now | Quote }}',
    'conditions:',
    conditions(ready),
    'initContainerStatuses:',
    each('initContainers', initContainers),
    'containerStatuses:',
    each('containers', containers),
  ].join('\n');
}

/** What its pod becomes after a while. */
function later(durationMilliseconds: number, made: object): object {
  const { spec, ...rest } = made as { readonly spec: object };
  return { ...rest, spec: { ...spec, delay: { durationMilliseconds } } };
}

function stage(name: string, matchExpressions: readonly object[], next: object, kind = 'Pod'): object {
  return {
    ...{ apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Stage', metadata: { name } },
    spec: { resourceRef: { apiGroup: 'v1', kind }, selector: { matchExpressions }, next },
  };
}

const SIZE = '{ cpu: 1k, memory: 1Ti, pods: 10k }';
const NODE_STATUS = [
  NOW,
  'conditions:',
  '- { type: Ready, status: "True", reason: KubeletReady, lastHeartbeatTime: {{ $now | Quote }}, lastTransitionTime: {{ $now | Quote }} }',
  `capacity: ${SIZE}`,
  `allocatable: ${SIZE}`,
].join('\n');
const IS_READY = { key: '.status.conditions.[] | select( .type == "Ready" ) | .status', values: ['True'] };

/**
 * A node is ready and roomy. A pod runs as soon as it is on a node, finishes if it is to finish, goes when it is deleted; one
 * with a broken image waits, and one with a crashing image has been restarted seven times, at once or when it has been ready.
 */
export const STAGES: readonly object[] = [
  stage('node-ready', [{ ...IS_READY, operator: 'NotIn' }], { statusTemplate: NODE_STATUS }, 'Node'),
  stage(
    'pod-runs',
    [
      ...[IS_THERE, IS_PENDING, { ...IS_BROKEN, operator: 'DoesNotExist' }, { ...FINISHES, operator: 'NotIn' }],
      { ...IS_CRASHING, operator: 'DoesNotExist' },
    ],
    { statusTemplate: podStatus('Running', 'True', RUNNING, COMPLETED) },
  ),
  stage('pod-crashes', [IS_THERE, IS_PENDING, { ...IS_CRASHING, operator: 'Exists' }], {
    statusTemplate: podStatus('Running', 'False', CRASHED, COMPLETED),
  }),
  later(
    2_000,
    stage('pod-crashes-late', [IS_THERE, { ...IS_READY, operator: 'In' }, { ...IS_AILING, operator: 'Exists' }], {
      statusTemplate: podStatus('Running', 'False', CRASHED, COMPLETED),
    }),
  ),
  stage(
    'pod-finishes',
    [
      ...[IS_THERE, IS_PENDING, { ...IS_BROKEN, operator: 'DoesNotExist' }, { ...FINISHES, operator: 'In' }],
      { ...IS_CRASHING, operator: 'DoesNotExist' },
    ],
    { statusTemplate: podStatus('Succeeded', 'False', COMPLETED, COMPLETED) },
  ),
  stage(
    'pod-cannot-pull',
    [IS_THERE, IS_PENDING, { ...IS_BROKEN, operator: 'Exists' }, { ...HAS_FAILED, operator: 'DoesNotExist' }],
    { statusTemplate: podStatus('Pending', 'False', NOT_PULLED, NOT_PULLED) },
  ),
  stage('pod-goes', [{ key: '.metadata.deletionTimestamp', operator: 'Exists' }], {
    finalizers: { empty: true },
    delete: true,
  }),
];
