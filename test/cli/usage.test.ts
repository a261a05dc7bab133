import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { type RunOptions, runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE, REPO } from '../support/shared.ts';

/** URLs of the modules that a process loads for a command line. */
function loadedBy(args: readonly string[]): string[] {
  const hooks = `import { registerHooks } from 'node:module';
    const load = (url, context, next) => (process.stderr.write(url + '\\n'), next(url, context));
    registerHooks({ load });`;
  const node = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`, join(REPO, 'src/cli/entry.ts')];
  return spawnSync(process.execPath, [...node, ...args], { encoding: 'utf8' }).stderr.split('\n');
}

const DATA = ['--data', EXAMPLE_INSTANCE];

describe('exit codes', () => {
  it.each([
    { args: ['validate', ...DATA], code: 0 },
    { args: ['get', 'clusters', ...DATA], code: 0 },
    { args: ['--help'], code: 0 },
    { args: ['help', 'validate'], code: 0 },
    { args: ['validate', '--data', '/nowhere'], code: 1 },
    { args: ['get', 'clusters', 'nosuch', ...DATA], code: 1 },
    { args: ['completion', 'tcsh'], code: 64 },
    { args: ['promote', 'plan', '-o', 'name'], code: 64 },
    { args: ['upgrades', 'explain', 'a', '-o', 'name'], code: 64 },
    { args: ['sim', 'ocm', '--fleet', 'f.yml', '-o', 'wide'], code: 64 },
    { args: ['explain', 'integration', '-o', 'markdown'], code: 64 },
    { args: ['manager', 'render', '--out', 'x', '-o', 'json', ...DATA], code: 64 },
    { args: ['manager', 'plan', '--data', '/nowhere'], code: 1 },
    { args: ['manager', 'diff', '--data', '/nowhere'], code: 2 },
    { args: ['shadow', 'a', '--candidate', 'b', '--data', '/nowhere'], code: 2 },
    { args: [], code: 64 },
    { args: ['get'], code: 64 },
    { args: ['help', 'nosuch'], code: 64 },
  ])('echelon $args exits $code', async ({ args, code }) => {
    expect((await runCli(args)).code).toBe(code);
  });

  it('a command that was interrupted exits 130 and says nothing', async () => {
    const signal = AbortSignal.abort();
    expect(await runCli(['get', 'clusters', ...DATA], { signal })).toEqual({ code: 130, stdout: '', stderr: '' });
  });
});

describe('flags for watching without --watch', () => {
  it.each([
    { args: ['manager', 'status', '--interval', '5s'], says: '--interval requires' },
    { args: ['manager', 'status', '--timeout', '10m'], says: '--timeout requires' },
    { args: ['rollout', 'status', '--interval=2s', '--timeout=0'], says: '--interval and --timeout require' },
    { args: ['upgrades', 'plan', '--interval', '60s'], says: '--interval requires' },
    { args: ['upgrades', 'plan', '--timeout', '1h', '-o', 'json'], says: '--timeout requires' },
  ])('echelon $args is refused before anything is read, also with the default value', async ({ args, says }) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^error: ${says} --watch\n code: FLAG_INVALID\n hint: pass --watch .*, or omit --`),
    );
  });
});

describe('a wrong command line exits 64, says why on standard error and prints nothing', () => {
  it.each([
    { args: ['nosuch'], says: "unknown command 'nosuch'" },
    { args: ['get', 'nosuch'], says: "unknown command 'nosuch'" },
    { args: ['get', 'cluster'], says: 'Did you mean clusters?' },
    { args: ['validate', '--nosuch'], says: "unknown option '--nosuch'" },
    { args: ['validate', '-o', 'xml'], says: 'Allowed choices are table, wide, json, yaml, name, markdown' },
    { args: ['validate', 'extra'], says: 'too many arguments' },
    { args: ['validate', '--data'], says: 'argument missing' },
    { args: ['get', 'clusters', '-e', ''], says: 'it must not be empty' },
    { args: ['get', 'accounts', '-e', 'edge-lab'], says: "unknown option '-e'" },
    { args: ['completion'], says: "missing required argument 'shell'" },
  ])('echelon $args: $says', async ({ args, says }) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).toContain('--help');
  });
});

