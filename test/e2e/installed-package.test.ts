import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guideSteps, typedGuide } from '../support/guide.ts';
import { type InstalledEchelon, installEchelon, oldNodeFolder } from '../support/installed-echelon.ts';

const REPO = join(import.meta.dirname, '../..');

/** Type-checked against the declarations: what is no error with `any` would not be expected to be one. */
const CONSUMER = `
import { EchelonError } from 'echelon/base';
import type { FleetPlan } from 'echelon/manager';
import { openInstance, readInstance, type Integration } from 'echelon/instance';
import { defineIntegration, runIntegration } from 'echelon/integration';
import { expandShards } from 'echelon/sharding';

const source = openInstance(process.argv[2] ?? '', {
  workingTree: { describe: async () => undefined },
  server: () => { throw new EchelonError({ code: 'X', message: 'x', hint: 'x' }); },
});
const instance = readInstance(await source.load());
const integrations: readonly Integration[] = instance.integrations;
const shards = integrations.flatMap((one) => one.managed.flatMap((entry) => expandShards(instance, one, entry).shards));
// @ts-expect-error A number is no list of integrations.
const wrong: number = instance.integrations;
// @ts-expect-error A plan is no text.
const plan: FleetPlan = 'plan';
const integration = defineIntegration({
  name: 'numbers',
  desired: async () => new Map([['a', 1]]),
  observe: async (context) => {
    // @ts-expect-error What observes cannot write.
    context.state.write;
    return new Map([['a', 'one']]);
  },
  diff: ({ observed, desired }) => {
    // @ts-expect-error What exists is a text here.
    const wrong: number | undefined = observed;
    return desired === undefined ? [] : [{ set: desired, was: observed ?? wrong }];
  },
  act: async ({ action }) => {
    const { set }: { set: number } = action;
    console.error('set', set);
  },
});
process.env['DRY_RUN'] = '--dry-run';
process.env['RUN_ONCE'] = '1';
process.env['LOG_LEVEL'] = 'error';
const code: number = await runIntegration(integration, { metricsPort: 0, metricsHost: '127.0.0.1' });
const name = 'echelon/dist/clients/kube/index.js';
const inner = await import(name).then(() => 'imported', (error) => error.code);
console.log(JSON.stringify({ shards: shards.length, inner, code }));
`;

