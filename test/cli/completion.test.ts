import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { EXAMPLE_INSTANCE, REPO } from '../support/shared.ts';

const KINDS = ['integrations', 'shards', 'environments', 'clusters', 'accounts', 'organizations'];
const FORMATS = ['table', 'wide', 'json', 'yaml', 'name', 'markdown'];

/** The last word is the one being typed. */
const ROWS = [
  {
    typed: [''],
    candidates: [
      ...[
        'init',
        'validate',
        'get',
        'explain',
        'schema',
        'shard-of',
        'manager',
        'pin',
        'unpin',
        'pins',
        'rollout',
        'shadow',
        'pr-check',
        'promote',
        'run',
      ],
      ...['upgrades', 'aus', 'console', 'sim', 'completion', 'version', 'help'],
    ],
  },
  { typed: ['v'], candidates: ['validate', 'version'] },
  { typed: ['get', ''], candidates: KINDS },
  { typed: ['get', 'cl'], candidates: ['clusters'] },
  { typed: ['validate', '--sch'], candidates: ['--schemas'] },
  {
    typed: ['get', 'accounts', '--'],
    candidates: ['--data', '--config', '--integration', '--output', '--progress', '--no-color', '--debug'],
  },
  { typed: ['get', 'clusters', '-o', ''], candidates: FORMATS },
  { typed: ['get', 'clusters', '--output', 'w'], candidates: ['wide'] },
  { typed: ['validate', '--data', ''], candidates: [] },
  { typed: ['validate', '--no-color', '--d'], candidates: ['--data', '--debug'] },
  { typed: ['completion', ''], candidates: ['bash', 'zsh', 'fish'] },
  { typed: ['nosuch', 'command', 'zzz'], candidates: [] },
];

describe('candidates', () => {
  it.each(ROWS)('of $typed are $candidates', async ({ typed, candidates }) => {
    const { code, stdout, stderr } = await runCli(['__complete', '--', ...typed]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').slice(0, -1)).toEqual(candidates);
  });
});

const HERE = { ECHELON_DATA: EXAMPLE_INSTANCE };
const DATA = ['--data', EXAMPLE_INSTANCE];

describe('names of the instance', () => {
  it.each([
    { typed: ['manager', 'plan', '--cluster', 'app-sre-s'], candidates: ['app-sre-stage-01'] },
    { typed: ['manager', 'apply', '-i', 'terraform-u'], candidates: ['terraform-users'] },
    { typed: ['manager', 'plan', '-e', 'payments-s'], candidates: ['payments-stage'] },
    { typed: ['get', 'shards', '--environment', 'payments-s'], candidates: ['payments-stage'] },
    { typed: ['get', 'organizations', 'ocm-app'], candidates: ['ocm-app-sre', 'ocm-app-sre-stage'] },
    { typed: ['get', 'clusters', 'app-sre-c'], candidates: ['app-sre-ci'] },
    { typed: ['pin', 'ldap'], candidates: ['ldap-users'] },
    { typed: ['pin', 'terraform-resources', '--shard', 'payments-c'], candidates: ['payments-ci'] },
    { typed: ['pin', 'ldap-users', '--shard', 'payments-c'], candidates: [] },
    { typed: ['init', '--integration', 'terr'], candidates: [] },
    { typed: ['schema', 'ro'], candidates: ['rollouts'] },
    { typed: ['explain', 'lean'], candidates: ['lean-namespace'] },
    { typed: ['aus', 'apply', 'policies', '--cluster-name', 'app'], candidates: [] },
  ])('for $typed are $candidates', async ({ typed, candidates }) => {
    const { code, stdout, stderr } = await runCli(['__complete', '--', ...typed], { env: HERE });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').slice(0, -1)).toEqual(candidates);
  });

  it('come from --data on the command line', async () => {
    const env = { ECHELON_DATA: '/nowhere' };
    const { stdout } = await runCli(['__complete', '--', 'get', 'clusters', ...DATA, 'app-sre-c'], { env });
    expect(stdout).toBe('app-sre-ci\n');
  });

  it.each(['/nowhere', 'https://127.0.0.1:1/graphql', 'package.json'])('of %s are none, and no error', async (data) => {
    const ran = await runCli(['__complete', '--', 'manager', 'plan', '--cluster', ''], { env: { ECHELON_DATA: data } });
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('are no control characters', async () => {
    const root = mkdtempSync(join(tmpdir(), 'echelon-completion-'));
    mkdirSync(join(root, 'data'));
    const text = '$schema: /openshift/cluster-1.yml\nname: "a\\e[31m\\nb"\nserverUrl: https://a.example.com\n';
    writeFileSync(join(root, 'data/cluster.yml'), text);
    const { stdout } = await runCli(['__complete', '--', 'get', 'clusters', ''], { env: { ECHELON_DATA: root } });
    rmSync(root, { recursive: true });
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stdout).not.toContain('\u001b');
  });
});

describe('the script', () => {
  it.each([
    { shell: 'bash', registers: 'complete -o default -F _echelon echelon' },
    { shell: 'zsh', registers: 'compdef _echelon echelon' },
    { shell: 'fish', registers: 'complete -c echelon -a' },
  ])('of $shell registers itself and asks echelon', async ({ shell, registers }) => {
    const { code, stdout, stderr } = await runCli(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(registers);
    expect(stdout).toContain('echelon __complete -- ');
  });

  it.each(['powershell', 'constructor'])(
    'of the unknown shell %s is an error that names those known',
    async (shell) => {
      const { code, stdout, stderr } = await runCli(['completion', shell]);
      expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
      expect(stderr).toContain('Allowed choices are bash, zsh, fish');
    },
  );
});

/** Prints what bash would offer; the words come as arguments, the last of them being typed. */
const ASK_BASH = `
  source <(echelon completion bash)
  COMP_WORDS=(echelon "$@")
  COMP_CWORD=$#
  _echelon
  printf '%s\\n' "\${COMPREPLY[@]}"
`;

describe('in a real bash', () => {
  it.each([
    { typed: ['get', ''], candidates: KINDS },
    { typed: ['get', 'cl'], candidates: ['clusters'] },
    { typed: ['validate', '--sch'], candidates: ['--schemas'] },
    { typed: ['get', 'clusters', '-o', ''], candidates: FORMATS },
    { typed: ['get', 'clusters', '--data', ''], candidates: [] },
  ])('echelon $typed offers $candidates', ({ typed, candidates }) => {
    const env = { ...process.env, PATH: `${join(REPO, 'bin')}:${process.env['PATH']}` };
    const stdout = execFileSync('bash', ['-c', ASK_BASH, 'bash', ...typed], { env, encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual(candidates);
  });

  it('completion is registered for echelon', () => {
    const env = { ...process.env, PATH: `${join(REPO, 'bin')}:${process.env['PATH']}` };
    const script = 'source <(echelon completion bash); complete -p echelon';
    const stdout = execFileSync('bash', ['-c', script], { env, encoding: 'utf8' });
    expect(stdout).toBe('complete -o default -F _echelon echelon\n');
  });
});