describe('--help', () => {
  const OPTIONS = ['--data <src>', '--config <file>', '-o, --output <format>', '--no-color', '--debug', '-h, --help'];
  const FILTERS = ['-e, --environment <name>', '-i, --integration <name>'];
  it.each([
    { args: [], lists: ['validate', 'get', 'completion', '-V, --version', 'Exit codes:', '64', '1 ', '0 '] },
    { args: ['validate'], lists: [...OPTIONS, '--schemas <dir>', 'Exits 1'] },
    { args: ['get'], lists: ['integrations', 'environments', 'clusters', 'accounts', 'organizations'] },
    { args: ['get', 'integrations'], lists: [...OPTIONS, ...FILTERS] },
    { args: ['get', 'environments'], lists: [...OPTIONS, ...FILTERS] },
    { args: ['get', 'clusters'], lists: [...OPTIONS, ...FILTERS] },
    { args: ['get', 'accounts'], lists: [...OPTIONS, '-i, --integration <name>'] },
    { args: ['get', 'organizations'], lists: [...OPTIONS, ...FILTERS] },
    { args: ['completion'], lists: ['bash', 'zsh', 'fish'] },
  ])('echelon $args --help', async ({ args, lists }) => {
    const { code, stdout, stderr } = await runCli([...args, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lists.filter((part) => !stdout.includes(part))).toEqual([]);
  });

  it('lists commands that are not loaded as it lists loaded ones', async () => {
    expect(await runCli(['--help'])).toEqual(await runCli(['help']));
  });

  it('loads the definitions of commands, but nothing that decides or reaches out', () => {
    const files = loadedBy(['--help']).filter((url) => url.includes('/src/'));
    expect(files.filter((url) => !/\/src\/(?:cli|base|scaffold)\//.test(url))).toEqual([]);
    expect(files.filter((url) => /\/src\/cli\/commands\/(?!shell|\w+\/commands\.ts$)/.test(url))).toEqual([]);
  });

  it('hides the command that completion scripts call', async () => {
    expect((await runCli(['--help'])).stdout).not.toContain('__complete');
  });

  it.each([80, 100])('fits a terminal of %i columns', async (columns) => {
    const { stdout } = await runCli(['get', 'organizations', '--help'], { columns });
    expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([]);
  });
});

describe('--version', () => {
  it.each(['--version', '-V'])('%s prints the version of the package', async (flag) => {
    const { version } = JSON.parse(readFileSync(join(REPO, 'package.json'), 'utf8')) as { version: string };
    expect(await runCli([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('an environment has two names', () => {
  it.each([
    { args: ['get', 'shards'], flags: ['-e', '--environment', '--environment-name'] },
    { args: ['manager', 'values'], flags: ['-e', '--environment-name', '--environment'] },
  ])('for $args', async ({ args, flags }) => {
    const outputs = [];
    for (const flag of flags) outputs.push(await runCli([...args, ...DATA, flag, 'app-interface-stage', '-o', 'json']));
    expect(outputs[0]?.code).toBe(0);
    expect(new Set(outputs.map(({ stdout }) => stdout)).size).toBe(1);
    const wrong = await runCli([...args, ...DATA, flags[2] ?? '', 'app-interface-stag', '-o', 'json']);
    expect(wrong.stderr).toContain('did you mean app-interface-stage');
  });

  it('and each of several counts where several may be given', async () => {
    const both = ['--environment-name', 'app-interface-stage', '-e', 'app-interface-production'];
    const { stdout } = await runCli(['get', 'environments', ...DATA, ...both, '-o', 'name']);
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });
});

describe('echelon version', () => {
  const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: REPO, encoding: 'utf8' }).stdout.trim();

  it.skipIf(commit === '')('prints the commit of a checkout', async () => {
    expect((await runCli(['version'])).stdout).toMatch(
      new RegExp(`^echelon \\S+\\ncommit {2}${commit}(?:, with local changes)?\\nnode {4}${process.versions.node}\\n$`),
    );
    expect(JSON.parse((await runCli(['version', '-o', 'json'])).stdout)).toMatchObject({ kind: 'Version', commit });
  });
});

describe('an error is three lines', () => {
  const HINT = 'pass the root of a data repository, a bundle file or a qontract-server URL with --data or ECHELON_DATA';

  it.each([
    { args: ['--data', '/nowhere'], says: '/nowhere does not exist', is: 'INSTANCE_NOT_FOUND', hint: HINT },
    { args: ['--data', '/etc'], says: 'no folder data/ in /etc', is: 'INSTANCE_NOT_FOUND', hint: HINT },
    {
      args: ['--data', 'package.json'],
      says: 'package.json is not a bundle: it has no object "data"',
      is: 'BUNDLE_INVALID',
      hint: 'pass the JSON file that the bundler wrote, or the root of a data repository',
    },
    {
      args: [...DATA, '--schemas', '/nowhere'],
      says: '/nowhere is not a folder with JSON schemas',
      is: 'SCHEMAS_NOT_FOUND',
      hint: 'pass the folder with app-sre/, openshift/ and common-1.json with --schemas',
    },
  ])('validate $args', async ({ args, says, is, hint }) => {
    const stderr = `error: ${says}\n code: ${is}\n hint: ${hint}\n`;
    expect(await runCli(['validate', ...args])).toEqual({ code: 1, stdout: '', stderr });
  });

  it('and a stack with --debug', async () => {
    const { stderr } = await runCli(['validate', '--data', '/nowhere', '--debug']);
    const [error, code, hint, stack, at] = stderr.split('\n');
    expect([error, code, hint]).toEqual([
      'error: /nowhere does not exist',
      ' code: INSTANCE_NOT_FOUND',
      ` hint: ${HINT}`,
    ]);
    expect(stack).toBe('EchelonError: /nowhere does not exist');
    expect(at).toMatch(/^ +at .+\.ts:\d+/);
  });
});

describe('a fault of Echelon itself', () => {
  it('is shown as INTERNAL with what to do, on one line though its message has several', async () => {
    const { code, stderr } = await runBroken(['get', 'clusters', ...DATA]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: the printer is on fire\n code: INTERNAL\n' +
        ' hint: this is a bug in Echelon: run again with --debug and report the output\n',
    });
  });

  it('has its stack with --debug', async () => {
    const { stderr } = await runBroken(['get', 'clusters', ...DATA, '--debug']);
    expect(stderr).toMatch(/\n +at .+usage\.test\.ts\S*:\d+/);
  });
});

/** Runs a command whose standard output throws, as nothing of Echelon expects. */
async function runBroken(args: readonly string[], env: RunOptions['env'] = {}) {
  let stderr = '';
  const code = await main(args, {
    stdout: {
      isTTY: false,
      write: () => {
        throw new TypeError('the printer\n  is on fire');
      },
    },
    stderr: {
      isTTY: false,
      write: (text) => {
        stderr += text;
      },
    },
    env,
    cwd: REPO,
    signal: new AbortController().signal,
  });
  return { code, stderr };
}
