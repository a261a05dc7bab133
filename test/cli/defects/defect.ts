import type { InstanceCopy, Place } from '../../support/instance-copy.ts';

/** A problem that must be reported: where, by which rule, and a part of the message that tells the cause. */
export interface Expected {
  readonly at: Place | Pick<Place, 'file'>;
  readonly rule: string;
  readonly says: string;
  /** A part of the hint, where it must tell something of its own. */
  readonly hint?: string;
  readonly severity?: 'error' | 'warning';
}

/** One way to break the example instance. */
export interface Defect {
  readonly defect: string;
  /** Breaks the copy and tells what must be found, in the order of the report. */
  readonly inject: (copy: InstanceCopy) => Expected | readonly Expected[];
  /** Whether it is also found where no JSON schemas are at hand. */
  readonly withoutSchemas: boolean;
}

export const FILE = {
  appSreAccount: 'data/aws/app-sre/account.yml',
  archiveAccount: 'data/aws/payments-archive/account.yml',
  appSreOrganization: 'data/ocm/app-sre.yml',
  paymentsOrganization: 'data/ocm/payments.yml',
  stageCluster: 'data/openshift/app-sre-stage-01/cluster.yml',
  ciCluster: 'data/openshift/app-sre-ci/cluster.yml',
  prodCluster: 'data/openshift/app-sre-prod-01/cluster.yml',
  stageNamespace: 'data/services/app-interface/namespaces/app-interface-stage.yml',
  gatewayNamespace: 'data/services/change-gateway/namespaces/change-gateway-stage.yml',
  groups: 'data/integrations/openshift-groups.yml',
  resources: 'data/integrations/openshift-resources.yml',
  reporter: 'data/integrations/app-interface-reporter.yml',
  terraform: 'data/integrations/terraform-resources.yml',
  terraformUsers: 'data/integrations/terraform-users.yml',
  usergroups: 'data/integrations/slack-usergroups.yml',
  housekeeping: 'data/integrations/gitlab-housekeeping.yml',
  jiraWatcher: 'data/integrations/jira-watcher.yml',
  quayMirror: 'data/integrations/quay-mirror.yaml',
  rulesTester: 'data/integrations/prometheus-rules-tester.yml',
} as const;