describe('the package as npm installs it into an empty prefix', () => {
  const folder = mkdtempSync(join(tmpdir(), 'echelon-e2e-'));
  let installed: InstalledEchelon;
  let files: readonly string[];

  beforeAll(() => {
    installed = installEchelon(folder);
    const entries = readdirSync(installed.home, { recursive: true, withFileTypes: true });
    const below = (entry: (typeof entries)[number]): string =>
      join(entry.parentPath, entry.name).slice(installed.home.length + 1);
    files = entries.map(below).filter((file) => !file.startsWith('node_modules'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  describe('holds', () => {
    it('what was built and what is read, and no sources or tests', () => {
      const top = readdirSync(installed.home).filter((name) => name !== 'node_modules');
      expect(top.sort()).toEqual(
        [
          'CHANGELOG.md',
          'CONTRIBUTING.md',
          'LICENSE',
          'README.md',
          'bin',
          'charts',
          'deploy',
          'dist',
          'docs',
          'examples',
          'package.json',
          'schemas',
        ].sort(),
      );
      expect(files.filter((name) => /\.test\.|^dist\/.*(?<!\.d)\.ts$/.test(name))).toEqual([]);
    });

    it('every file that a message or the help names', () => {
      const code = files.filter((file) => /^dist\/.*\.js$/.test(file));
      const named = code.flatMap((file) => {
        const text = readFileSync(join(installed.home, file), 'utf8');
        return [...text.matchAll(/(?<![\w./])(?:docs|examples|deploy|charts|schemas)\/[\w./-]*\w/g)].map(
          ([path]) => path,
        );
      });
      expect(named).toContain('examples/fleet/fleet.yml');
      expect(named.filter((path) => !files.includes(path))).toEqual([]);
    });

    it('every file that a page of its documentation links to', () => {
      const pages = files.filter((file) => /^(?:README\.md|docs\/.*\.md|examples\/.*\.md|deploy\/.*\.md)$/.test(file));
      const missing = pages.flatMap((page) => {
        const prose = readFileSync(join(installed.home, page), 'utf8').replaceAll(/`[^`\n]*`/g, '');
        const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)];
        const targets = links.map(([, link = '']) => normalize(join(dirname(page), link)).replace(/\/$/, ''));
        return targets.filter((target) => !files.includes(target)).map((target) => `${page}: ${target}`);
      });
      expect(pages.length).toBeGreaterThan(20);
      expect(missing).toEqual([]);
    });
  });

  it.skipIf(oldNodeFolder() === undefined)('says which Node it needs when it meets an older one', () => {
    const { status, stderr } = installed.sh(`${installed.home}/bin/echelon --version`, `${oldNodeFolder()}:/bin`);
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(3);
    expect(stderr).toContain('NODE_TOO_OLD');
  });

  it.each([
    { mode: 0o700, kept: true },
    { mode: 0o777, kept: false },
  ])('keeps compiled code in a folder with mode $mode: $kept', ({ mode, kept }) => {
    const cache = join(folder, `cache-${mode}`);
    mkdirSync(cache);
    chmodSync(cache, mode);
    expect(installed.sh(`ECHELON_CACHE=${cache} echelon --version`)).toMatchObject({ status: 0, stderr: '' });
    const compiled = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(compiled.length > 0).toBe(kept);
  });

  it('answers the same to processes that share an empty cache at once', () => {
    const once = 'for n in 1 2 3 4; do echelon validate > "$HOME/answer$n" & done; wait; cat "$HOME"/answer*';
    const { stdout } = installed.sh(`export ECHELON_CACHE=${join(folder, 'cache-shared')}; ${once}; echelon validate`);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    expect(new Set(lines)).toEqual(new Set([expect.stringMatching(/^no problems in 109 datafiles/)]));
  });

  it('reports problems with exit code 1', () => {
    const { status, stderr } = installed.sh('echelon validate --data "$HOME"');
    expect(status).toBe(1);
    expect(stderr).toContain('INSTANCE_NOT_FOUND');
  });

  it('names the command that brings helm, and it does', () => {
    const without = installed.sh('echelon manager render');
    expect(without).toMatchObject({ status: 1, stderr: expect.stringContaining('HELM_NOT_FOUND') });
    const command = /hint: run: (npm install .*?); or/.exec(without.stderr)?.[1] ?? 'false';
    expect(installed.sh(command)).toMatchObject({ status: 0 });
    expect(installed.sh('echelon manager render --no-cache')).toMatchObject({ status: 0, stderr: '' });
  });

  it('answers as the checkout does', () => {
    for (const args of [['--help'], ['completion', 'bash'], ['manager', 'render', '-o', 'json']]) {
      const checkout = spawnSync(join(REPO, 'bin/echelon'), args, {
        ...{ cwd: installed.instance, env: { ...installed.env, XDG_CACHE_HOME: join(folder, 'cache') } },
        ...{ encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
      });
      expect(checkout.status).toBe(0);
      expect(installed.sh(`echelon ${args.join(' ')}`)).toMatchObject({
        status: 0,
        stdout: checkout.stdout,
        stderr: '',
      });
    }
  });

  it.each(['instance', 'manager', 'operating'])('runs what the guide %s shows', async (guide) => {
    const [outputs, scratch] = [join(folder, `${guide}-outputs`), join(folder, `${guide}-try`)];
    for (const made of [outputs, scratch]) mkdirSync(made);
    const steps = guideSteps(readFileSync(join(installed.home, `docs/guide/${guide}.md`), 'utf8'));
    const place = { cwd: installed.home, env: installed.env, outputs, scratch };
    expect(await typedGuide(steps, place)).toBe('');
  });

  it('is a library with types, for both ways to resolve modules', () => {
    const consumer = join(folder, 'consumer');
    mkdirSync(join(consumer, 'node_modules'), { recursive: true });
    symlinkSync(installed.home, join(consumer, 'node_modules/echelon'));
    symlinkSync(join(REPO, 'node_modules/@types'), join(consumer, 'node_modules/@types'));
    writeFileSync(join(consumer, 'package.json'), '{"type":"module"}');
    writeFileSync(join(consumer, 'main.ts'), CONSUMER);
    for (const [module, moduleResolution] of [
      ['node16', 'node16'],
      ['esnext', 'bundler'],
    ]) {
      const compilerOptions = {
        module,
        moduleResolution,
        target: 'es2024',
        strict: true,
        noEmit: true,
        types: ['node'],
      };
      writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
      const { stdout, status } = spawnSync(join(REPO, 'node_modules/.bin/tsc'), ['-p', consumer], { encoding: 'utf8' });
      expect({ moduleResolution, stdout, status }).toMatchObject({ stdout: '', status: 0 });
    }
    const printed = execFileSync(process.execPath, ['main.ts', installed.instance], {
      cwd: consumer,
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toMatchObject({
      shards: expect.any(Number),
      inner: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
      code: 0,
    });
    expect(existsSync(join(installed.home, 'dist/clients/kube/index.js'))).toBe(true);
  });
});
