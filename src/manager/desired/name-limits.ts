/**
 * The maximum name length that works. The names of StatefulSets and CronJobs become part of a label or of a Job's name,
 * limited to 63 characters including suffixes; the names of a Deployment's pods are truncated.
 */
export const LONGEST_NAME = { Deployment: 242, StatefulSet: 52, CronJob: 52, Service: 63 } as const;
export const LONGEST_LABEL = 63;

const DNS_1123 = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

export function isDnsName(name: string): boolean {
  return DNS_1123.test(name);
}

export function isLabelValue(value: string): boolean {
  return LABEL.test(value);
}
