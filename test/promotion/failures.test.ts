import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownIdentity } from '../../src/clients/process/index.ts';
import { json, plain, type Reply, startLocalHttp } from '../support/local-http.ts';
import { DIGEST, type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';

const MANAGER = 'data/services/app-interface/cicd/saas-qontract-manager.yaml';
const TEKTON = 'data/services/app-interface/cicd/tekton-provider-defaults.yml';
const JENKINS = 'resources/jenkins/global/defaults.yaml';

let world: PromotionWorld;

beforeEach(async () => {
  world = await promotionWorld();
});
afterEach(() => world.dispose());

const newest = (): string => world.commits.at(-1) ?? '';
const short = (commit: string | undefined): string => (commit ?? '').slice(0, 7);
/** Lines that differ from the last commit, without their marks. */
const changed = (): string[] =>
  world
    .git('diff', '--unified=0')
    .split('\n')
    .filter((line) => /^[+-][^+-]/.test(line));

describe('failures that a promotion must not have', () => {
  it('F1: every target changes or none does', async () => {
    world.replace(JENKINS, 'qontract_reconcile_image_tag', 'renamed_image_tag');
    world.sandbox.commit('instance', 'a key is renamed');
    const { code, stderr } = await world.promote('apply', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain(`${JENKINS} has no key qontract_reconcile_image_tag`);
    expect(world.git('status', '--porcelain')).toBe('');
  });

  it('F2: several targets of one file are one write, and none undoes another', async () => {
    expect((await world.promote('apply', '--yes')).code).toBe(0);
    const text = world.text(MANAGER);
    expect(text.split(newest()).length - 1).toBe(3);
    expect(text.split(`IMAGE_TAG: '${short(newest())}'`).length - 1).toBe(3);
    expect(text).not.toContain(world.commits[0]);
  });

  it('F3: a selector that finds nothing is an error with near misses', async () => {
    world.replace(
      'promotion.yml',
      'targets[name=app-interface-production].ref',
      'targets[name=app-interface-prod].ref',
    );
    const { code, stderr } = await world.promote('plan');
    expect(code).toBe(1);
    expect(stderr).toContain('has no item with name app-interface-prod; it has app-interface-production');
    expect(stderr).toContain('TARGET_NOT_FOUND');
  });

  it('F3: a selector that finds too much is an error that names the places', async () => {
    world.replace('promotion.yml', 'targets[name=app-interface-production].ref', 'targets[].ref');
    const { code, stderr } = await world.promote('plan');
    expect(code).toBe(1);
    expect(stderr).toContain('matches 3 times, at most 1 expected');
    expect(stderr).toContain(`${MANAGER} resourceTemplates[0].targets[0].ref`);
  });

  it('F4: a file that is renamed is found by what it is', async () => {
    const renamed = 'data/services/app-interface/cicd/tekton/saas-manager.yml';
    world.sandbox.write('instance', renamed, world.text(MANAGER));
    world.git('rm', '--quiet', MANAGER);
    world.sandbox.commit('instance', 'move a file');
    expect((await world.promote('apply', '--yes')).code).toBe(0);
    expect(world.text(renamed)).toContain(newest());
  });

  it('F4: a file that is named and renamed is an error that tells where it went', async () => {
    renameSync(join(world.instance, JENKINS), join(world.instance, 'resources/defaults.yaml'));
    const { code, stderr } = await world.promote('plan');
    expect(code).toBe(1);
    expect(stderr).toContain(`no file ${JENKINS}; found resources/defaults.yaml`);
  });

  it.each([
    {
      given: 'a short form where a full one stands',
      path: 'targets[name=app-interface-production].ref',
      form: 'short',
    },
    {
      given: 'a full form where a short one stands',
      path: 'taskTemplates[].variables.qontract_reconcile_image_tag',
      form: 'full',
    },
  ])('F5: $given is an error that names the target', async ({ path, form }) => {
    const [before = '', after = ''] = world.text('promotion.yml').split(path);
    world.write('promotion.yml', `${before}${path}${after.replace(/form: \w+/, `form: ${form}`)}`);
    const { code, stderr } = await world.promote('plan');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /target (?:saas-qontract-manager\/app-interface-production|tekton-defaults): data\/\S+:\d+ /,
    );
    expect(stderr).toContain('TARGET_FORM');
  });

  it('F6: an image that the registry does not have stops the promotion', async () => {
    const registry = await startLocalHttp(plain(404));
    const image = `${registry.url}/app-sre/qontract-reconcile`;
    const args = ['plan', '--upstream-clone', world.upstream, '--check-image', '--image', image];
    const { code, stderr } = await world.run(args);
    await registry.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`the registry has no image ${image}:${short(newest())}`);
    expect(registry.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `HEAD /v2/app-sre/qontract-reconcile/manifests/${short(newest())}`,
    ]);
  });

  it('F7: a tag and its digest change together, by what the registry says', async () => {
    const registry = await startLocalHttp(registryWithTokens);
    const image = `${registry.url}/app-sre/qontract-reconcile`;
    const args = ['apply', '--yes', '--upstream-clone', world.upstream, '--check-image', '--image', image];
    const ran = await world.run(args);
    await registry.close();
    expect(ran.code).toBe(0);
    expect(world.text(MANAGER).split(`IMAGE_DIGEST: ${DIGEST}`).length - 1).toBe(3);
    expect(`${ran.stdout}${ran.stderr}`).not.toContain('token-for-pull');
  });

  it('F7: without the digest neither changes, and nothing else either', async () => {
    const { code, stderr } = await world.run(['apply', '--yes', '--upstream-clone', world.upstream]);
    expect(code).toBe(1);
    expect(stderr).toContain('PROMOTION_DIGEST_UNKNOWN');
    expect(world.git('status', '--porcelain')).toBe('');
  });

  it('F7: a target that forgets the digest beside its tag is told', async () => {
    world.write('promotion.yml', world.text('promotion.yml').replaceAll('  digest: IMAGE_DIGEST\n', ''));
    const { stderr } = await world.promote('plan');
    expect(stderr).toMatch(
      /saas-qontract-manager\.yaml:67: warning: IMAGE_TAG changes but IMAGE_DIGEST next to it does not/,
    );
    expect(stderr.split('[stale-digest]').length - 1).toBe(3);
  });

  it('F8: an empty digest is told with the image that it makes', async () => {
    world.write('promotion.yml', world.text('promotion.yml').replaceAll('  digest: IMAGE_DIGEST\n', ''));
    world.write(MANAGER, world.text(MANAGER).replace(/IMAGE_DIGEST: sha256:bfc\w+/, "IMAGE_DIGEST: ''"));
    const { stderr } = await world.promote('plan');
    expect(stderr).toContain(`IMAGE_DIGEST is empty: the image would be …:${short(newest())}@`);
  });

  it('F9: a pin on a CronJob, which the existing manager ignores, is told', async () => {
    const file = 'data/integrations/terraform-vpc-peerings.yaml';
    world.replace(file, '    imageRef: d90b2ac\n', "    imageRef: d90b2ac\n    cron: '0 * * * *'\n");
    const { stderr } = await world.promote('plan');
    const lines = stderr.split('\n').filter((line) => line.includes('[cron-pin]'));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines[0]).toContain('is a CronJob: Echelon keeps it at its pin');
  });

  it('F10: a pin that nobody has touched for 30 days is told with its age', async () => {
    const file = 'data/integrations/slack-usergroups.yml';
    world.write(file, world.text(file).replace("imageRef: '0473914'", "imageRef: '0473915'"));
    world.git('add', '--all');
    const days = (n: number): string => `@${Math.floor(Date.now() / 1000) - n * 86_400} +0000`;
    process.env['GIT_COMMITTER_DATE'] = days(45);
    try {
      world.git('commit', '--quiet', '--message', 'pin');
    } finally {
      delete process.env['GIT_COMMITTER_DATE'];
    }
    const { stderr } = await world.promote('plan');
    const told = stderr.split('\n').filter((line) => line.includes('[old-pin]'));
    expect(told).toEqual([
      expect.stringContaining(`${file}:40: warning: slack-usergroups has been pinned to 0473915 for 45 days`),
    ]);
  });

  it('F11: equal text elsewhere stays, and is told', async () => {
    const note = `# deployed with ${short(world.commits[0])}\nversion: ${short(world.commits[0])}\n`;
    world.sandbox.write('instance', 'resources/notes.yaml', note);
    world.sandbox.commit('instance', 'notes');
    const { code, stderr } = await world.promote('apply', '--yes');
    expect(code).toBe(0);
    expect(world.text('resources/notes.yaml')).toBe(note);
    expect(stderr).toContain(
      `resources/notes.yaml:2: warning: found ${short(world.commits[0])}, but no target covers it`,
    );
  });

  it('F11: targets at another old value are shown each with its own', async () => {
    const { stdout } = await world.promote('plan', '-o', 'json');
    const { items } = JSON.parse(stdout) as { items: { target: string; old: string }[] };
    const olds = new Map(items.map(({ target, old }) => [target, old]));
    expect(olds.get('saas-qontract-manager/app-interface-stage')).toBe(world.commits[1]);
    expect(olds.get('saas-qontract-manager/app-interface-production')).toBe(world.commits[0]);
  });

  it.each([
    { given: 'behind', to: () => world.commits[0] ?? '' },
    { given: 'on another line of history', to: () => 'side' },
  ])('F12: a commit $given is refused, and allowed as a ROLLBACK', async ({ to }) => {
    const { sandbox } = world;
    sandbox.git('upstream', 'checkout', '--quiet', '-b', 'side', world.commits[0] ?? '');
    sandbox.commit('upstream', 'a side line', { side: 'x' });
    sandbox.git('upstream', 'checkout', '--quiet', 'main');
    const refused = await world.promote('apply', '--yes', '--to', to());
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('PROMOTION_ROLLBACK');
    expect(world.git('status', '--porcelain')).toBe('');
    const allowed = await world.promote('plan', '--to', to(), '--allow-rollback');
    expect(allowed.code).toBe(0);
    expect(allowed.stdout).toContain('ROLLBACK');
  });

  it('F13: schemas that are behind are to be promoted first', async () => {
    const { stderr } = await world.promote('plan', '--schemas-clone', world.schemas);
    expect(stderr).toContain(`promote schemas first: SCHEMAS_IMAGE_TAG ${short(world.schemasCommits[0])} is 1 behind`);
    expect(stderr).toContain('reconcile/gql_definitions/query.py');
  });

  it('F13: schemas that are new enough are no obstacle', async () => {
    await world.run(['schemas', 'apply', '--yes', '--upstream-clone', world.schemas]);
    const { stderr } = await world.promote('plan', '--schemas-clone', world.schemas);
    expect(stderr).not.toContain('[promote-schemas-first]');
  });

  it('F14: a second promotion at the same time finds the first', async () => {
    const running = `${ownIdentity().place}-${process.ppid}-0`;
    writeFileSync(join(world.instance, '.git', `echelon-edit-${running}`), '');
    const { code, stderr } = await world.promote('apply', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain('WRITE_UNDER_WAY');
    expect(changed()).toEqual([]);
  });

  it('F15: exactly the lines with versions change; comments, quotes and line ends stay', async () => {
    const crlf = world
      .text(TEKTON)
      .replaceAll('\n', '\r\n')
      .replace(/'(\w{7})'\r\n/, '"$1"   # keep this\r\n');
    world.write(TEKTON, crlf);
    world.sandbox.commit('instance', 'line ends');
    expect((await world.promote('apply', '--yes')).code).toBe(0);
    expect(readFileSync(join(world.instance, TEKTON), 'utf8')).toBe(
      crlf.replace(short(world.commits[0]), short(newest())),
    );
    const lines = changed();
    expect(lines.filter((line) => line.startsWith('+'))).toHaveLength(15);
    expect(lines.filter((line) => line.startsWith('-'))).toHaveLength(15);
  });
});

/** Gives the digest to whoever asks with a token that anybody gets. */
const registryWithTokens: Reply = (response, request) => {
  const { path, headers } = request;
  if (path === '/token') return json(200, { token: 'token-for-pull' })(response, request);
  if (headers.authorization !== 'Bearer token-for-pull') {
    const realm = `http://${headers.host}/token`;
    return plain(401, '', { 'www-authenticate': `Bearer realm="${realm}",service="r",scope="pull"` })(
      response,
      request,
    );
  }
  return plain(200, '', { 'docker-content-digest': DIGEST })(response, request);
};
