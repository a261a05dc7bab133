import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const REPO = join(import.meta.dirname, '../..');
const MAX_OUTPUT = 64 * 1024 * 1024;
/** What `bin/echelon`, npm and the commands of the guides need of a machine; helm is not among them. */
const TOOLS = ['sh', 'bash', 'env', 'readlink', 'dirname', 'git', 'cat', 'mkdir', 'tail', 'grep'];

export interface InstalledEchelon {
  /** The folder of the package. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** A copy of the example instance that the package holds; where commands run. */
  readonly instance: string;
  /** Runs a line with `sh`; `path` replaces the PATH. */
  sh(line: string, path?: string): { status: number | null; stdout: string; stderr: string };
}

/** Packs the checkout and installs the tarball into an empty prefix below the folder, with nothing else on the PATH. */
export function installEchelon(folder: string): InstalledEchelon {
  const tools = join(folder, 'tools');
  const prefix = join(folder, 'prefix');
  const instance = join(folder, 'instance');
  const home = join(prefix, 'lib/node_modules/echelon');
  for (const place of [tools, prefix, join(folder, 'home')]) mkdirSync(place);
  for (const tool of TOOLS) symlinkSync(locationOf(tool), join(tools, tool));
  symlinkSync(realpathSync(locationOf('npm')), join(tools, 'npm'));
  symlinkSync(process.execPath, join(tools, 'node'));
  const env: NodeJS.ProcessEnv = {
    HOME: join(folder, 'home'),
    PATH: [join(prefix, 'bin'), tools].join(delimiter),
    KUBECONFIG: join(folder, 'kubeconfig'),
    // Only its settings: what npm has already fetched is as good as fetched again.
    npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    // npm runs with the Node of the checkout, which trusts what the machine trusts only if it is told to.
    NODE_USE_SYSTEM_CA: '1',
    ...(existsSync(join(homedir(), '.npmrc')) ? { npm_config_userconfig: join(homedir(), '.npmrc') } : {}),
  };
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: REPO });
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  execFileSync('npm', ['install', '--silent', '--global', '--prefix', prefix, join(folder, tarball)], { env });
  cpSync(join(home, 'examples/instance'), instance, { recursive: true });
  return {
    ...{ home, env, instance },
    sh: (line, path) => {
      const options = { cwd: instance, env: path === undefined ? env : { ...env, PATH: path } };
      return spawnSync('/bin/sh', ['-c', line], { ...options, encoding: 'utf8', maxBuffer: MAX_OUTPUT });
    },
  };
}

function locationOf(tool: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const found = folders.map((folder) => join(folder, tool)).find((location) => existsSync(location));
  if (found === undefined) throw new Error(`no ${tool} on the PATH`);
  return found;
}

/** The Node of the machine, where it is older than what Echelon needs. */
export function oldNodeFolder(): string | undefined {
  const system = '/usr/bin/node';
  if (!existsSync(system)) return undefined;
  const version = execFileSync(system, ['--version'], { encoding: 'utf8' });
  return Number.parseInt(version.slice(1), 10) < 24 ? dirname(system) : undefined;
}
