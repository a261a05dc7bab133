/** The part of the Prometheus operator's resources that the chart uses, as strict as a server checks it. */
export const OPERATOR_CRDS: readonly object[] = [
  crd('ServiceMonitor', 'servicemonitors', {
    selector: object({ matchLabels: map({ type: 'string' }) }),
    endpoints: list(
      object({
        port: { type: 'string' },
        interval: { type: 'string', pattern: '^[0-9]+(ms|s|m|h)$' },
        honorLabels: { type: 'boolean' },
      }),
    ),
  }),
  crd('PrometheusRule', 'prometheusrules', {
    groups: list(
      object({
        name: { type: 'string', minLength: 1 },
        rules: list(
          object(
            {
              alert: { type: 'string' },
              record: { type: 'string' },
              expr: { 'x-kubernetes-int-or-string': true },
              for: { type: 'string', pattern: '^[0-9]+(s|m|h|d)$' },
              labels: map({ type: 'string' }),
              annotations: map({ type: 'string' }),
            },
            ['expr'],
          ),
        ),
      }),
    ),
  }),
];

function crd(kind: string, plural: string, spec: object): object {
  const group = 'monitoring.coreos.com';
  const schema = { openAPIV3Schema: object({ spec: object(spec, Object.keys(spec)) }, ['spec']) };
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` } },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

function object(properties: object, required?: readonly string[]): object {
  return { type: 'object', properties, ...(required === undefined ? {} : { required }) };
}

function list(items: object): object {
  return { type: 'array', items };
}

function map(additionalProperties: object): object {
  return { type: 'object', additionalProperties };
}
