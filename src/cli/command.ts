import type { Command } from 'commander';
import { didYouMean } from '../base/index.ts';
import { exitHelp } from './io.ts';

/** A single option of a group stays among the own ones of its command. */
function groupOptions({ options }: Command, path: string): void {
  for (const [title, names] of Object.entries(OPTION_GROUPS)) {
    // What is new is named, not selected.
    if (title === 'Selection:' && path.startsWith('init')) continue;
    const found = options.filter((option) => names.includes(option.name()));
    if (found.length > 1) for (const option of found) option.helpGroup(title);
  }
}

/** Ends the help of a command, and of all below it, with examples and exit codes, and groups its options. */
export function addHelp(command: Command, path = command.name()): void {
  for (const child of command.commands) addHelp(child, `${path} ${child.name()}`);
  groupOptions(command, path);
  const examples = (COMMAND_EXAMPLES[path] ?? []).map((example) => `  ${example}\n`);
  if ((command.commands.length > 0 && examples.length === 0) || path.startsWith('_')) return;
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.join('')}`.trimEnd());
  command.addHelpText('after', exitHelp(COMMAND_EXITS[path]));
}

/** `echelon help manager plan`: the help of a command at any depth. */
export function addHelpCommand(command: Command): void {
  command
    .argument('[command...]', 'words of the command')
    .description('Print help for a command.')
    .action((words: readonly string[]) => {
      let at = command.parent ?? command;
      for (const word of words) at = below(at, word);
      at.outputHelp();
    });
}

function below(command: Command, word: string): Command {
  const known = command.commands.filter((child) => !child.name().startsWith('_'));
  const names = known.map((child) => child.name());
  const found = known.find((child) => child.name() === word);
  return found ?? command.error(`error: unknown command '${word}'\n${didYouMean(word, names, '')}`.trimEnd());
}

/** Command lines that a user would type, by command. */
const COMMAND_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  init: ['echelon init demo'],
  'init integration': ['echelon init integration my-labels'],
  'init rollouts': ['echelon init rollouts'],
  'init promotion': ['echelon init promotion'],
  validate: ['echelon validate', 'echelon validate --data ~/instance --schemas schemas -o markdown'],
  'get integrations': ['echelon get integrations -e production'],
  'get shards': ['echelon get shards -i terraform-resources -o wide'],
  'get environments': ['echelon get environments -o name'],
  'get clusters': ['echelon get clusters -i openshift-resources'],
  'get accounts': ['echelon get accounts payments payments-ci -o yaml'],
  'get organizations': ['echelon get organizations -o json'],
  explain: ['echelon explain', 'echelon explain integration.managed.spec', 'echelon explain rollouts --recursive'],
  schema: ['echelon schema rollouts'],
  'shard-of': ['echelon shard-of prod-01/my-namespace --shards 5'],
  'manager values': ['echelon manager values -e production'],
  'manager render': ['echelon manager render -e production', 'echelon manager render --out rendered'],
  'manager plan': ['echelon manager plan -e production', 'echelon manager plan --save plan.json --detailed-exitcode'],
  'manager diff': [
    'echelon manager diff -e production --cluster prod-01',
    'echelon manager diff -i terraform-resources',
  ],
  'manager apply': ['echelon manager apply -e production', 'echelon manager apply plan.json --yes'],
  'manager status': ['echelon manager status -e production', 'echelon manager status --watch --timeout 10m'],
  'manager bootstrap': [
    'echelon manager bootstrap --format manifests -n reconcilers --image registry.example.com/echelon --image-tag 0.1.0',
  ],
  pin: ["echelon pin terraform-resources --except payments-ci -e production --reason 'INC-123'"],
  unpin: ['echelon unpin terraform-resources --all -e production'],
  pins: ['echelon pins --older-than 30d', 'echelon pins --live'],
  'rollout status': ['echelon rollout status', 'echelon rollout status --watch'],
  'rollout explain': ['echelon rollout explain terraform-resources/payments-ci'],
  'rollout forecast': ['echelon rollout forecast'],
  'rollout history': ['echelon rollout history terraform-production --since 7d'],
  'rollout pause': ["echelon rollout pause terraform-production --for 4h --reason 'INC-123'"],
  'rollout resume': ["echelon rollout resume terraform-production --image 19e1349 --reason 'INC-123 is over'"],
  'rollout expedite': ["echelon rollout expedite terraform-production --image 19e1349 --for 2h --reason 'CVE fix'"],
  'rollout reject': ["echelon rollout reject terraform-production --image 19e1349 --reason 'INC-123'"],
  'rollout accept-shadow': [
    "echelon rollout accept-shadow terraform-production --digest sha256:8f3a5c0d1e2b --reason 'as intended'",
  ],
  shadow: ['echelon shadow terraform-resources --shard payments-ci --candidate 19e1349'],
  'pr-check': ['echelon pr-check --base origin/main', 'echelon pr-check --run --comment 42'],
  'promote init': ['echelon promote init --dry-run'],
  'promote plan': ['echelon promote plan', 'echelon promote plan --to v1.2.0 --only production'],
  'promote apply': ['echelon promote apply --only stage'],
  'promote mr': ['echelon promote mr --only production'],
  'promote schemas': ['echelon promote schemas', 'echelon promote schemas mr'],
  'promote rollback': ['echelon promote rollback mr'],
  'run integrations-manager': ['echelon run integrations-manager --run-once --dry-run --no-lease'],
  'run advanced-upgrade-scheduler': ['echelon run advanced-upgrade-scheduler --config-file upgrades.yml'],
  'run ocm-upgrade-scheduler-org': ['echelon run ocm-upgrade-scheduler-org --run-once --dry-run'],
  'run version-gate-approver': ['echelon run version-gate-approver --config-file upgrades.yml'],
  'run command': ['echelon run command --name labels --timeout 5m -- ./labels.sh --verbose'],
  'upgrades plan': [
    'echelon upgrades plan --config-file upgrades.yml',
    'echelon upgrades plan --config-file upgrades.yml --watch',
  ],
  'upgrades apply': ['echelon upgrades apply --config-file upgrades.yml --dry-run'],
  'upgrades decide': ['echelon upgrades decide -f facts.json --explain'],
  'upgrades explain': ['echelon upgrades explain prod-01 --config-file upgrades.yml'],
  'upgrades forecast': ['echelon upgrades forecast --days 30 --what-if changes.yml'],
  'upgrades history': ['echelon upgrades history --config-file upgrades.yml'],
  'upgrades report': ['echelon upgrades report -o markdown'],
  'upgrades simulate': ['echelon upgrades simulate --fleet examples/fleet/fleet.yml --days 30'],
  'aus get policies': ['echelon aus get policies'],
  'aus get version-blocks': ['echelon aus get version-blocks'],
  'aus get freezes': ['echelon aus get freezes'],
  'aus get sectors': ['echelon aus get sectors'],
  'aus get gates': ['echelon aus get gates'],
  'aus apply policies': ['echelon aus apply policies -c prod-01 -s weekdays -w payments -d 7 --sector production'],
  'aus apply version-blocks': ["echelon aus apply version-blocks -b '^4\\.16\\.3$'"],
  'aus apply freezes': ['echelon aus apply freezes --freeze 2026-12-20T00:00:00Z/2027-01-03T00:00:00Z'],
  'aus apply sectors': ['echelon aus apply sectors -a production=stage -m production=25%'],
  'aus apply inheritance': ['echelon aus apply inheritance -i 1QfZcT8mLwKpR2vN9sXdY4hB6gJ'],
  'aus apply gate-agreement': ['echelon aus apply gate-agreement -c prod-01 --version 4.17'],
  'aus delete policy': ['echelon aus delete policy -c prod-01'],
  'aus status': ['echelon aus status --show-all-clusters'],
  'aus validate': ['echelon aus validate --config-file upgrades.yml'],
  console: ['echelon console --config-file upgrades.yml --data ~/instance'],
  'sim kube': ['echelon sim kube --any-namespace --kubeconfig kubeconfig.yml'],
  'sim ocm': ['echelon sim ocm --fleet examples/fleet/fleet.yml'],
  completion: ['echelon completion bash'],
  version: ['echelon version', 'echelon version -o json'],
  help: ['echelon help manager plan'],
};

const CHANGES = { 2: 'changes, with --detailed-exitcode' };
const WATCHED = { 130: 'interrupted, with --watch while something was waited for' };

/** Where they are not the usual ones. */
const COMMAND_EXITS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'manager plan': CHANGES,
  'manager diff': { 0: 'no differences', 1: 'differences', 2: 'the command failed' },
  'promote plan': CHANGES,
  'manager status': WATCHED,
  'rollout status': WATCHED,
  'upgrades plan': { ...CHANGES, ...WATCHED },
  'run command': { 124: 'with --run-once: timed out; any other code of the command is its own' },
  shadow: { 0: 'the same actions', 1: 'other actions', 2: 'could not be compared' },
};

/** Options that several commands share, by the title that they stand under. */
const OPTION_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Instance:': ['data', 'config'],
  'Selection:': [
    ...['environment-name', 'environment', 'integration', 'upstream', 'cluster', 'namespace', 'internal', 'external'],
    ...['ocm-env', 'org-id', 'exclude-org-id'],
  ],
  'Images and chart:': [
    ...['image', 'image-tag-from-ref', 'upstream-clone', 'parameter', 'chart', 'helm', 'no-cache', 'capabilities'],
  ],
  'Clusters:': ['kubeconfig', 'context', 'in-cluster', 'secrets-dir', 'concurrency'],
  'Rollouts:': ['rollouts', 'rollout-record', 'prometheus', 'prometheus-token-file', 'lease'],
  'Changes:': [
    ...['adopt', 'adopt-templates', 'recreate', 'force-conflicts', 'allow-mass-deletion', 'max-image-changes'],
  ],
  'Watching:': ['watch', 'interval', 'timeout'],
  'Output:': ['output', 'progress', 'no-color', 'debug'],
};
