import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CheckedRepository, checkedRepository } from '../support/pr-check.ts';
import { until } from '../support/until.ts';

let repository: CheckedRepository;
beforeEach(async () => {
  repository = await checkedRepository();
});
afterEach(() => repository.dispose());

/** A program for `--command`, with `env`, `fs`, `args` and `dir`, a folder that all runs share. */
function program(body: string): string[] {
  const script = `
    import * as fs from 'node:fs';
    const { env } = process;
    const args = process.argv.slice(2);
    const dir = ${JSON.stringify(repository.path('shared'))};
    fs.mkdirSync(dir, { recursive: true });
    const wait = async (ready) => {
      for (let n = 0; n < 30_000; n += 1) {
        if (ready()) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      console.log('waited in vain');
      process.exit(9);
    };
    ${body}`;
  repository.sandbox.write('.', 'program.mjs', script);
  return [
    '--run',
    '--runner',
    'process',
    '--no-render',
    '--command',
    `'${process.execPath}' '${repository.path('program.mjs')}'`,
  ];
}

function changeOf(...integrations: readonly string[]): void {
  for (const name of integrations) repository.edit(`data/integrations/${name}.yml`, (text) => `${text}# touched\n`);
  repository.commit();
}

const ends = (report: { results?: readonly { name: string; end: string }[] }): Record<string, string> =>
  Object.fromEntries((report.results ?? []).map(({ name, end }) => [name, end]));

