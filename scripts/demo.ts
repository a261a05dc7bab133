import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** Shows Echelon at work on the example instance; stops at the first command that does not do what it should. */
const REPO = join(import.meta.dirname, '..');
const EXAMPLE = 'examples/instance';

function say(text: string): void {
  console.log(`\n# ${text}`);
}

function run(args: readonly string[], expected = 0): void {
  console.log(`$ echelon ${args.map((arg) => (/[\s*]/.test(arg) ? `'${arg}'` : arg)).join(' ')}`);
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

say('An instance declares what a team runs. This is what the example instance has:');
run(['get', 'environments', '--data', EXAMPLE]);
run(['get', 'clusters', '--data', EXAMPLE]);

say(
  'Integrations are managed per environment; they run per account, per cluster, per organization or in a fixed number:',
);
run(['get', 'integrations', '--data', EXAMPLE, '--environment', 'app-interface-production']);

say('Is it right? One command, every problem in one run:');
run(['validate', '--data', EXAMPLE]);

say('The same instance with three typing mistakes in two files:');
const copy = mkdtempSync(join(tmpdir(), 'echelon-demo-'));
try {
  cpSync(join(REPO, EXAMPLE), copy, { recursive: true });
  const integrations = join(copy, 'data/integrations');
  edit(
    join(integrations, 'terraform-vpc-peerings.yaml'),
    '/aws/payments-stage/account.yml',
    '/aws/payment-stage/account.yml',
  );
  edit(join(integrations, 'openshift-resources.yml'), 'memory: 1600Mi', 'memory: 2Gazillions');
  edit(join(integrations, 'openshift-resources.yml'), 'imageRef: d90b2ac', 'imageRef: 0123456');
  run(['validate', '--data', relative(REPO, copy).startsWith('..') ? copy : relative(REPO, copy)], 1);
} finally {
  rmSync(copy, { recursive: true });
}

say('Read on: README.md, docs/guide/instance.md, and echelon --help');
