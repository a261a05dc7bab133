import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FLEET, openConsole } from './demo/console.ts';
import { promote } from './demo/promote.ts';
import { rollOut } from './demo/rollout.ts';
import { shadow } from './demo/shadow.ts';
import { EXAMPLE, run, runShort, say, withClusters, withCopy, withScratch } from './demo/stage.ts';

/** Runs Echelon on the example instance; stops at the first command that fails. */
const INTEGRATIONS = 'data/integrations';

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  writeFileSync(file, text.replace(from, to));
}

function lookAround(): void {
  say('An instance declares what a team runs. The contents of the example instance:');
  run(['get', 'environments', '--data', EXAMPLE]);
  run(['get', 'clusters', '--data', EXAMPLE]);
  say('Integrations run per account, per cluster, per organization or in a fixed number of shards:');
  run(['get', 'integrations', '--data', EXAMPLE, '--environment', 'app-interface-production']);
}

function validate(copy: string): void {
  say('Validate it: one command reports all problems:');
  run(['validate', '--data', EXAMPLE]);
  say('The same instance with three typos in two files:');
  const integrations = join(copy, INTEGRATIONS);
  edit(join(integrations, 'terraform-vpc-peerings.yaml'), '/aws/payments-stage/account', '/aws/payment-stage/account');
  edit(join(integrations, 'openshift-resources.yml'), 'memory: 1600Mi', 'memory: 2Gazillions');
  edit(join(integrations, 'openshift-resources.yml'), 'imageRef: d90b2ac', 'imageRef: 0123456');
  run(['validate', '--data', copy], 1);
}

function shards(): void {
  say('The shards of one integration, with their images and where these come from:');
  run(['get', 'shards', '--data', EXAMPLE, '--integration', 'terraform-resources', '-e', 'app-interface-production']);
}

const PIN = ['-n', 'app-interface-production', '--shard', 'app-sre-ci', '--image', 'f929a38'];

async function operate(copy: string, scratch: string): Promise<void> {
  say('Simulated clusters, one for each cluster that integrations run on. The plan shows what apply would do:');
  await withClusters(scratch, (env) => {
    runShort(['manager', 'plan', '--data', copy], { env });
    runShort(['manager', 'apply', '--data', copy, '--yes', '-o', 'wide'], { env });
    say('The second pass writes nothing:');
    runShort(['manager', 'apply', '--data', copy, '--yes'], { env });
    say('Three lines in an integration file pin one shard to another image. Only one object changes:');
    runShort(['pin', 'openshift-resources', '--data', copy, ...PIN]);
    runShort(['manager', 'plan', '--data', copy, '--detailed-exitcode'], { env, expected: 2 });
    runShort(['manager', 'apply', '--data', copy, '--yes'], { env });
    say('The state and image of every shard:');
    runShort(['manager', 'status', '--data', copy, '--integration', 'openshift-resources', '--watch'], { env });
    say('An integration is removed. Only its objects are deleted:');
    rmSync(join(copy, INTEGRATIONS, 'slack-usergroups.yml'));
    runShort(['manager', 'apply', '--data', copy, '--yes'], { env });
  });
}

lookAround();
await withCopy(validate);
shards();
await withCopy(operate);
await withScratch(promote);
await withScratch(shadow);
await withCopy(rollOut);
say('A fleet of 120 OpenShift clusters, upgraded by labels: thirty days on a virtual clock:');
run(['upgrades', 'simulate', '--fleet', FLEET, '--days', '30']);
if (process.env['CONSOLE']) {
  await withCopy(openConsole);
} else {
  say('To see all of it in a browser, with simulated clusters and a simulated OCM: make demo CONSOLE=1');
  say('Documentation: README.md, docs/guide/, and echelon --help');
}
