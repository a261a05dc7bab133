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

/**
 * The capability of an integration that divides its work by hash among pods with the same flags. It is named for the
 * environment variable that such an integration reads.
 */
export const DIVIDES = 'SHARDS';

/** The capability of an integration that also reads by which function keys are assigned to its shards. */
export const CHOOSES_MEMBERSHIP = 'SHARD_MEMBERSHIP';

/** The integrations known to read SHARDS. Those that take an account or an organization do not. */
const DIVIDING: readonly string[] = [
  'gitlab-housekeeping',
  'openshift-groups',
  'openshift-namespace-labels',
  'openshift-namespaces',
  'openshift-network-policies',
  'openshift-prometheus-rules',
  'openshift-resources',
  'openshift-rolebindings',
  'openshift-routes',
  'openshift-tekton-resources',
  'openshift-vault-secrets',
];

/** Capabilities by integration, beyond the built-in ones: from integration files and from a file given by the user. */
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

/** They divide saas files by SHARDS, whatever they trigger. */
const DIVIDING_TRIGGERS = 'openshift-saas-deploy-trigger-';

/** Whether pods of an integration that differ only in SHARD_ID do different work. */
export function dividesWork(integration: string, declared: Capabilities): boolean {
  const builtIn = DIVIDING.includes(integration) || integration.startsWith(DIVIDING_TRIGGERS);
  return declared.get(integration)?.includes(DIVIDES) ?? builtIn;
}

/** The repository whose integrations are all known, so that one that is not listed does not read SHARDS. */
const KNOWN_UPSTREAM = /[/:]qontract-reconcile(?:\.git)?\/?$/;

/** Whether it is known that static shards of an integration would all do the same work. */
export function repeatsWork(
  { name, upstream }: { readonly name: string; readonly upstream?: string | undefined },
  declared: Capabilities,
): boolean {
  const isKnown =
    declared.has(name) ||
    KNOWN_UPSTREAM.test(upstream ?? '') ||
    Object.values(BY_FLAG).some((names) => names.includes(name));
  return isKnown && !dividesWork(name, declared);
}

/** What is declared of an integration: its own file wins over a file given by the user. */
export function withOwn(
  capabilities: Capabilities,
  { name, capabilities: own }: { readonly name: string; readonly capabilities?: readonly string[] },
): Capabilities {
  return own === undefined ? capabilities : new Map([...capabilities, [name, own]]);
}
