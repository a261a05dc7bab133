import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startForgeServer } from '../support/forge-server.ts';
import { DIGEST, type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';
import { runCli } from '../support/run-cli.ts';

let world: PromotionWorld;

beforeAll(async () => {
  world = await promotionWorld();
});
afterAll(() => world.dispose());

const short = (index: number): string => (world.commits.at(index) ?? '').slice(0, 7);

interface Plan {
  readonly commit: string;
  readonly items: readonly {
    target: string;
    file: string;
    line: number;
    old: string;
    value?: string;
    changed: boolean;
  }[];
  readonly files: readonly string[];
  readonly ranges: readonly { relation: string; total: number; link?: string; commits: { subject: string }[] }[];
  readonly people: readonly { name: string; username?: string; commits: number }[];
  readonly shards: Record<
    'moving' | 'held',
    readonly { integration: string; environment: string; shard: string; pin?: string }[]
  >;
  readonly notes: readonly { rule: string; message: string; at?: string }[];
}

async function plan(...args: readonly string[]): Promise<Plan> {
  const { stdout } = await world.promote('plan', '-o', 'json', ...args);
  return JSON.parse(stdout) as Plan;
}

describe('promote plan', () => {
  it('shows each target with its old and new value and its place', async () => {
    const { code, stdout } = await world.promote('plan', '--only', 'app-interface-production');
    expect(code).toBe(0);
    const [first, last] = [world.commits[0] ?? '', world.commits.at(-1) ?? ''];
    expect(
      stdout
        .split('\n')
        .slice(0, 5)
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['TARGET', 'ENVIRONMENT', 'OLD', 'NEW', 'FILE'],
      row('saas-qontract-manager/app-interface-production', `${first.slice(0, 12)}…`, `${last.slice(0, 12)}…`, 61),
      row('saas-qontract-manager/app-interface-production/IMAGE_TAG', short(0), short(-1), 66),
      row(
        'saas-qontract-manager/app-interface-production/IMAGE_TAG',
        'sha256:bfc661d7f87f…',
        `${DIGEST.slice(0, 19)}…`,
        67,
      ),
      [
        'saas-change-gateway/change-gateway-production/QR_IMAGE_TAG',
        'app-interface-production',
        short(0),
        short(-1),
        'data/services/change-gateway/cicd/saas-change-gateway.yml:49',
      ],
    ]);
    expect(stdout).toContain(`-    ref: ${first}\n+    ref: ${last}\n`);
    expect(stdout).toContain(`https://github.com/app-sre/qontract-reconcile/compare/${first}...${last}`);
    expect(stdout).toContain(`${short(1)} faster loop (#12) (D. Wu)`);
    expect(stdout).toContain('To notify: Daniel Wu (dwu): 2 commits');
    expect(stdout).toContain(
      `app-interface-production: 49 shards move ${short(0)} -> ${short(-1)}; 13 shards held by pins`,
    );
  });

  it('tells programs the same', async () => {
    const { commit, files, ranges, people, shards } = await plan();
    expect(commit).toBe(world.commits.at(-1));
    expect(files).toEqual([
      '.env',
      'data/services/app-interface/cicd/saas-qontract-manager.yaml',
      'data/services/app-interface/cicd/tekton-provider-defaults.yml',
      'data/services/app-interface/shared-resources/saas-deploy-tools.yml',
      'data/services/change-gateway/cicd/saas-change-gateway.yml',
      'resources/jenkins/global/defaults.yaml',
    ]);
    expect(ranges.map(({ relation, total }) => ({ relation, total }))).toEqual([
      { relation: 'ahead', total: 3 },
      { relation: 'ahead', total: 2 },
    ]);
    expect(people).toEqual([{ name: 'Daniel Wu', username: 'dwu', commits: 2 }]);
    expect(shards.held).toContainEqual(
      expect.objectContaining({ integration: 'terraform-resources', shard: 'payments', pin: '0473914' }),
    );
    expect(shards.moving.some(({ environment }) => environment === 'edge-lab')).toBe(true);
  });

  it('leaves out what --except names, by target or environment', async () => {
    const { items } = await plan(
      '--except',
      'app-interface-stage',
      '--except',
      'edge-lab',
      '--except',
      'tekton-defaults',
    );
    expect(items.map(({ target }) => target)).toEqual([
      'reconcile-checks',
      'jenkins-global-defaults',
      'shared-resources',
      'saas-qontract-manager/app-interface-production',
      'saas-qontract-manager/app-interface-production/IMAGE_TAG',
      'saas-qontract-manager/app-interface-production/IMAGE_TAG',
      'saas-change-gateway/change-gateway-production/QR_IMAGE_TAG',
    ]);
  });

  it('promotes to the commit of --to, and says what is there already', async () => {
    const { items } = await plan('--to', short(1), '--only', 'app-interface-stage');
    expect(items.map(({ changed, form }: { changed: boolean; form?: string }) => `${form} ${changed}`)).toEqual([
      'full false',
      'short false',
      'digest true',
      'short false',
    ]);
  });

  it.each([
    { flags: [], code: 2 },
    { flags: ['--to', 'HEAD~3', '--only', 'reconcile-checks'], code: 0 },
  ])('exits $code with --detailed-exitcode $flags', async ({ flags, code }) => {
    expect((await world.promote('plan', '--detailed-exitcode', ...flags)).code).toBe(code);
  });

  it('as Markdown has a table, the link and no markup of others', async () => {
    const { stdout } = await world.promote('plan', '-o', 'markdown');
    expect(stdout).toContain('| target | environment | old | new | file |');
    expect(stdout).toContain(`| reconcile-checks |  | \`${short(0)}\` | \`${short(-1)}\` | .env:9 |`);
    expect(stdout).toContain('faster loop \\(\\#\u200b12\\) (D. Wu)');
    expect(stdout).toContain('@dwu (2)');
  });

  it('asks the forge where there is no clone', async () => {
    const forge = await startForgeServer({
      project: 'app-sre/qontract-reconcile',
      branches: { main: world.commits.at(-1) ?? '' },
    });
    const history = world.commits.map((sha, index) => ({
      sha,
      parents: index === 0 ? [] : [world.commits[index - 1] ?? ''],
      message: `change ${index}`,
      author: { name: 'Someone', email: 'someone@example.com' },
      date: '2026-01-01T00:00:00Z',
      login: 'DWU-dev',
    }));
    forge.state.commits.push(...history);
    const env = { GITHUB_API: forge.githubApi, GITHUB_TOKEN: forge.token };
    const { code, stdout, stderr } = await world.run(['plan', '--digest', DIGEST, '-o', 'json'], env);
    await forge.close();
    expect({ code, violations: forge.violations, writes: forge.writes() }).toEqual({
      code: 0,
      violations: [],
      writes: [],
    });
    const { ranges, people } = JSON.parse(stdout) as Plan;
    expect(ranges[0]?.commits.map(({ subject }) => subject)).toEqual(['change 3', 'change 2', 'change 1']);
    expect(people).toEqual([{ name: 'Daniel Wu', username: 'dwu', login: 'DWU-dev', commits: 3 }]);
    expect(`${stdout}${stderr}`).not.toContain(forge.token);
  });
});

