import { writeFileSync } from 'node:fs';
import { defined } from '../../src/base/index.ts';
import { type SimKube, type SimKubeOptions, startSimKube } from '../../src/sim/index.ts';
import { type ManagerRun, managerRun } from './manager-run.ts';
import { rememberedHelm } from './remembered-helm.ts';
import type { Ran, RunOptions } from './run-cli.ts';
import { runCli } from './run-cli.ts';

export const SIM_TOKEN = 'sim-token-that-nobody-may-see';

/** A small instance with one integration of three shards and one without, on simulated clusters. */
export interface SimFleet {
  readonly manager: ManagerRun;
  /** One simulated cluster for each name. */
  readonly clusters: ReadonlyMap<string, SimKube>;
  /** The only or first cluster. */
  readonly sim: SimKube;
  /** Of its commands. */
  readonly env: Readonly<Record<string, string>>;
  /** `echelon manager …` on the instance. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Any command with the same environment. */
  cli(args: readonly string[], options?: RunOptions): Promise<Ran>;
  write(path: string, text: string): void;
  dispose(): Promise<void>;
}

const NAMESPACE = (cluster: string): string => `$schema: /openshift/namespace-1.yml
name: fleet
cluster: { $ref: /clusters/${cluster}.yml }
environment: { $ref: /environments/lab.yml }
`;

const CLUSTER = (name: string): string => `$schema: /openshift/cluster-1.yml
name: ${name}
serverUrl: https://api.${name}.example.com
automationToken: { path: clusters/${name}, field: token }
`;

/** An integration in the namespace of each cluster, with one shard for each of three accounts. */
export function integrationText(name: string, clusters: readonly string[], more = ''): string {
  const entries = clusters.map(
    (cluster) => `- namespace: { $ref: /namespaces/${cluster}.yml }
  spec:
    resources: { requests: { cpu: 100m, memory: 100Mi }, limits: { memory: 200Mi } }
  sharding:
    strategy: per-aws-account
${more}`,
  );
  return `$schema: /app-sre/integration-1.yml
name: ${name}
description: for tests
schemas: []
managed:
${entries.join('')}`;
}

export async function simFleet(
  names: readonly string[] = ['lab'],
  { namespaces = ['fleet'], ...sim }: Pick<SimKubeOptions, 'namespaces' | 'badImages' | 'clock'> = {},
): Promise<SimFleet> {
  const manager = await managerRun();
  const clusters = new Map<string, SimKube>();
  for (const [at, name] of names.entries()) {
    clusters.set(name, await startSimKube({ ...sim, token: SIM_TOKEN, namespaces, seed: at + 1 }));
  }
  const write = (path: string, text: string): void => {
    manager.write(`instance/data/${path}`, text);
  };
  write(
    'settings.yml',
    '$schema: /app-interface/app-interface-settings-1.yml\nname: test\nrepoUrl: https://example.com/data\nhashLength: 7\nvault: false\n',
  );
  write(
    'environments/lab.yml',
    '$schema: /app-sre/environment-1.yml\nname: lab\nservicePhase: production\nproduct: { $ref: /product.yml }\nparameters: { IMAGE_TAG: f929a38 }\n',
  );
  write('product.yml', '$schema: /app-sre/product-1.yml\nname: p\ndescription: p\nenvironments: []\n');
  for (const name of ['alpha', 'beta', 'gamma']) {
    write(
      `aws/${name}.yml`,
      `$schema: /aws/account-1.yml\nname: ${name}\nuid: '1'\nresourcesDefaultRegion: us-east-1\n`,
    );
  }
  for (const name of names) {
    write(`clusters/${name}.yml`, CLUSTER(name));
    write(`namespaces/${name}.yml`, NAMESPACE(name));
  }
  write('integrations/terraform-resources.yml', integrationText('terraform-resources', names));
  const config = manager.path('kubeconfig');
  writeFileSync(config, kubeconfig(clusters));
  const helm = await rememberedHelm();
  const env = {
    KUBECONFIG: config,
    HELM_BIN: helm,
    XDG_CACHE_HOME: manager.path('cache'),
    ECHELON_DATA: manager.path('instance'),
  };
  const cli = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
    runCli(args, { ...defined({ now: sim.clock }), ...options, env: { ...env, ...options.env } });
  return {
    manager,
    clusters,
    env,
    sim: clusters.values().next().value as SimKube,
    write,
    cli,
    run: (args, options) => cli(['manager', ...args], options),
    dispose: async () => {
      for (const sim of clusters.values()) await sim.close();
      manager.dispose();
    },
  };
}

function kubeconfig(clusters: ReadonlyMap<string, SimKube>): string {
  const names = [...clusters.keys()];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': names[0],
    clusters: [...clusters].map(([name, { url }]) => ({ name, cluster: { server: url } })),
    users: [{ name: 'admin', user: { token: SIM_TOKEN } }],
    contexts: names.map((name) => ({ name, context: { cluster: name, user: 'admin' } })),
  });
}

/** Requests that would change something. */
export function writesOf({ requests }: SimKube): string[] {
  return requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
}
