import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addCommits, addRequest, type ForgeServer, startForgeServer } from '../support/forge-server.ts';
import { type CheckedRepository, checkedRepository } from '../support/pr-check.ts';

let repository: CheckedRepository;
let server: ForgeServer;
beforeEach(async () => {
  repository = await checkedRepository();
  server = await startForgeServer();
  addCommits(server.state, 'main', 1);
  addCommits(server.state, 'change', 1, server.state.branches.get('main'));
});
afterEach(async () => {
  expect(server.violations).toEqual([]);
  await server.close();
  repository.dispose();
});

describe.each([
  { kind: 'gitlab', remote: 'git@gitlab.example.com:group/project.git' },
  { kind: 'github', remote: 'https://github.com/group/project.git' },
])('the comment on $kind', ({ kind, remote }) => {
  const check = (...more: readonly string[]) =>
    repository.check(['--no-render', '--forge-api', kind === 'gitlab' ? server.gitlabApi : server.githubApi, ...more], {
      env: { GITLAB_TOKEN: server.token, GITHUB_TOKEN: server.token },
    });

  it('is written once and then kept up to date, at the forge of the remote', async () => {
    const { number, comments } = addRequest(server.state, { source: 'change' });
    repository.sandbox.git('repository', 'remote', 'add', 'origin', remote);
    repository.edit('data/integrations/ldap-users.yml', (text) => `${text}# one\n`);
    repository.commit();
    const first = await check('--comment', String(number));
    expect(first).toMatchObject({ code: 0, stderr: `comment on merge request ${number} created\n` });
    expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('ldap-users')]);

    repository.edit('data/integrations/openshift-groups.yml', (text) => `${text}# two\n`);
    repository.commit();
    const second = await check('--comment', String(number));
    expect(second.stderr).toBe(`comment on merge request ${number} updated\n`);
    expect(comments.map(({ body }) => body)).toEqual([expect.stringContaining('openshift-groups')]);
    expect(`${first.stdout}${second.stdout}${comments[0]?.body}`).not.toContain(server.token);
  });

  it('that cannot be written fails the command after the report', async () => {
    const { code, stdout, stderr } = await check('--comment', '77', '--forge-url', remote);
    expect(code).toBe(1);
    expect(stdout).toContain('no problems');
    expect(stderr).toMatch(/^error: .*\n code: FORGE_/);
  });

  it('may be given by the former name of its repository for one minor version, with a warning', async () => {
    const { code, stderr } = await check('--comment', '77', '--repository', remote);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^warning: --repository is now --forge-url; .*\nerror: .*\n code: FORGE_/);
  });
});

describe('without a remote', () => {
  it('the settings before the change say where the comment goes, not those that it brings', async () => {
    const own = await startForgeServer({ project: 'service/app-interface' });
    try {
      const { number, comments } = addRequest(own.state, { source: 'change' });
      repository.edit('data/app-interface/settings.yml', (text) =>
        text.replace(/repoUrl: .*/, 'repoUrl: https://gitlab.example.com/somebody/else'),
      );
      repository.commit();
      const { stderr } = await repository.check(
        ['--no-render', '--forge-api', own.gitlabApi, '--comment', String(number)],
        { env: { GITLAB_TOKEN: own.token } },
      );
      expect(stderr).toBe(`comment on merge request ${number} created\n`);
      expect(comments).toHaveLength(1);
    } finally {
      await own.close();
    }
  });
});

describe('a forge that only the instance names', () => {
  const check = async (env: Readonly<Record<string, string>>) => {
    const { number } = addRequest(server.state, { source: 'change' });
    const git = (...args: readonly string[]) => repository.sandbox.git('repository', ...args);
    git('checkout', '--quiet', 'main');
    repository.edit('data/app-interface/settings.yml', (text) =>
      text.replace(/repoUrl: .*/, `repoUrl: ${server.url}/group/project`),
    );
    repository.commit();
    git('checkout', '--quiet', '-B', 'change');
    const args = ['--no-render', '--forge', 'gitlab', '--comment', String(number)];
    const ran = await repository.check(args, { env: { GITLAB_TOKEN: server.token, ...env } });
    expect(server.seen).not.toEqual([]);
    return { ...ran, sent: JSON.stringify(server.seen) };
  };

  it('gets no token, and the error says how to allow it', async () => {
    const { code, stderr, sent } = await check({});
    expect(sent).not.toContain(server.token);
    expect(code).toBe(1);
    expect(stderr).toContain('GITLAB_TOKEN is not sent to 127.0.0.1, because only the data names that host');
  });

  it('gets the token once the operator names it', async () => {
    const { code, sent } = await check({ GITLAB_HOST: '127.0.0.1' });
    expect(sent).toContain(server.token);
    expect(code).toBe(0);
  });
});

describe('without --comment', () => {
  it('no forge is asked', async () => {
    repository.sandbox.git('repository', 'remote', 'add', 'origin', 'https://github.com/group/project');
    await repository.check(['--no-render', '--forge-api', server.githubApi]);
    expect(server.seen).toEqual([]);
  });
});
