import { type Defect, FILE } from './defect.ts';

const NAMESPACE = '$ref: /services/app-interface/namespaces/app-interface-internal.yaml';

/** References that lead nowhere or to the wrong thing, and names that two files claim. */
export const REFERENCE_DEFECTS: readonly Defect[] = [
  {
    defect: 'a reference to a file that does not exist',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.reporter, NAMESPACE, NAMESPACE.replace('internal', 'intern'), '/services'),
      rule: 'ref-dangling',
      says: '/services/app-interface/namespaces/app-interface-intern.yaml does not exist',
      hint: 'did you mean /services/app-interface/namespaces/app-interface-internal.yaml',
    }),
  },
  {
    defect: 'a reference into a file',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.reporter, NAMESPACE, `${NAMESPACE}#/name`, '/services'),
      rule: 'ref-fragment',
      says: 'only whole files',
    }),
  },
  {
    defect: 'an integration whose namespace is a cluster',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.reporter, NAMESPACE, '$ref: /openshift/app-sre-prod-02/cluster.yaml', '/openshift'),
      rule: 'ref-wrong-type',
      says: 'is a /openshift/cluster-1.yml, not a namespace',
    }),
  },
  {
    defect: 'a cluster whose OCM organization is an account',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.prodCluster, '$ref: /ocm/app-sre.yml', '$ref: /aws/app-sre-stage/account.yml', '/aws'),
      rule: 'ref-wrong-type',
      says: 'is a /aws/account-1.yml, not an OCM organization',
    }),
  },
  {
    defect: 'a reference to a file of the wrong kind that only the schema knows',
    withoutSchemas: false,
    inject: (copy) => ({
      at: copy.replace(FILE.appSreAccount, '/aws/app-sre/terraform-state.yml', '/aws/app-sre-stage/account.yml'),
      rule: 'ref-wrong-type',
      says: 'is a /aws/account-1.yml, not a /dependencies/terraform-state-1.yml',
    }),
  },
  {
    defect: 'a resource that does not exist',
    withoutSchemas: false,
    inject: (copy) => ({
      at: copy.replace(
        FILE.stageNamespace,
        '/app-interface/qontract-reconcile-toml.secret.yaml',
        '/app-interface/qontract-reconcile-toml.secrets.yaml',
      ),
      rule: 'resource-missing',
      says: '/app-interface/qontract-reconcile-toml.secrets.yaml does not exist',
      hint: 'did you mean /app-interface/qontract-reconcile-toml.secret.yaml',
    }),
  },
  {
    defect: 'two integrations of one name',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.rulesTester, 'name: prometheus-rules-tester', 'name: openshift-groups', 'openshift'),
      rule: 'duplicate-name',
      says: 'integration openshift-groups is already defined in data/integrations/openshift-groups.yml',
    }),
  },
  {
    defect: 'two clusters of one name',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.stageCluster, 'name: app-sre-stage-01', 'name: app-sre-ci', 'app-sre'),
      rule: 'duplicate-name',
      says: 'cluster app-sre-ci is already defined in data/openshift/app-sre-ci/cluster.yml',
    }),
  },
  {
    defect: 'two organizations of one id',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.paymentsOrganization, '29b6h0qk4tz8nf1p', '2a0m9rw3xk5cvd7s'),
      rule: 'duplicate-name',
      says: '2a0m9rw3xk5cvd7s is already defined in data/ocm/payments-stage.yml',
    }),
  },
  {
    defect: 'two namespaces of one name in a cluster',
    withoutSchemas: true,
    inject: (copy) => ({
      at: copy.replace(FILE.gatewayNamespace, 'name: change-gateway-stage', 'name: app-interface-stage', 'app-'),
      rule: 'duplicate-name',
      says: 'namespace app-interface-stage is already defined in data/services/app-interface',
    }),
  },
];
