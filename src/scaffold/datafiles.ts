import type { InstanceAnswers } from './answers.ts';

/** New files with their texts, by path below the root of the instance. */
export type NewFiles = ReadonlyMap<string, string>;

/** The smallest complete data: an integration, and a namespace that contains its cluster and environment. */
export function leanData(answers: InstanceAnswers): NewFiles {
  const namespace = `/namespaces/${answers.namespace}.yml`;
  return new Map([
    [`data${namespace}`, namespaceFile(answers)],
    [
      `data/integrations/${answers.integration}.yml`,
      integrationFile({ name: answers.integration, namespace, full: false, depth: 2 }),
    ],
  ]);
}

function namespaceFile({ namespace, cluster, server, environment }: InstanceAnswers): string {
  return [
    ...modeline('lean-namespace', 2),
    '# Where integrations run: a namespace of a cluster, in an environment. All fields: echelon explain lean-namespace',
    '$schema: /openshift/lean-namespace-1.yml',
    `name: ${scalar(namespace)}`,
    'cluster:',
    `  name: ${scalar(cluster)}`,
    `  serverUrl: ${server}`,
    '  # Where its token is in Vault or --secrets-dir; without either, a kubeconfig context of the same name or server is used.',
    `  automationToken: { path: clusters/${cluster}, field: token }`,
    'environment:',
    `  name: ${scalar(environment)}`,
    '',
  ].join('\n');
}

/** The same data with a file for everything, as the published schemas of existing instances require. */
export function fullData(answers: InstanceAnswers): NewFiles {
  const { integration, cluster, environment, namespace } = answers;
  const path = `/namespaces/${namespace}.yml`;
  return new Map([
    ['data/settings.yml', datafile('/app-interface/app-interface-settings-1.yml', SETTINGS)],
    ['data/products/demo.yml', datafile('/app-sre/product-1.yml', PRODUCT)],
    [
      `data/environments/${environment}.yml`,
      datafile('/app-sre/environment-1.yml', environmentText(environment), 'environment'),
    ],
    [`data/clusters/${cluster}.yml`, datafile('/openshift/cluster-1.yml', clusterText(answers), 'cluster')],
    ['data/apps/demo.yml', datafile('/app-sre/app-1.yml', APP)],
    ['data/teams/escalation-policy.yml', datafile('/app-sre/escalation-policy-1.yml', ESCALATION)],
    ['data/teams/slack-group.yml', datafile('/access/permission-1.yml', SLACK_GROUP)],
    ['data/dependencies/slack.yml', datafile('/dependencies/slack-workspace-1.yml', SLACK)],
    [`data${path}`, datafile('/openshift/namespace-1.yml', namespaceText(answers), 'namespace')],
    [
      `data/integrations/${integration}.yml`,
      integrationFile({ name: integration, namespace: path, full: true, depth: 2 }),
    ],
  ]);
}

function datafile(schema: string, text: string, kind?: string): string {
  const head = kind === undefined ? [] : modeline(kind, 2);
  return [...head, `$schema: ${schema}`, 'labels: {}', text].join('\n');
}

const SETTINGS = `name: demo
description: Settings of this instance
# Tells the objects of this instance from those of others: set it to the address of this repository.
repoUrl: https://git.example.com/demo/instance
vault: false
kubeBinary: oc
saasDeployJobTemplate: openshift-saas-deploy
hashLength: 7
`;

const PRODUCT = `name: demo
description: What the environments belong to
productOwners: []
`;

function environmentText(environment: string): string {
  return `name: ${scalar(environment)}
description: An environment; its parameters are those of every integration in it
product: { $ref: /products/demo.yml }
servicePhase: stage
`;
}

function clusterText({ cluster, server }: InstanceAnswers): string {
  return `name: ${scalar(cluster)}
description: Where integrations run
serverUrl: ${server}
consoleUrl: ''
prometheusUrl: ''
elbFQDN: ''
internal: false
auth: []
# Where its token is in Vault or --secrets-dir; without either, a kubeconfig context of the same name or server is used.
automationToken: { path: clusters/${cluster}, field: token }
`;
}

const APP = `name: demo
description: What the namespaces belong to
appCode: DEMO-001
onboardingStatus: InProgress
serviceOwners:
- { name: Demo, email: demo@example.com }
sopsUrl: https://git.example.com/demo/sops
architectureDocument: https://git.example.com/demo/architecture
grafanaUrls: []
escalationPolicy: { $ref: /teams/escalation-policy.yml }
`;

const ESCALATION = `name: demo
description: Who is asked when something is wrong
channels:
  email: [demo@example.com]
  slackUserGroup:
  - $ref: /teams/slack-group.yml
  jiraBoard: []
`;

const SLACK_GROUP = `name: slack-demo
description: The group of the owners
service: slack-usergroup
handle: demo
workspace: { $ref: /dependencies/slack.yml }
channels: [demo]
`;

const SLACK = `name: demo
description: The workspace of the owners
token: { path: creds/slack, field: token }
`;

function namespaceText({ namespace, cluster, environment }: InstanceAnswers): string {
  return `name: ${scalar(namespace)}
description: Where the first integration runs
cluster: { $ref: /clusters/${cluster}.yml }
environment: { $ref: /environments/${environment}.yml }
app: { $ref: /apps/demo.yml }
`;
}

interface IntegrationPlan {
  readonly name: string;
  readonly description?: string;
  /** The path of its namespace below `data/`. */
  readonly namespace: string;
  readonly shards?: number;
  readonly upstream?: string;
  /** Whether it has the fields that the published schemas require. */
  readonly full: boolean;
  /** The folders between the file and the root of the instance. */
  readonly depth: number;
}

/** The text of a new integration file. */
export function integrationFile(plan: IntegrationPlan): string {
  const { name, description = `${name}: say here what it reconciles`, namespace, shards = 1, upstream, full } = plan;
  return [
    ...modeline('integration', plan.depth),
    '# An integration: what it is, and where it runs. All fields: echelon explain integration',
    '$schema: /app-sre/integration-1.yml',
    ...(full ? ['labels: {}'] : []),
    `name: ${scalar(name)}`,
    `description: ${scalar(description)}`,
    ...(upstream === undefined ? [] : [`upstream: ${scalar(upstream)}`]),
    ...(full
      ? ['schemas:', '- /app-interface/app-interface-settings-1.yml', '- /app-sre/integration-1.yml']
      : ['schemas: []']),
    'managed:',
    `- namespace: { $ref: ${namespace} }`,
    '  spec:',
    '    resources:',
    '      requests: { cpu: 50m, memory: 64Mi }',
    '      limits: { memory: 128Mi }',
    ...(shards === 1
      ? []
      : [
          '  # Each shard is a pod with SHARDS and SHARD_ID in its environment, and does its part of the work.',
          '  sharding:',
          '    strategy: static',
          `    shards: ${shards}`,
        ]),
    '',
  ].join('\n');
}

/** The folder of an instance with the JSON Schemas of its files, for editors. */
export const SCHEMA_FOLDER = '.echelon/schemas';

/** The comment by which editors find the JSON Schema of a file that is this many folders deep. */
export function modeline(kind: string, depth: number): string[] {
  return [`# yaml-language-server: $schema=${'../'.repeat(depth)}${SCHEMA_FOLDER}/${kind}.json`];
}

/** Words that YAML does not read as text. */
const WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/;
const PLAIN = /^[a-z][-a-z0-9]*$/;

/** A text as a YAML value: quoted only where it must be. */
export function scalar(text: string): string {
  return PLAIN.test(text) && !WORD.test(text) ? text : JSON.stringify(text);
}
