import { spawn, spawnSync } from 'node:child_process';
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

function shards(): void {
  say('The shards of one integration, with the image of each and where it comes from:');
  run(['get', 'shards', '--data', EXAMPLE, '--integration', 'terraform-resources', '-e', 'app-interface-production']);
}

/** Runs a command and shows the first and last lines of a long answer. */
function runShort(args: readonly string[], env: Readonly<Record<string, string>>, expected = 0): void {
  console.log(`$ echelon ${args.join(' ')}`);
  const options = { cwd: REPO, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(join(REPO, 'bin/echelon'), args, options);
  const lines = stdout.trimEnd().split('\n');
  const shown =
    lines.length > SHOWN_LINES
      ? [...lines.slice(0, SHOWN_LINES - 2), `… ${lines.length - SHOWN_LINES + 1} more lines`, lines.at(-1)]
      : lines;
  console.log(shown.join('\n'));
  if (stderr !== '') console.error(stderr.trimEnd());
  if (status !== expected) throw new Error(`the demo expected exit code ${expected}, not ${status}`);
}

const SHOWN_LINES = 8;
const INTEGRATION_CLUSTERS = ['app-sre-prod-01', 'app-sre-prod-02', 'app-sre-stage-01', 'edge-lab-01'];

/** A server of the simulator for as long as `act` runs, which gets what it said when it was ready. */
async function withServer(
  args: readonly string[],
  isReady: (told: string) => boolean,
  act: (told: string) => void | Promise<void>,
): Promise<void> {
  console.log(`$ echelon ${args.join(' ')} &`);
  const sim = spawn(join(REPO, 'bin/echelon'), args, { cwd: REPO, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const told = await new Promise<string>((resolve, reject) => {
      let text = '';
      sim.once('exit', (code) => reject(new Error(`echelon ${args.join(' ')} ended with ${code}`)));
      sim.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (isReady(text)) resolve(text);
      });
    });
    await act(told);
  } finally {
    sim.removeAllListeners('exit');
    sim.kill();
  }
}

type Env = Readonly<Record<string, string>>;

/** Simulated clusters for as long as `act` runs. */
async function withClusters(scratch: string, act: (env: Env) => void | Promise<void>): Promise<void> {
  const kubeconfig = join(scratch, 'kubeconfig');
  const names = INTEGRATION_CLUSTERS.join(',');
  const args = ['sim', 'kube', '--any-namespace', '--clusters', names, '--kubeconfig', kubeconfig];
  const isReady = (told: string): boolean => told.split('\n').length > INTEGRATION_CLUSTERS.length;
  await withServer(args, isReady, () => act({ KUBECONFIG: kubeconfig }));
}

async function operate(copy: string, scratch: string): Promise<void> {
  say('Simulated clusters, one for each that integrations run on. A plan says what an apply would do:');
  await withClusters(scratch, (env) => {
    runShort(['manager', 'plan', '--data', copy], env);
    runShort(['manager', 'apply', '--data', copy, '--yes', '-o', 'wide'], env);
    say('The second pass writes nothing:');
    runShort(['manager', 'apply', '--data', copy, '--yes'], env);
    say('Three lines in the integration file pin one shard to another image. One object changes, and no other:');
    pinShard(copy);
    runShort(['manager', 'plan', '--data', copy, '--detailed-exitcode'], env, 2);
    runShort(['manager', 'apply', '--data', copy, '--yes'], env);
    say('Which shard runs what, and whether it is ready:');
    runShort(['manager', 'status', '--data', copy, '--integration', 'openshift-resources', '--watch'], env);
    say('An integration leaves. Its objects go, and nothing else:');
    rmSync(join(copy, INTEGRATIONS, 'slack-usergroups.yml'));
    runShort(['manager', 'apply', '--data', copy, '--yes'], env);
  });
}

function pinShard(copy: string): void {
  edit(
    join(copy, INTEGRATIONS, 'openshift-resources.yml'),
    '    # 400 namespaces',
    '    - shard:\n        $ref: /openshift/app-sre-ci/cluster.yml\n      imageRef: f929a38\n    # 400 namespaces',
  );
}

