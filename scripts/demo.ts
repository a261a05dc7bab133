import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Shows Echelon at work on the example instance; stops at the first command that does not do what it should. */
const REPO = join(import.meta.dirname, '..');
const EXAMPLE = 'examples/instance';
const INTEGRATIONS = 'data/integrations';

function say(text: string): void {
  console.log(`\n# ${text}`);
}

function run(args: readonly string[], expected = 0): void {
  console.log(`$ echelon ${args.join(' ')}`);
  const { status } = spawnSync(join(REPO, 'bin/echelon'), args, { cwd: REPO, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === expected) return;
  console.error(`the demo expected exit code ${expected}, not ${status}`);
  process.exit(1);
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  writeFileSync(file, text.replace(from, to));
}

/** The lines of a file that changed, as a reader of a merge request would see them. */
function showDifference(file: string, before: string): void {
  const [old, now] = [before.split('\n'), readFileSync(file, 'utf8').split('\n')];
  for (const [index, line] of now.entries()) {
    if (line !== old[index]) console.log(`- ${old[index]?.trim()}\n+ ${line.trim()}`);
  }
}

function lookAround(): void {
  say('An instance declares what a team runs. This is what the example instance has:');
  run(['get', 'environments', '--data', EXAMPLE]);
  run(['get', 'clusters', '--data', EXAMPLE]);
  say('Integrations run per account, per cluster, per organization or in a fixed number of shards:');
  run(['get', 'integrations', '--data', EXAMPLE, '--environment', 'app-interface-production']);
}

function validate(copy: string): void {
  say('Is it right? One command, every problem in one run:');
  run(['validate', '--data', EXAMPLE]);
  say('The same instance with three typing mistakes in two files:');
  const integrations = join(copy, INTEGRATIONS);
  edit(join(integrations, 'terraform-vpc-peerings.yaml'), '/aws/payments-stage/account', '/aws/payment-stage/account');
  edit(join(integrations, 'openshift-resources.yml'), 'memory: 1600Mi', 'memory: 2Gazillions');
  edit(join(integrations, 'openshift-resources.yml'), 'imageRef: d90b2ac', 'imageRef: 0123456');
  run(['validate', '--data', copy], 1);
}

function shards(copy: string, out: string): void {
  say('The shards of one integration, with the image of each and where it comes from:');
  run(['get', 'shards', '--data', EXAMPLE, '--integration', 'terraform-resources', '-e', 'app-interface-production']);
  say('Every shard as a Kubernetes object, one file each, ready for a GitOps repository:');
  run(['manager', 'render', '--data', copy, '--out', out]);
  const name =
    'app-sre-prod-01/app-interface-production/deployment-qontract-reconcile-openshift-resources-app-sre-ci.yaml';
  const before = readFileSync(join(out, name), 'utf8');
  say('Three lines in the integration file pin one shard to another image. One object changes, and no other:');
  edit(
    join(copy, INTEGRATIONS, 'openshift-resources.yml'),
    '    # 400 namespaces',
    '    - shard:\n        $ref: /openshift/app-sre-ci/cluster.yml\n      imageRef: f929a38\n    # 400 namespaces',
  );
  run(['manager', 'render', '--data', copy, '--out', out]);
  showDifference(join(out, name), before);
}

function withCopy(act: (copy: string, scratch: string) => void): void {
  const scratch = mkdtempSync(join(tmpdir(), 'echelon-demo-'));
  try {
    cpSync(join(REPO, EXAMPLE), join(scratch, 'instance'), { recursive: true });
    act(join(scratch, 'instance'), join(scratch, 'rendered'));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

lookAround();
withCopy(validate);
withCopy(shards);
say('Read on: README.md, docs/guide/instance.md, docs/guide/manager.md, and echelon --help');
