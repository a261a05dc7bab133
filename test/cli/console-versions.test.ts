import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleRun, consoleOf } from '../support/console-run.ts';
import { startForgeServer } from '../support/forge-server.ts';
import { type GitSandbox, gitSandbox } from '../support/git-sandbox.ts';
import { integrationText, type SimFleet, simFleet } from '../support/sim-fleet.ts';
import { until } from '../support/until.ts';

const ENVIRONMENT = (name: string, tag: string): string =>
  `$schema: /app-sre/environment-1.yml\nname: ${name}\nservicePhase: production\nproduct: { $ref: /product.yml }\n# not ${tag} here\nparameters:\n  IMAGE_TAG: "${tag}"\n`;
const PIN = `    shardSpecOverrides:
    - shard: { $ref: /aws/beta.yml }
      imageRef: f929a38 # INC-7
`;

describe('versions and environments', () => {
  let fleet: SimFleet;
  let box: GitSandbox;
  let run: ConsoleRun;
  let [old, middle, newest] = ['', '', ''];
  beforeAll(async () => {
    box = gitSandbox();
    box.init('upstream');
    [old = '', middle = '', newest = ''] = ['a', 'b', 'c'].map((name) => box.commit('upstream', name).slice(0, 7));
    fleet = await simFleet(['lab', 'far']);
    fleet.write('environments/prod.yml', ENVIRONMENT('prod', old));
    fleet.write('environments/lab.yml', ENVIRONMENT('lab', newest));
    fleet.write(
      'namespaces/far.yml',
      '$schema: /openshift/namespace-1.yml\nname: fleet\ncluster: { $ref: /clusters/far.yml }\nenvironment: { $ref: /environments/prod.yml }\n',
    );
    fleet.write('integrations/terraform-resources.yml', integrationText('terraform-resources', ['lab', 'far'], PIN));
    const { manager } = fleet;
    const instance = manager.path('instance');
    const git = (author: string, date: string, ...args: string[]) =>
      execFileSync('git', args, {
        ...{ cwd: instance, stdio: 'pipe' },
        env: { ...process.env, GIT_AUTHOR_NAME: author, GIT_COMMITTER_DATE: date },
      });
    git('Ann', '', 'init', '-q');
    git('Ann', '', 'add', '-A');
    git('Ann', '2026-01-02T03:04:05Z', 'commit', '-qm', 'first');
    fleet.write(
      'environments/lab.yml',
      `${ENVIRONMENT('lab', newest)}labels: {}\n`.replace(`"${newest}"`, `"${middle}"`),
    );
    git('Ben', '2026-02-02T03:04:05Z', 'commit', '-qam', 'promote');
    fleet.write('environments/lab.yml', `${ENVIRONMENT('lab', newest)}labels: {}\n`);
    git('Eve', '2026-03-04T05:06:07Z', 'commit', '-qam', 'promote again');
    expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
    const link = ['Logs=https://logs.example/?q=$namespace/$name'];
    run = await consoleOf(fleet, { upstreamClone: box.path('upstream'), link });
  });
  afterAll(async () => {
    await run?.stop();
    await fleet?.dispose();
    box?.dispose();
  });
  const get = async (path: string) => (await fetch(run.url + path)).text();

  it('say who promoted what, where, and how many commits are between them', async () => {
    const { items } = JSON.parse(await get('/versions.json'));
    expect(items).toMatchObject([
      {
        environment: 'lab',
        declared: [
          {
            ...{ version: newest, file: '/environments/lab.yml', line: 7 },
            promoted: { at: '2026-03-04T05:06:07.000Z', author: 'Eve' },
          },
        ],
        runs: [
          { version: newest, shards: 2 },
          { version: 'f929a38', shards: 1 },
        ],
        pins: [{ pin: { shard: 'beta', imageRef: 'f929a38', reason: 'INC-7' } }],
      },
      { environment: 'prod', declared: [{ version: old, newest, apart: { behind: 2, ahead: 0 } }] },
    ]);
    const body = await get('/versions');
    expect(body).toContain(`>2 behind ${newest}</a>`);
    expect(body).toContain(`https://github.com/app-sre/qontract-reconcile/compare/${old}...${newest}`);
    expect(body).toMatch(/2026-03-04 05:06 UTC.*by Eve/);
  });

  it.each([
    { given: 'the forge', says: />2 behind [0-9a-f]{7}<\/a>/, broken: false },
    { given: 'a forge that refuses', says: />differs from [0-9a-f]{7}, commits unknown: .*401/, broken: true },
  ])('are compared by $given where there is no clone', async ({ says, broken }) => {
    const forge = await startForgeServer({ project: 'app-sre/qontract-reconcile' });
    const shas = [old, middle, newest].map((sha) => sha.padEnd(40, '0'));
    for (const [index, sha] of shas.entries()) {
      const about = { message: 'x', author: { name: 'A', email: 'a@example.com' }, date: '2026-01-01T00:00:00Z' };
      forge.state.commits.push({ sha, parents: shas.slice(Math.max(0, index - 1), index), ...about });
    }
    const token = broken ? 'wrong' : forge.token;
    const other = await consoleOf(fleet, {}, { GITHUB_API: forge.githubApi, GITHUB_TOKEN: token });
    try {
      const page = async () => (await fetch(`${other.url}/versions`)).text();
      const shown = await until(async () => /2 behind|commits unknown: (?!the forge is)/.test(await page()), {
        what: 'the forge has answered',
      }).then(page);
      expect(shown).toMatch(says);
      expect(shown).not.toContain(token);
      expect(forge.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
        expect.stringMatching(/^GET .*compare/),
      ]);
    } finally {
      await other.stop();
      await forge.close();
    }
    expect(forge.violations).toEqual([]);
  });

  it('the page of a shard says where its image comes from and what runs, and links elsewhere', async () => {
    const body = await get('/shards/lab/fleet/qr-terraform-resources-alpha'.replace('qr-', await prefix()));
    expect(body).toMatch(/https:\/\/example\.com\/data\/-\/blob\/[0-9a-f]{40}\/data\/environments\/lab\.yml#L7/);
    expect(body).toContain('by Eve');
    expect(body).toContain('href="https://logs.example/?q=fleet/');
    const pinned = await get('/shards/lab/fleet/qr-terraform-resources-beta'.replace('qr-', await prefix()));
    expect(pinned).toMatch(/a pin in .*integrations\/terraform-resources\.yml:\d+.*: INC-7/s);
  });

  it('a shard that does not exist is not found, and every shard of the list is', async () => {
    expect((await fetch(`${run.url}/shards/lab/fleet/nothing`)).status).toBe(404);
    const links = [...(await get('/shards')).matchAll(/href="(\/shards\/[^"]+)"/g)].map(([, href]) => href ?? '');
    expect(links).toHaveLength(6);
    for (const href of links) expect((await fetch(run.url + href)).status).toBe(200);
  });

  /** Names of workloads begin as the chart says. */
  async function prefix(): Promise<string> {
    const { items } = JSON.parse(await get('/shards.json'));
    return items[0].name.replace(/terraform-resources.*/, '');
  }
});

