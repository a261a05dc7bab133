import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Ran, type RunOptions, runCli } from './run-cli.ts';

/** `echelon shadow` with the process runner; integrations are shell scripts. */
export interface ShadowWorld {
  /** A small instance, which a test may change. */
  readonly root: string;
  path(name: string): string;
  text(name: string): string;
  has(name: string): boolean;
  /** Runs the script for both sides; `$IMAGE_TAG` is `old` or `new`, `$DIR` a folder that all runs share. */
  shadow(script: string, args?: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The logs that were kept, by name. */
  logs(): Record<string, string>;
  dispose(): void;
}

export const SHADOW_IMAGES = ['--baseline', 'localhost/example:old', '--candidate', 'localhost/example:new'] as const;
/** One shard. */
export const SHADOW_SHARD = ['--shard', 'beta'] as const;
export const SHADOWED = 'openshift-namespaces';
export const SHADOWED_FILE = 'data/integration.yml';

const CLUSTER = (name: string): string =>
  `$schema: /openshift/cluster-1.yml\nname: ${name}\nserverUrl: https://api.${name}.example.com\n`;

/** An integration with a shard for each of two clusters. */
const INSTANCE: Readonly<Record<string, string>> = {
  'data/settings.yml':
    '$schema: /app-interface/app-interface-settings-1.yml\nname: test\nrepoUrl: https://example.com/data\nhashLength: 7\nvault: false\n',
  'data/environment.yml':
    '$schema: /app-sre/environment-1.yml\nname: lab\nservicePhase: production\nproduct: { $ref: /product.yml }\nparameters: {}\n',
  'data/product.yml': '$schema: /app-sre/product-1.yml\nname: p\ndescription: p\nenvironments: []\n',
  'data/alpha.yml': CLUSTER('alpha'),
  'data/beta.yml': CLUSTER('beta'),
  'data/namespace.yml':
    '$schema: /openshift/namespace-1.yml\nname: fleet\ncluster: { $ref: /alpha.yml }\nenvironment: { $ref: /environment.yml }\n',
  [SHADOWED_FILE]: `$schema: /app-sre/integration-1.yml
name: ${SHADOWED}
description: for tests
schemas: []
managed:
- namespace: { $ref: /namespace.yml }
  spec:
    extraArgs: --thread-pool-size 5 --enable-extended-early-exit
    resources: { requests: { cpu: 100m, memory: 100Mi }, limits: { memory: 200Mi } }
  sharding: { strategy: per-openshift-cluster }
`,
};

/** @param edit changes the text of the integration's file */
export function shadowWorld(edit: (text: string) => string = (text) => text): ShadowWorld {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-shadow-test-'));
  const path = (name: string): string => join(folder, name);
  const root = path('instance');
  for (const [file, text] of Object.entries(INSTANCE)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), file === SHADOWED_FILE ? edit(text) : text);
  }
  return {
    root,
    path,
    text: (name) => readFileSync(path(name), 'utf8'),
    has: (name) => existsSync(path(name)),
    shadow: (script, args = [SHADOWED, ...SHADOW_SHARD, ...SHADOW_IMAGES], options = {}) => {
      writeFileSync(path('script.sh'), `set -e\nDIR='${folder}'\nsay() { echo "[INFO] $1"; }\n${script}\n`);
      const runner = ['--runner', 'process', '--shell', '--command', `. '${path('script.sh')}'`];
      const data = args.includes('--data') ? [] : ['--data', root];
      const common = [...data, '--log-dir', path('logs'), ...runner];
      const env = { PATH: process.env['PATH'] ?? '', ...options.env };
      return runCli(['shadow', ...args, ...common], { ...options, env });
    },
    logs: () =>
      Object.fromEntries(
        (existsSync(path('logs')) ? readdirSync(path('logs')) : []).map((name) => [
          name.replace(/^.*_(?=baseline|candidate)|\.txt$/g, ''),
          readFileSync(join(path('logs'), name), 'utf8'),
        ]),
      ),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
