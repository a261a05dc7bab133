/** The flags by which a shard is told its part of the work, and the integrations that are known to understand them. */
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

/** Flags by integration, beyond the built-in ones: from integration files and from a file that the user names. */
export type Capabilities = ReadonlyMap<string, readonly string[]>;

/**
 * Whether an integration understands a flag. `unknown` when nobody says so and nobody says otherwise: the built-in list names
 * integrations for a flag; one that it has under another flag is known not to understand this one.
 */
export function understands(integration: string, flag: string, declared: Capabilities): 'yes' | 'no' | 'unknown' {
  const flags = declared.get(integration);
  if (flags !== undefined) return flags.includes(flag) ? 'yes' : 'no';
  if (BY_FLAG[flag]?.includes(integration)) return 'yes';
  return Object.values(BY_FLAG).some((names) => names.includes(integration)) ? 'no' : 'unknown';
}
