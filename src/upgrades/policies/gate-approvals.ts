import { cleanMembers, type Reading, splitCsv } from './csv.ts';
import { GATE_LABELS } from './version-gate-labels.ts';

/**
 * Version gates that may be agreed to for a cluster, from the label in force: that of the subscription, else that of the
 * organization. Without one it is the gate of OpenShift itself.
 */
export function enabledGates(label: string | undefined, reading: Reading): ReadonlySet<string> {
  const given = splitCsv(label ?? '', reading);
  const members = reading.strict ? cleanMembers(given).members : given;
  return new Set(members.length === 0 ? [GATE_LABELS.ocp] : members);
}