describe('runs', () => {
  it('are under way together: two that wait for each other both end', async () => {
    changeOf('openshift-groups', 'ldap-users');
    const barrier = `
      if (env.INTEGRATION_NAME !== 'integrations-manager') {
        fs.writeFileSync(dir + '/' + env.INTEGRATION_NAME, '');
        await wait(() => fs.existsSync(dir + '/openshift-groups') && fs.existsSync(dir + '/ldap-users'));
      }`;
    const report = await repository.report([...program(barrier), '--jobs', '2']);
    expect(ends(report)).toEqual({
      'integrations-manager': 'passed',
      'ldap-users': 'passed',
      'openshift-groups': 'passed',
    });
    expect(report.code).toBe(0);
  });

  it('of a lower order end before others begin', async () => {
    changeOf('openshift-groups', 'openshift-resources');
    const record = `
      if (env.INTEGRATION_NAME !== 'integrations-manager' && !fs.existsSync(dir + '/first')) process.exit(1);
      if (env.INTEGRATION_NAME === 'openshift-groups' && !fs.existsSync(dir + '/second')) process.exit(2);
      await new Promise((resolve) => setImmediate(resolve));
      if (env.INTEGRATION_NAME === 'integrations-manager') fs.writeFileSync(dir + '/first', '');
      if (env.INTEGRATION_NAME === 'openshift-resources') fs.writeFileSync(dir + '/second', '');`;
    const report = await repository.report([...program(record), '--jobs', '8']);
    expect(new Set(Object.values(ends(report)))).toEqual(new Set(['passed']));
  });

  it('that fail fail the check and hide no other', async () => {
    changeOf('openshift-groups', 'ldap-users');
    const args = [
      ...program(
        `console.log('about ' + env.INTEGRATION_NAME); if (env.INTEGRATION_NAME === 'ldap-users') process.exit(3);`,
      ),
      ...['--markdown', repository.path('report.md'), '--junit', repository.path('report.xml')],
    ];
    const report = await repository.report(args);
    expect(ends(report)).toEqual({
      'integrations-manager': 'passed',
      'ldap-users': 'failed',
      'openshift-groups': 'passed',
    });
    expect(report).toMatchObject({ code: 1, failures: ['1 of 3 runs failed'] });
    expect(repository.log('reconcile-ldap-users.txt')).toBe('about ldap-users\n');
    const markdown = readFileSync(repository.path('report.md'), 'utf8');
    expect(markdown).toContain('<summary>ldap-users: exit 3</summary>\n\n```text\nabout ldap-users\n```\n');
    expect(readFileSync(repository.path('report.xml'), 'utf8')).toContain('<failure message="exit 3">');
  });

  it('get what a pod gets, as words, in dry-run', async () => {
    repository.edit('data/integrations/ldap-users.yml', (text) =>
      text.replace('cmd: ldap-users app-interface infra', `cmd: ldap-users 'two words' "$(touch x)" ; rm`),
    );
    repository.commit();
    const tell = `console.log(JSON.stringify({ args, env: Object.fromEntries(Object.entries(env).filter(([name]) =>
      ['INTEGRATION_NAME', 'INTEGRATION_EXTRA_ARGS', 'DRY_RUN', 'MANAGER_DRY_RUN', 'RUN_ONCE', 'IMAGE', 'IMAGE_TAG'].includes(name))) }));`;
    await repository.report(program(tell));
    expect(JSON.parse(repository.log('reconcile-ldap-users.txt'))).toEqual({
      args: ['ldap-users', 'two words', '$(touch x)', ';', 'rm'],
      env: {
        INTEGRATION_NAME: 'ldap-users',
        INTEGRATION_EXTRA_ARGS: `'two words' '$(touch x)' ';' rm`,
        DRY_RUN: '--dry-run',
        MANAGER_DRY_RUN: '--dry-run',
        RUN_ONCE: 'true',
        IMAGE: 'quay.io/app-sre/qontract-reconcile',
        IMAGE_TAG: '8c41f7e',
      },
    });
  });

  it('pass on what allows to leave early', async () => {
    changeOf('terraform-resources');
    await repository.report([
      ...program('console.log(env.EARLY_EXIT_COMPARE_SHA, env.CHECK_ONLY_AFFECTED_SHARDS, ...args);'),
      ...['--compare-sha', 'abc'],
    ]);
    expect(repository.logs()).toEqual([
      'reconcile-integrations-manager.txt',
      'reconcile-terraform-resources.txt',
      'reconcile-terraform-resources_0473914.txt',
    ]);
    expect(repository.log('reconcile-terraform-resources_0473914.txt')).toBe(
      'abc true terraform-resources --account-name app-sre --account-name payments\n',
    );
  });

  it.each([
    { cmd: '--no-dry-run ldap-users', why: 'starts with an option, or disables dry-run' },
    { cmd: 'ldap-users --no-dry-run', why: 'starts with an option, or disables dry-run' },
    { cmd: "ldap-users 'open", why: "has a ' at character 12 that is not closed" },
  ])('of the command $cmd do not begin', async ({ cmd, why }) => {
    repository.edit('data/integrations/ldap-users.yml', (text) =>
      text.replace('cmd: ldap-users app-interface infra', `cmd: ${JSON.stringify(cmd)}`),
    );
    repository.commit();
    const report = await repository.report(program(''));
    expect(report.results).toContainEqual(
      expect.objectContaining({ name: 'ldap-users', end: 'not-started', reason: expect.stringContaining(why) }),
    );
    expect(report.code).toBe(1);
  });

  it('have logs below the folder, whatever the integration is called', async () => {
    const name = '../../-x $(id)';
    repository.edit('data/integrations/saas-file-validator.yml', (text) =>
      text.replace('name: saas-file-validator', `name: ${JSON.stringify(name)}`),
    );
    repository.commit();
    await repository.report(program(`console.log('here');`));
    const found = repository.logs().filter((log) => log !== 'reconcile-integrations-manager.txt');
    expect(found).toEqual([expect.stringMatching(/^reconcile-x-id-[0-9a-f]{8}\.txt$/)]);
    expect(repository.log(found[0] ?? '')).toBe('here\n');
  });

  it('are not begun while the change brings errors', async () => {
    repository.write('data/broken.yml', 'a: [\n');
    repository.commit();
    const report = await repository.report(program(''));
    expect(ends(report)).toEqual({ 'integrations-manager': 'skipped' });
    expect(report).toMatchObject({ code: 1, failures: ['1 new error'] });
  });

  describe('of a local command', () => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      LC_TIME: 'C',
      HTTPS_PROXY: 'http://proxy.example.com:3128',
      GITHUB_TOKEN: 'token-of-github',
      GITLAB_TOKEN: 'token-of-gitlab',
      AWS_SECRET_ACCESS_KEY: 'key-of-aws',
      VAULT_TOKEN: 'token-of-vault',
      NODE_OPTIONS: '--no-warnings',
      DRY_RUN: '--no-dry-run',
    };
    const seen = async (...args: readonly string[]): Promise<string[]> => {
      const { code, stderr } = await repository.check(
        [
          ...program(
            'console.log(Object.keys(env).sort().join().replace(/ECHELON_RUN_[0-9a-f]{16}/, "ECHELON_RUN_…")); console.log(env.DRY_RUN, env.STAGE);',
          ),
          ...args,
        ],
        { env },
      );
      expect({ code, stderr }).toMatchObject({ code: 0 });
      return repository.log('reconcile-integrations-manager.txt').trimEnd().split('\n');
    };
    const contract = 'DRY_RUN,ECHELON_BASE_DATA,ECHELON_DATA,ECHELON_RUN_…';
    const pod = 'IMAGE,IMAGE_TAG,INTEGRATION_EXTRA_ARGS,INTEGRATION_NAME,LC_TIME,MANAGER_DRY_RUN,PATH,RUN_ONCE';

    it('get no token of the environment', async () => {
      expect(await seen()).toEqual([`${contract},HTTPS_PROXY,${pod}`, '--dry-run undefined']);
    });

    it('get what --env passes, and stay dry runs', async () => {
      const args = ['--env', 'VAULT_TOKEN', '--env', 'STAGE=a=b', '--env', 'DRY_RUN', '--env', 'RUN_ONCE='];
      expect(await seen(...args)).toEqual([`${contract},HTTPS_PROXY,${pod},STAGE,VAULT_TOKEN`, '--dry-run a=b']);
    });
  });

  it.each([
    { given: 'the environment', env: { SOME_API_TOKEN: 'correct-horse-battery' }, arg: 'SOME_API_TOKEN' },
    { given: '--env', env: {}, arg: 'SOME_API_TOKEN=correct-horse-battery' },
  ])('show no secret of $given', async ({ env, arg }) => {
    const args = program(
      'process.stdout.write(env.SOME_API_TOKEN.slice(0, 9)); console.log(env.SOME_API_TOKEN.slice(9)); process.exit(1);',
    );
    const { stdout, stderr } = await repository.check(
      [...args, '--env', arg, '-o', 'json', '--markdown', repository.path('m.md')],
      { env },
    );
    const all = `${stdout}${stderr}${readFileSync(repository.path('m.md'), 'utf8')}${repository.log('reconcile-integrations-manager.txt')}`;
    expect(all).not.toContain('correct-horse-battery');
    expect(repository.log('reconcile-integrations-manager.txt')).toBe('***\n');
  });

  it('end when the check is interrupted, all of them', async () => {
    changeOf('openshift-groups', 'ldap-users');
    const body = `
      if (env.INTEGRATION_NAME === 'integrations-manager') process.exit(0);
      fs.writeFileSync(dir + '/' + env.INTEGRATION_NAME, String(process.pid));
      setInterval(() => {}, 1000);`;
    const stop = new AbortController();
    const ran = repository.check(program(body), { signal: stop.signal });
    const pidOf = (name: string): number => Number(readFileSync(repository.path('shared', name), 'utf8'));
    await until(() => pidOf('openshift-groups') > 0 && pidOf('ldap-users') > 0, {
      what: 'both run',
    });
    stop.abort(new Error('SIGINT'));
    expect((await ran).code).toBe(130);
    for (const name of ['openshift-groups', 'ldap-users']) {
      expect(() => process.kill(pidOf(name), 0)).toThrow(/ESRCH/);
    }
  });

  it('end at the time limit', async () => {
    const report = await repository.report([...program('setInterval(() => {}, 1000);'), '--timeout', '1s']);
    expect(report.results).toMatchObject([{ end: 'timed-out', reason: 'timed out after 1 second' }]);
  });

  it('are given to a shell only when asked', async () => {
    const plain = await repository.report([
      '--run',
      '--runner',
      'process',
      '--no-render',
      '--command',
      `echo '$HOME;' x`,
    ]);
    expect(ends(plain)).toEqual({ 'integrations-manager': 'passed' });
    expect(repository.log('reconcile-integrations-manager.txt')).toBe('$HOME; x integrations-manager\n');
    await repository.report([
      '--run',
      '--runner',
      'process',
      '--no-render',
      '--shell',
      '--command',
      'echo "$DRY_RUN"; echo "$@"',
    ]);
    expect(repository.log('reconcile-integrations-manager.txt')).toBe('--dry-run\nintegrations-manager\n');
  });
});

