/** Gates that Echelon knows; others of OCM are ignored. */
export const GATE_LABELS = {
  ocp: 'api.openshift.com/gate-ocp',
  sts: 'api.openshift.com/gate-sts',
  ingress: 'api.openshift.com/gate-ingress',
} as const;
export const KNOWN_VERSION_GATES: ReadonlySet<string> = new Set(Object.values(GATE_LABELS));
