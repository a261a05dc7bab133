import type { Person, StoryCommit } from './fast-import.ts';

/** Authors; three of them are users of the example instance, by their account, their address or their name. */
export const PEOPLE = {
  mara: { name: 'Mara Okafor', email: '7311842+mara-okafor@users.noreply.github.com' },
  jonas: { name: 'Jonas Lindqvist', email: 'jlindqvist@example.com' },
  anja: { name: 'Anja Petrov', email: 'AnjaPetrov@users.noreply.github.com' },
  tomas: { name: 'Tomás Reyes', email: 'treyes@contractor.example.org' },
} as const satisfies Record<string, Person>;

type Author = keyof typeof PEOPLE;

interface Step {
  readonly daysAgo: number;
  readonly author: Author;
  readonly subject: string;
  readonly files: readonly string[];
  readonly body?: string;
  readonly tag?: string;
}

function step(daysAgo: number, author: Author, subject: string, ...files: readonly string[]): Step {
  return { daysAgo, author, subject, files };
}

const INTROSPECTION = 'reconcile/gql_definitions/introspection.json';

/** Version of the reconciler that gets a tag; its place in the list. */
export const TAGGED = { name: 'v0.14.0', index: 12 } as const;

/** The reconciler, oldest first. Commits that touch the introspection need newer schemas. */
export const RECONCILER: readonly Step[] = [
  step(210, 'mara', 'Start the reconciler', 'README.md', 'reconcile/cli.py', 'openshift/qontract-manager.yaml'),
  step(204, 'mara', 'Reconcile namespaces', 'reconcile/openshift_namespaces.py', INTROSPECTION),
  step(198, 'jonas', 'Read shards from the environment', 'reconcile/sharding.py'),
  step(190, 'anja', 'Reconcile Slack user groups (#4)', 'reconcile/slack_usergroups.py', INTROSPECTION),
  step(171, 'jonas', 'Plan VPC peerings before changing them (#6)', 'reconcile/terraform_vpc_peerings.py'),
  step(160, 'tomas', 'Retry AWS calls that are throttled (#7)', 'reconcile/aws_api.py'),
  step(154, 'mara', 'Log one line per decision', 'reconcile/cli.py', 'reconcile/sharding.py'),
  step(140, 'anja', 'Leave guests in user groups alone (#9)', 'reconcile/slack_usergroups.py'),
  step(131, 'mara', 'Give the manager a metrics port', 'openshift/qontract-manager.yaml'),
  step(96, 'jonas', 'Apply resources cluster by cluster (#12)', 'reconcile/openshift_resources.py'),
  step(88, 'tomas', 'Read accounts with their owners (#13)', 'reconcile/aws_api.py', INTROSPECTION),
  step(81, 'mara', 'Split busy clusters into sub-shards', 'reconcile/sharding.py', 'reconcile/openshift_resources.py'),
  step(70, 'jonas', 'Take secrets by version (#15)', 'reconcile/openshift_vault_secrets.py'),
  step(62, 'anja', 'Skip archived channels', 'reconcile/slack_usergroups.py'),
  step(51, 'mara', 'Upgrade the Terraform provider (#17)', 'reconcile/terraform_resources.py', 'requirements.txt'),
  step(30, 'jonas', 'Order peerings by account', 'reconcile/terraform_vpc_peerings.py'),
  step(27, 'tomas', 'Read machine pools (#19)', 'reconcile/ocm_machine_pools.py', INTROSPECTION),
  step(24, 'tomas', 'Write machine pools (#20)', 'reconcile/ocm_machine_pools.py'),
  step(23, 'mara', 'Never write an empty machine pool (#21)', 'reconcile/ocm_machine_pools.py'),
  step(19, 'anja', 'Tell which user group is wrong', 'reconcile/slack_usergroups.py'),
  step(12, 'jonas', 'List route tables in pages (#23)', 'reconcile/terraform_vpc_peerings.py'),
  step(9, 'mara', 'Limit memory of the manager', 'openshift/qontract-manager.yaml'),
  step(7, 'anja', 'Read the owners of channels (#25)', 'reconcile/slack_usergroups.py', INTROSPECTION),
  step(5, 'tomas', 'Count throttled calls', 'reconcile/aws_api.py'),
  step(4, 'jonas', 'Show what a dry run would delete (#27)', 'reconcile/openshift_resources.py'),
  {
    ...step(1, 'mara', 'Stop at the first cluster that refuses (#28)', 'reconcile/openshift_resources.py'),
    body: 'Closes: APPSRE-9241\nChange-Number: 269',
  },
];

export const SCHEMAS: readonly Step[] = [
  step(206, 'mara', 'Schemas of namespaces', 'schemas/openshift/namespace-1.yml', 'graphql-schemas/schema.yml'),
  step(192, 'anja', 'User groups', 'schemas/dependencies/slack-usergroup-1.yml', 'graphql-schemas/schema.yml'),
  step(90, 'tomas', 'Owners of accounts', 'schemas/aws/account-1.yml', 'graphql-schemas/schema.yml'),
  step(28, 'tomas', 'Machine pools', 'schemas/openshift/cluster-1.yml', 'graphql-schemas/schema.yml'),
  step(8, 'anja', 'Owners of channels', 'schemas/dependencies/slack-usergroup-1.yml', 'graphql-schemas/schema.yml'),
];

export const FLEET_TOOLS: readonly Step[] = [
  step(180, 'tomas', 'Start the fleet tools', 'README.md', 'exporter/main.py'),
  step(66, 'tomas', 'Export labels of clusters', 'exporter/labels.py'),
  step(15, 'jonas', 'Skip clusters without labels', 'exporter/labels.py'),
  step(3, 'tomas', 'Export the version as well', 'exporter/labels.py'),
];

export const SERVER: readonly Step[] = [
  step(200, 'jonas', 'Serve data over GraphQL', 'README.md', 'src/server.ts'),
  step(75, 'mara', 'Reload bundles without a pause', 'src/bundle.ts'),
  step(33, 'jonas', 'Say which bundle answered', 'src/server.ts'),
  step(10, 'mara', 'Expire bundles that nobody asks for', 'src/bundle.ts'),
];

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Commits with dates before `now`; each file has a line for every commit that touched it. */
export function storyOf(steps: readonly Step[], now: Date): StoryCommit[] {
  const lines = new Map<string, string[]>();
  return steps.map(({ daysAgo, author, subject, files, body }, index) => {
    for (const path of files) lines.set(path, [...(lines.get(path) ?? []), subject]);
    return {
      author: PEOPLE[author],
      date: new Date(now.getTime() - daysAgo * DAY_MS - (index % 7) * HOUR_MS),
      message: body === undefined ? subject : `${subject}\n\n${body}`,
      files: new Map(files.map((path) => [path, contentOf(path, lines.get(path) ?? [])])),
      ...(steps === RECONCILER && index === TAGGED.index ? { tag: TAGGED.name } : {}),
    };
  });
}

function contentOf(path: string, done: readonly string[]): string {
  if (path.endsWith('.json')) return `${JSON.stringify({ data: { changes: done } }, null, 2)}\n`;
  const mark = path.endsWith('.ts') ? '//' : '#';
  return `${[`${mark} ${path}`, ...done.map((line) => `${mark} - ${line}`)].join('\n')}\n`;
}
