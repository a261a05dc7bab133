import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findHelm } from '../../src/clients/helm/index.ts';

const REPO = join(import.meta.dirname, '../..');
const EXAMPLE = join(REPO, 'examples/instance');
const MAX_OUTPUT = 64 * 1024 * 1024;
const SYSTEM_NODE = '/usr/bin/node';

/** The Node of the machine, where it is older than what Echelon needs. */
function oldNode(): string | undefined {
  if (!existsSync(SYSTEM_NODE)) return undefined;
  const version = execFileSync(SYSTEM_NODE, ['--version'], { encoding: 'utf8' });
  return Number.parseInt(version.slice(1), 10) < 24 ? dirname(SYSTEM_NODE) : undefined;
}

describe('the package as npm installs it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-e2e-'));
  const bin = join(folder, 'installed/node_modules/.bin/echelon');
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: join(folder, 'home') };
  const run = (args: readonly string[], path = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`) =>
    spawnSync(bin, args, { encoding: 'utf8', maxBuffer: MAX_OUTPUT, cwd: folder, env: { ...env, PATH: path } });

  beforeAll(async () => {
    mkdirSync(join(folder, 'home'));
    env['HELM_BIN'] = await findHelm({ env: process.env, cwd: folder, cacheFolder: join(folder, 'helm') });
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: REPO, env });
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const install = ['install', '--silent', '--no-save', '--prefix', join(folder, 'installed'), join(folder, tarball)];
    execFileSync('npm', install, { env });
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('holds what was built and no sources, tests or examples', () => {
    const installed = readdirSync(join(folder, 'installed/node_modules/echelon')).sort();
    expect(installed).toEqual(['LICENSE', 'README.md', 'bin', 'charts', 'dist', 'package.json']);
    const built = readdirSync(join(folder, 'installed/node_modules/echelon/dist'), { recursive: true }).map(String);
    expect(built.filter((name) => name.includes('.test.'))).toEqual([]);
  });

  it.each([
    { args: ['--version'] },
    { args: ['--help'] },
    { args: ['validate', '--data', EXAMPLE] },
    { args: ['get', 'integrations', '--data', EXAMPLE, '-o', 'json'] },
    { args: ['get', 'clusters', '--data', EXAMPLE, '-o', 'yaml'] },
    { args: ['completion', 'bash'] },
    { args: ['get', 'shards', '--data', EXAMPLE, '-o', 'wide'] },
    { args: ['manager', 'render', '--data', EXAMPLE, '--no-cache', '-o', 'json'] },
    { args: ['manager', 'bootstrap', '--no-cache'] },
  ])('answers $args as the checkout does', ({ args }) => {
    const checkout = spawnSync(join(REPO, 'bin/echelon'), args, {
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT,
      cwd: folder,
      env,
    });
    const installed = run(args);
    expect(checkout.status).toBe(0);
    expect(installed).toMatchObject({ status: 0, stdout: checkout.stdout, stderr: '' });
  });

  it('reports problems with exit code 1', () => {
    const { status, stderr } = run(['validate', '--data', join(folder, 'home')]);
    expect(status).toBe(1);
    expect(stderr).toContain('INSTANCE_NOT_FOUND');
  });

  it.skipIf(oldNode() === undefined)('says which Node it needs when it meets an older one', () => {
    const { status, stderr } = run(['--version'], `${oldNode()}:/bin`);
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(3);
    expect(stderr).toContain('NODE_TOO_OLD');
  });
});
