import { execFileSync } from 'node:child_process';
import {
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
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { type SimKube, startSimKube } from '../../src/sim/index.ts';
import { filesBelow } from '../support/manager-run.ts';
import { rememberedHelm } from '../support/remembered-helm.ts';
import { type Ran, runCli } from '../support/run-cli.ts';
import { hasShared, SCHEMAS } from '../support/shared.ts';

let root: string;
let sim: SimKube | undefined;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'echelon-init-'));
});
afterEach(async () => {
  await sim?.close();
  sim = undefined;
  rmSync(root, { recursive: true, force: true });
});

const run = (args: readonly string[], cwd = root, env: Record<string, string> = {}): Promise<Ran> =>
  runCli(args, { cwd, env });
const demo = (): string => join(root, 'demo');

describe('from nothing to a running integration', () => {
  it('takes six commands and no editing', async () => {
    sim = await startSimKube({ anyNamespace: true });
    const kubeconfig = join(root, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(sim.url));
    const env = { KUBECONFIG: kubeconfig, HELM_BIN: await rememberedHelm(), XDG_CACHE_HOME: join(root, 'cache') };
    expect(await run(['init', 'demo'], root, env)).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['validate'], demo(), env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^no problems/),
    });
    const plan = await run(['manager', 'plan'], demo(), env);
    expect(plan).toMatchObject({ code: 0, stderr: '' });
    expect(plan.stdout).toMatch(/^create +demo\/demo +Deployment qontract-reconcile-hello +does not exist$/m);
    expect(await run(['init', 'integration', 'world', '--shards', '2'], demo(), env)).toMatchObject({ code: 0 });
    expect(await run(['manager', 'apply', '--yes'], demo(), env)).toMatchObject({ code: 0, stderr: '' });
    const status = await run(['manager', 'status', '--watch'], demo(), env);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('3 converged.') });
    expect(status.stdout).toContain('v1');
  });

  it('an interrupted status --watch ends with what it saw', async () => {
    sim = await startSimKube({ anyNamespace: true });
    await run(['init', 'demo', '--server', sim.url]);
    const kubeconfig = join(root, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(sim.url));
    const env = { KUBECONFIG: kubeconfig, HELM_BIN: await rememberedHelm(), XDG_CACHE_HOME: join(root, 'cache') };
    const stop = new AbortController();
    let shown = '';
    const code = await main(['manager', 'status', '--watch'], {
      stdout: {
        isTTY: false,
        write: (text) => {
          shown += text;
        },
      },
      stderr: {
        isTTY: false,
        write: (text) => {
          if (text.startsWith('waiting for')) stop.abort();
        },
      },
      env,
      cwd: demo(),
      signal: stop.signal,
    });
    expect(code).toBe(130);
    expect(shown).toMatch(/^missing +hello .*\n1 missing\.\n$/m);
  });

  it('the simulated cluster is one line that init prints, and its names fit', async () => {
    const { stdout } = await run(['init', 'demo', '--cluster', 'west-1']);
    const line =
      stdout
        .split('\n')
        .find((text) => text.includes('sim kube'))
        ?.trim() ?? '';
    expect(line).toBe(
      'export KUBECONFIG="$PWD/.kubeconfig"; echelon sim kube --clusters west-1 --any-namespace --kubeconfig "$KUBECONFIG" &',
    );
    expect(readFileSync(join(demo(), 'README.md'), 'utf8')).toContain(`\n${line}\n`);
    const stop = new AbortController();
    const words = line.replaceAll('"$KUBECONFIG"', '.kubeconfig').split(' ').slice(3, -1);
    const ran = runCli(words, { cwd: demo(), signal: stop.signal, onStdout: () => stop.abort() });
    expect(await ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^west-1 http:/) });
    expect(readFileSync(join(demo(), '.gitignore'), 'utf8')).toContain('.kubeconfig\n');
  });
});