describe('usage', () => {
  it.each([
    { args: ['--run', '--runner', 'process'], says: '--runner process requires --command' },
    { args: ['--shell'], says: '--shell requires --runner process' },
    { args: ['--env', 'VAULT_TOKEN'], says: '--env VAULT_TOKEN: the variable is not set' },
    { args: ['--env', 'two words=x'], says: '--env "two words" is not a valid variable name' },
    { args: ['--jobs', '0'], says: 'whole number' },
    { args: ['--jobs', '1000'], says: 'it must be at most 64' },
    { args: ['--timeout', '0s'], says: 'from 1s to 24h' },
    { args: ['--comment', 'x'], says: 'whole number' },
  ])('$args is refused', async ({ args, says }) => {
    const { code, stderr } = await repository.check(args);
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(says) });
    expect(existsSync(repository.path('logs'))).toBe(false);
  });
});

describe('what cannot be written is told before anything runs', () => {
  it.each([
    { flag: '--log-dir', name: 'file' },
    { flag: '--markdown', name: 'file/report.md' },
    { flag: '--junit', name: '.' },
  ])('$flag $name', async ({ flag, name }) => {
    changeOf('openshift-groups');
    repository.sandbox.write('.', 'file', '');
    const args = [...program(`fs.writeFileSync(dir + '/ran', '')`), flag, repository.path(name)];
    const { code, stderr } = await repository.check(args);
    expect(code).toBe(1);
    expect(stderr).toContain('CHECK_FILE_UNWRITABLE');
    expect(stderr).toContain(`${flag}: cannot write ${repository.path(name.split('/')[0] ?? '').replace(/\/$/, '')}`);
    expect(existsSync(repository.path('shared/ran'))).toBe(false);
  });
});

describe('a pin with a digest', () => {
  it('has a log named by its tag, and the digest apart from the tag', async () => {
    const digest = `sha256:${'ab'.repeat(32)}`;
    repository.edit('data/integrations/terraform-resources.yml', (text) =>
      text.replaceAll(/imageRef: .*/g, `imageRef: '0473914@${digest}'`),
    );
    repository.commit();
    const report = await repository.report(program('console.log(env.IMAGE_TAG, env.IMAGE_DIGEST)'));
    const run = report.runs.find(({ name }) => name === 'terraform-resources_0473914');
    expect(run?.image).toBe(`quay.io/app-sre/qontract-reconcile:0473914@${digest}`);
    expect(repository.log('reconcile-terraform-resources_0473914.txt')).toBe(`0473914 ${digest}\n`);
  });
});
