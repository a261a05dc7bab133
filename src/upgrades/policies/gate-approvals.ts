import { cleanMembers, type Reading, splitCsv } from './csv.ts';
import { GATE_LABELS } from './version-gate-labels.ts';

/**
 * Version gates that may be agreed to for a cluster, from the effective label: the subscription's, else the
 * organization's. Without one it is OpenShift's own gate.
 */
export function enabledGates(label: string | undefined, reading: Reading): ReadonlySet<string> {
  const given = splitCsv(label ?? '', reading);
  const members = reading.strict ? cleanMembers(given).members : given;
  return new Set(members.length === 0 ? [GATE_LABELS.ocp] : members);
}
