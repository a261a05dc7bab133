import { isJson, type Json, parseImage } from '../../base/index.ts';

/** The server's defaults, by field name. */
const DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  concurrencyPolicy: ['Allow'],
  defaultMode: [0o644],
  dnsPolicy: ['ClusterFirst'],
  failedJobsHistoryLimit: [1],
  failureThreshold: [3],
  internalTrafficPolicy: ['Cluster'],
  ipFamilyPolicy: ['SingleStack'],
  maxSurge: ['25%'],
  maxUnavailable: ['25%'],
  partition: [0],
  periodSeconds: [10],
  podManagementPolicy: ['OrderedReady'],
  progressDeadlineSeconds: [600],
  protocol: ['TCP'],
  replicas: [1],
  restartPolicy: ['Always'],
  revisionHistoryLimit: [10],
  schedulerName: ['default-scheduler'],
  scheme: ['HTTP'],
  sessionAffinity: ['None'],
  successThreshold: [1],
  successfulJobsHistoryLimit: [3],
  suspend: [false],
  terminationGracePeriodSeconds: [30],
  terminationMessagePath: ['/dev/termination-log'],
  terminationMessagePolicy: ['File'],
  timeoutSeconds: [1],
  type: ['RollingUpdate', 'ClusterIP'],
  whenDeleted: ['Retain'],
  whenScaled: ['Retain'],
};

/** Mappings that the server keeps even when they are empty. */
const ALWAYS_THERE: ReadonlySet<string> = new Set(['resources', 'securityContext']);

/**
 * Whether a field that no manager holds any more keeps its value because it is the server's default: then it is not
 * removed. The creator of an object holds these fields too, so this matters only for a takeover.
 *
 * @param parent the desired mapping that contains the field.
 */
export function isServerDefault(field: string, value: unknown, parent: unknown): boolean {
  if (field === 'serviceAccount') return isJson(parent) && parent['serviceAccountName'] === value;
  if (field === 'imagePullPolicy') return isJson(parent) && value === pullPolicyFor(parent);
  if (isJson(value)) return isDefaultMapping(field, value);
  return Object.hasOwn(DEFAULTS, field) && (DEFAULTS[field]?.includes(value) ?? false);
}

function isDefaultMapping(field: string, value: Json): boolean {
  const entries = Object.entries(value);
  if (entries.length === 0) return ALWAYS_THERE.has(field);
  return entries.every(([key, child]) => isServerDefault(key, child, undefined));
}

function pullPolicyFor({ image }: Json): string {
  const { tag, digest } = parseImage(String(image));
  return tag === 'latest' || (tag === undefined && digest === undefined) ? 'Always' : 'IfNotPresent';
}
