/** Schemas of the datafiles that Echelon reads. */
export const SCHEMA = {
  integration: '/app-sre/integration-1.yml',
  environment: '/app-sre/environment-1.yml',
  product: '/app-sre/product-1.yml',
  namespace: '/openshift/namespace-1.yml',
  leanNamespace: '/openshift/lean-namespace-1.yml',
  cluster: '/openshift/cluster-1.yml',
  account: '/aws/account-1.yml',
  organization: '/openshift/openshift-cluster-manager-1.yml',
  ocmEnvironment: '/openshift/openshift-cluster-manager-environment-1.yml',
  cloudflareAccount: '/cloudflare/account-1.yml',
  zone: '/cloudflare/dns-zone-1.yml',
  saasFile: '/app-sre/saas-file-2.yml',
  saasTarget: '/app-sre/saas-file-target-1.yml',
  settings: '/app-interface/app-interface-settings-1.yml',
} as const;