describe('promote plan says what is wrong', () => {
  it.each([
    { args: ['--to', 'mian'], is: 'REF_UNKNOWN', says: 'did you mean main?' },
    { args: ['--only', 'app-interface-prod'], is: 'TARGET_UNKNOWN', says: 'did you mean app-interface-production' },
    { args: ['--upstream', 'reconcil'], is: 'UPSTREAM_UNKNOWN', says: 'did you mean reconcile?' },
    { args: ['--upstream-clone', '/nowhere'], is: 'UPSTREAM_CLONE', says: '/nowhere is not a clone of the upstream' },
    {
      args: ['--offline', '--to', 'main'],
      flags: 'no clone',
      is: 'UPSTREAM_CLONE',
      says: '--offline: cannot resolve main of',
    },
    { args: ['--data', 'https://example.com'], is: 'PROMOTION_NEEDS_FOLDER', says: 'the data is on a server' },
    { args: ['--data', 'README.md'], is: 'PROMOTION_NEEDS_FOLDER', says: 'README.md is not a folder' },
  ])('$args: $is', async ({ args, flags, is, says }) => {
    const ran = flags === undefined ? await world.promote('plan', ...args) : await world.run(['plan', ...args]);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 1, stdout: '' });
    expect(ran.stderr).toContain(is);
    expect(ran.stderr).toContain(says);
  });

  it('without a promotion.yml, with how to get one', async () => {
    const { code, stderr } = await runCli(['promote', 'plan'], { cwd: world.schemas });
    expect(code).toBe(1);
    expect(stderr).toContain('PROMOTION_FILE_MISSING');
    expect(stderr).toContain('echelon promote init');
  });

  it('works with a detached head', async () => {
    world.git('checkout', '--quiet', '--detach');
    const { code } = await world.promote('plan');
    world.git('checkout', '--quiet', 'main');
    expect(code).toBe(0);
  });
});

function row(target: string, old: string, value: string, line: number): string[] {
  return [
    target,
    'app-interface-production',
    old,
    value,
    `data/services/app-interface/cicd/saas-qontract-manager.yaml:${line}`,
  ];
}