describe('init', () => {
  it('writes two files with at most 20 lines of data, and a schema for editors', async () => {
    await run(['init', 'demo']);
    const data = filesBelow(join(demo(), 'data'));
    const lines = Object.values(data).flatMap((text) =>
      text.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
    );
    expect(Object.keys(data)).toEqual(['integrations/hello.yml', 'namespaces/demo.yml']);
    expect(lines.length).toBeLessThanOrEqual(20);
    for (const [path, text] of Object.entries(data)) {
      const schema = /^# yaml-language-server: \$schema=(.*)$/m.exec(text)?.[1] ?? 'none';
      expect(existsSync(join(demo(), 'data', path, '..', schema)), path).toBe(true);
    }
  });

  it.each(['README.md', '.gitignore', 'data/integrations/hello.yml', '.gitlab-ci.yml'])(
    'writes nothing at all where %s exists, and says so',
    async (file) => {
      mkdirSync(join(demo(), file, '..'), { recursive: true });
      writeFileSync(join(demo(), file), 'mine');
      const { code, stdout, stderr } = await run(['init', 'demo']);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(`error: ${file} exists already. Nothing was written\n code: INIT_EXISTS\n`);
      expect(filesBelow(demo())).toEqual({ [file]: 'mine' });
    },
  );

  it('follows no dangling link out of the folder', async () => {
    mkdirSync(demo());
    symlinkSync(join(root, 'outside'), join(demo(), 'README.md'));
    expect(await run(['init', 'demo'])).toMatchObject({ code: 1 });
    expect(existsSync(join(root, 'outside'))).toBe(false);
  });

  it('removes what it wrote when one file cannot be written', async () => {
    mkdirSync(demo());
    writeFileSync(join(demo(), 'resources'), 'a file where a folder belongs');
    const { code, stderr } = await run(['init', 'demo']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot write resources\/echelon\/manager.yml: .*Nothing was changed\n code: WRITE_FAILED/);
    expect(readdirSync(demo())).toEqual(['resources']);
  });

  it('with --dry-run prints the files and writes none', async () => {
    const { code, stdout } = await run(['init', 'demo', '--dry-run']);
    expect({ code, isThere: existsSync(demo()) }).toEqual({ code: 0, isThere: false });
    expect(stdout).toContain('--- data/integrations/hello.yml\n');
  });

  it.each([
    { given: ['--integration', 'Not_A_Name'], says: '--integration: "Not_A_Name" is not a valid name' },
    { given: ['--integration', '../../etc'], says: '--integration: "../../etc" is not a valid name' },
    { given: ['--image', 'x:v1'], says: '--image: "x:v1" is not an image repository' },
    { given: ['--tag', 'a b'], says: '--tag: "a b" is not an image tag' },
    { given: ['--server', 'demo'], says: '--server: "demo" is not the URL of a server' },
  ])('$given is a wrong command line', async ({ given, says }) => {
    const { code, stderr } = await run(['init', 'demo', ...given]);
    expect(code).toBe(64);
    expect(stderr).toContain(`error: ${says}\n code: FLAG_INVALID`);
    expect(existsSync(demo())).toBe(false);
  });

  it.each([[], ['--full']])('with names that YAML could misread is valid %s', async (...more) => {
    const names = [
      '--cluster',
      'on',
      '--environment',
      '1e3',
      '--namespace',
      'null',
      '--integration',
      '0123',
      '--tag',
      '007',
    ];
    await run(['init', 'demo', ...names, ...more]);
    expect(await run(['validate'], demo())).toMatchObject({ code: 0, stdout: expect.stringMatching(/^no problems/) });
    expect((await run(['get', 'clusters', '-o', 'name'], demo())).stdout).toBe(more.length === 0 ? '' : 'cluster/on\n');
    expect((await run(['get', 'integrations', '-o', 'name'], demo())).stdout).toBe('integration/0123\n');
  });

  it('asks on a terminal what no flag says, and an answer may be left to the default', async () => {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return question.startsWith('Name of the cluster') ? 'west' : '';
    };
    const code = await main(['init', 'demo', '--tag', 'v7'], { ...silent(), ask });
    expect({ code, asked }).toEqual({
      code: 0,
      asked: [
        'Name of the first integration [hello]: ',
        'Its image, without the tag [registry.example.com/demo/hello]: ',
        'Name of the cluster [demo]: ',
        'Address of its API server [https://api.west.example.com:6443]: ',
        'Name of the environment [demo]: ',
        'Namespace to run in [demo]: ',
      ],
    });
    expect(filesBelow(demo())['data/namespaces/demo.yml']).toContain('name: west\n');
  });

  it('writes nothing when the user leaves instead of answering', async () => {
    expect(await main(['init', 'demo'], { ...silent(), ask: async () => undefined })).toBe(1);
    expect(existsSync(demo())).toBe(false);
  });

  it.skipIf(!hasShared)(
    '--full writes what the published schemas accept, and integrations that are added too',
    async () => {
      await run(['init', 'demo', '--full']);
      await run(['init', 'integration', 'world', '--shards', '3'], demo());
      expect(await run(['validate', '--schemas', SCHEMAS], demo())).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^no problems in 11 datafiles/),
      });
    },
  );

  it('its CI files run commands that work in a clone', async () => {
    await run(['init', 'demo']);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=t@example.com', ...args], {
        cwd: demo(),
        encoding: 'utf8',
      });
    git('init', '--quiet', '--initial-branch', 'main');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    const base = git('rev-parse', 'HEAD').trim();
    await run(['init', 'integration', 'world'], demo());
    git('add', '.');
    git('commit', '--quiet', '--message', 'second');
    const values: Record<string, string> = {
      GITHUB_BASE_REF: 'main',
      GITHUB_STEP_SUMMARY: join(root, 'summary.md'),
      CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
    };
    const env = { HELM_BIN: await rememberedHelm(), XDG_CACHE_HOME: join(root, 'cache') };
    for (const file of ['.github/workflows/echelon.yml', '.gitlab-ci.yml']) {
      const commands = [...readFileSync(join(demo(), file), 'utf8').matchAll(/^ *- (?:run: )?echelon (.*)$/gm)];
      expect(commands.map(([, command = '']) => command.split(' ')[0])).toEqual(['validate', 'pr-check']);
      for (const [, command = ''] of commands) {
        const words = command
          .split(' ')
          .map((word) => word.replaceAll('"', '').replace(/\$(\w+)/, (_, name: string) => values[name] ?? ''));
        expect(await run(words, demo(), env), command).toMatchObject({ code: 0 });
      }
    }
    expect(readFileSync(join(root, 'summary.md'), 'utf8')).toContain('world');
  });
});