describe('a version that manager.yml declares', () => {
  it('has its line, who changed it and when, on both pages, and is of no upstream that nobody named', async () => {
    const fleet = await simFleet();
    try {
      const { manager } = fleet;
      const text = 'upstreams:\n- image: quay.io/example/tools\n  tag: f929a38\n';
      manager.write('instance/resources/echelon/manager.yml', text);
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
          ...{ cwd: manager.path('instance'), stdio: 'pipe' },
          env: { ...process.env, GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z' },
        });
      git('init', '-q');
      git('add', '-A');
      git('commit', '-qm', 'first');
      expect((await fleet.run(['apply', '--yes'])).code).toBe(0);
      const run = await consoleOf(fleet);
      const get = async (path: string) => (await fetch(run.url + path)).text();
      const { items } = JSON.parse(await get('/versions.json'));
      expect(items).toMatchObject([
        {
          upstream: '',
          declared: [
            {
              ...{ version: 'f929a38', file: 'resources/echelon/manager.yml', line: 3 },
              promoted: { author: 'Ann', at: '2026-01-02T03:04:05.000Z' },
            },
          ],
          runs: [{ version: 'f929a38', shards: 3 }],
        },
      ]);
      const [{ cluster, namespace, name }] = JSON.parse(await get('/shards.json')).items;
      for (const page of [await get('/versions'), await get(`/shards/${cluster}/${namespace}/${name}`)]) {
        expect(page).toMatch(/\/-\/blob\/[0-9a-f]{40}\/resources\/echelon\/manager\.yml#L3"/);
        expect(page).toContain('by Ann');
        expect(page).not.toContain('qontract-reconcile/compare');
      }
      await run.stop();
    } finally {
      await fleet.dispose();
    }
  });
});
