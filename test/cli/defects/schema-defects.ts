import { type Defect, FILE } from './defect.ts';

const PRODUCTION = 'data/services/app-interface/namespaces/app-interface-production.yml';

/** What only the JSON schemas know. */
export const SCHEMA_DEFECTS: readonly Defect[] = [
  {
    defect: 'a list without an item that it must have',
    withoutSchemas: false,
    inject: (copy) => ({
      at: copy.replace(FILE.rulesTester, '- /app-interface/app-interface-settings-1.yml\n', ''),
      rule: 'json-schema',
      says: 'schemas must contain "/app-interface/app-interface-settings-1.yml"',
    }),
  },
  {
    defect: 'an unknown provider, where each has a form of its own',
    withoutSchemas: false,
    inject: (copy) => ({
      at: copy.replace(
        'data/services/observability/namespaces/observability-production.yml',
        'prometheus-rule\n',
        'prometheus-rules\n',
      ),
      rule: 'json-schema',
      says: 'provider is "prometheus-rules", not one of vault-secret, resource,',
      hint: 'did you mean prometheus-rule?',
    }),
  },
  {
    defect: 'a missing field, where each provider has a form of its own',
    withoutSchemas: false,
    inject: (copy) => ({
      at: copy.replace(
        PRODUCTION,
        '  - provider: s3\n    identifier: app-interface-state\n',
        '  - provider: s3\n',
        'provider',
      ),
      rule: 'json-schema',
      says: 'identifier is missing',
    }),
  },
  {
    defect: 'a wrong field of a target that might stand in a file of its own',
    withoutSchemas: false,
    inject: (copy) => ({
      at: copy.replace(
        'data/services/app-interface/cicd/saas-qontract-server.yaml',
        '  - $ref: /services/app-interface/cicd/targets/qontract-server-stage.yml\n',
        '  - ref: main\n    namespace: { $ref: /services/app-interface/namespaces/app-interface-stage.yml }\n    upstream: 5\n',
        '5',
      ),
      rule: 'json-schema',
      says: 'upstream must be',
    }),
  },
  {
    defect: 'a field that no schema has',
    withoutSchemas: false,
    inject: (copy) => ({
      at: copy.replace(FILE.ciCluster, 'internal: false\n', 'internal: false\ninternl: true\n', 'internl'),
      rule: 'json-schema',
      says: 'internl is not a field of this schema',
      hint: 'did you mean internal?',
    }),
  },
];