describe('init integration', () => {
  it.each([
    {
      given: 'a name that exists',
      args: ['hello'],
      code: 1,
      says: 'an integration hello exists in data/integrations/hello.yml',
    },
    { given: 'a bad name', args: ['Hello World'], code: 64, says: 'NAME: "Hello World" is not a valid name' },
    { given: 'a mistyped namespace', args: ['x', '-n', 'dmo'], code: 1, says: 'hint: did you mean demo?' },
    { given: 'no shards', args: ['x', '--shards', '0'], code: 64, says: '1 or more' },
    { given: 'no instance', args: ['x', '--data', '/nowhere'], code: 64, says: 'only an instance in a folder' },
  ])('with $given writes nothing', async ({ args, code, says }) => {
    await run(['init', 'demo']);
    const before = filesBelow(demo());
    const ran = await run(['init', 'integration', ...args], demo());
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(says);
    expect(filesBelow(demo())).toEqual(before);
  });
});

describe('init rollouts', () => {
  it('writes a file that validate accepts, once', async () => {
    await run(['init', 'demo', '--tag', '8c41f7e']);
    await run(['init', 'integration', 'world', '--shards', '2'], demo());
    expect(await run(['init', 'rollouts'], demo())).toMatchObject({ code: 0 });
    expect(await run(['validate'], demo())).toMatchObject({ code: 0, stdout: expect.stringMatching(/^no problems/) });
    expect((await run(['init', 'rollouts'], demo())).stderr).toContain(
      'rollouts.yml exists already. Nothing was written',
    );
  });

  it('of a fleet with a single shard has no wave that is empty', async () => {
    await run(['init', 'demo', '--tag', '8c41f7e']);
    await run(['init', 'rollouts'], demo());
    expect(await run(['validate'], demo())).toMatchObject({ code: 0, stdout: expect.stringMatching(/^no problems/) });
  });
});

it('init promotion is promote init', async () => {
  await run(['init', 'demo']);
  const [init, promote] = [
    await run(['init', 'promotion', '--force'], demo()),
    await run(['promote', 'init', '--force'], demo()),
  ];
  expect(init).toEqual(promote);
});

/** With a context for the cluster of a new instance. */
function kubeconfigOf(server: string): string {
  return JSON.stringify({
    clusters: [{ name: 'demo', cluster: { server } }],
    users: [{ name: 'demo', user: {} }],
    contexts: [{ name: 'demo', context: { cluster: 'demo', user: 'demo' } }],
  });
}

function silent() {
  const output = { write: () => undefined, isTTY: true };
  return { stdout: output, stderr: output, env: {}, cwd: root, signal: new AbortController().signal };
}
