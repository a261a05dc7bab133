import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, REPO, runShort, say, withClusters, withServer } from './stage.ts';

export const FLEET = 'examples/fleet/fleet.yml';
/** From the fleet file; they are valid only for the simulator. */
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

/** A configuration for all organizations of a simulated OCM. */
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

/** Runs simulated clusters and OCM with the examples, and the console for both, until Ctrl-C. */
export async function openConsole(copy: string, scratch: string): Promise<void> {
  say('The console, with simulated clusters and a simulated OCM, until you stop it:');
  const config = join(scratch, 'upgrades.yml');
  const secrets = Object.fromEntries(
    Object.entries(OCM_LOGINS).map(([name, { secret }]) => [secretVariable(name), secret]),
  );
  const ocm = ['sim', 'ocm', '--fleet', FLEET, '--clock', 'real', '-o', 'json'];
  await withClusters(scratch, async (kube) => {
    const env = { ...kube, ...secrets };
    runShort(['manager', 'apply', '--data', copy, '--yes'], { env });
    const isReady = (told: string): boolean => parsed(told) !== undefined;
    await withServer(ocm, isReady, async (told) => {
      const simulated = parsed(told);
      if (simulated !== undefined) writeConfig(config, simulated);
      runShort(['upgrades', 'apply', '--config-file', config, '--yes'], { env });
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

/** Only with a display and a browser. */
function openBrowser(url: string): void {
  if (process.env['CI'] || !(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])) return;
  spawn('xdg-open', [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