async function withCopy(act: (copy: string, scratch: string) => void | Promise<void>): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'echelon-demo-'));
  try {
    cpSync(join(REPO, EXAMPLE), join(scratch, 'instance'), { recursive: true });
    await act(join(scratch, 'instance'), scratch);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

const FLEET = 'examples/fleet/fleet.yml';
/** As the fleet file has them; they open nothing but the simulator. */
const OCM_LOGINS: Readonly<Record<string, { readonly clientId: string; readonly secret: string }>> = {
  'ocm-production': { clientId: 'app-sre-ocm-production', secret: 'simulated-production' },
  'ocm-stage': { clientId: 'app-sre-ocm-stage', secret: 'simulated-stage' },
};

interface SimulatedOcm {
  readonly items: readonly { readonly name: string; readonly url: string; readonly tokenUrl: string }[];
}

function parsed(told: string): SimulatedOcm | undefined {
  try {
    return JSON.parse(told) as SimulatedOcm;
  } catch {
    return undefined;
  }
}

/** A configuration that serves everybody of a simulated OCM. */
function writeConfig(file: string, { items }: SimulatedOcm): void {
  const environments = items.map(({ name, url, tokenUrl }) => ({
    ...{ name, url, tokenUrl },
    credentials: { clientId: OCM_LOGINS[name]?.clientId, clientSecretEnv: secretVariable(name) },
  }));
  const healthChecks = [{ provider: 'ocm', enforced: true }];
  writeFileSync(file, JSON.stringify({ environments, organizations: { allow: 'all' }, healthChecks, state: 'state' }));
}

function secretVariable(environment: string): string {
  return `DEMO_${environment.replaceAll('-', '_').toUpperCase()}`;
}

/** Simulated clusters and OCM with the examples on them, and the console on both, until Ctrl-C. */
async function openConsole(copy: string, scratch: string): Promise<void> {
  say('The console, on simulated clusters and a simulated OCM that run until you end it:');
  const config = join(scratch, 'upgrades.yml');
  const secrets = Object.fromEntries(
    Object.entries(OCM_LOGINS).map(([name, { secret }]) => [secretVariable(name), secret]),
  );
  const ocm = ['sim', 'ocm', '--fleet', FLEET, '--clock', 'real', '-o', 'json'];
  await withClusters(scratch, async (kube) => {
    const env = { ...kube, ...secrets };
    runShort(['manager', 'apply', '--data', copy, '--yes'], env);
    const isReady = (told: string): boolean => parsed(told) !== undefined;
    await withServer(ocm, isReady, async (told) => {
      const simulated = parsed(told);
      if (simulated !== undefined) writeConfig(config, simulated);
      runShort(['upgrades', 'apply', '--config-file', config, '--yes'], env);
      await showConsole(
        ['console', '--config-file', config, '--data', copy, '--listen', '127.0.0.1:0', '--refresh', '60s'],
        env,
      );
    });
  });
}

async function showConsole(args: readonly string[], env: Env): Promise<void> {
  console.log(`$ echelon ${args.join(' ')}`);
  const served = spawn(join(REPO, 'bin/echelon'), args, {
    cwd: REPO,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = (): void => void served.kill();
  process.once('SIGINT', end).once('SIGTERM', end);
  served.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk);
    const url = /console on (\S+)/.exec(chunk.toString())?.[1];
    if (url !== undefined) openBrowser(url);
  });
  await new Promise((resolve) => served.once('exit', resolve));
}

/** Where there is a screen and something that opens pages. */
function openBrowser(url: string): void {
  if (process.env['CI'] || !(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])) return;
  spawn('xdg-open', [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

lookAround();
await withCopy(validate);
shards();
await withCopy(operate);
say('A fleet of 120 OpenShift clusters, upgraded by labels. Thirty days of it, on a virtual clock:');
run(['upgrades', 'simulate', '--fleet', FLEET, '--days', '30']);
if (process.env['CONSOLE']) {
  await withCopy(openConsole);
} else {
  say('See all of it in a browser, on simulated clusters and a simulated OCM: make demo CONSOLE=1');
  say('Read on: README.md, docs/guide/, and echelon --help');
}
