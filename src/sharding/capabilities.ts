/** The flags that pass a shard its share of the work, and the integrations known to support them. */
const BY_FLAG: Readonly<Record<string, readonly string[]>> = {
  '--account-name': [
    'aws-account-manager',
    'aws-iam-keys',
    'aws-saml-idp',
    'aws-saml-roles',
    'terraform-aws-route53',
    'terraform-init',
    'terraform-resources',
    'terraform-tgw-attachments',
    'terraform-users',
    'terraform-vpc-peerings',
    'terraform-vpc-resources',
  ],
  '--cluster-name': [
    'dashdotdb-dvo',
    'endpoints-discovery',
    'openshift-namespaces',
    'openshift-namespaces-api',
    'openshift-prometheus-rules',
    'openshift-resources',
    'openshift-rhcs-certs',
    'openshift-routes',
    'openshift-vault-secrets',
    'prometheus-rules-tester',
  ],
  '--org-id': ['advanced-upgrade-scheduler', 'ocm-addons-upgrade-scheduler-org', 'ocm-upgrade-scheduler-org'],
  '--ocm-env': ['advanced-upgrade-scheduler'],
};

/** Flags by integration, beyond the built-in ones: from integration files and from a file given by the user. */
export type Capabilities = ReadonlyMap<string, readonly string[]>;

/**
 * Whether an integration supports a flag. `unknown` when neither a declaration nor the built-in list has it: the list names
 * integrations by flag; one listed under another flag only is known not to support this one.
 */
export function understands(integration: string, flag: string, declared: Capabilities): 'yes' | 'no' | 'unknown' {
  const flags = declared.get(integration);
  if (flags !== undefined) return flags.includes(flag) ? 'yes' : 'no';
  if (BY_FLAG[flag]?.includes(integration)) return 'yes';
  return Object.values(BY_FLAG).some((names) => names.includes(integration)) ? 'no' : 'unknown';
}
