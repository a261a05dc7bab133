import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type GuideStep, guideSteps, typedGuide } from '../support/guide.ts';
import { REPO } from '../support/shared.ts';

/** A namespace with the loopback interface alone, where the machine allows it. */
const ALONE = ['unshare', '-rn', 'sh', '-ec', 'ip link set lo up; exec "$@"', 'sh'];
const alone = spawnSync(ALONE[0] ?? '', [...ALONE.slice(1), 'true']).status === 0 ? ALONE : [];

const GUIDES = ['README.md', ...readdirSync(join(REPO, 'docs/guide')).map((name) => `docs/guide/${name}`)];
const root = mkdtempSync(join(tmpdir(), 'echelon-guides-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const stepsOf = (name: string): GuideStep[] => guideSteps(readFileSync(join(REPO, name), 'utf8'));

/** A clean clone as `make setup` leaves it, and an empty home. */
function freshClone(name: string) {
  const folder = join(root, name.replaceAll('/', '-'));
  const [clone, home, outputs] = [join(folder, 'echelon'), join(folder, 'home'), join(folder, 'outputs')];
  const scratch = join(folder, 'try');
  for (const made of [home, outputs, scratch]) mkdirSync(made, { recursive: true });
  spawnSync('git', ['clone', '--quiet', '--local', '--no-hardlinks', REPO, clone]);
  symlinkSync(join(REPO, 'node_modules'), join(clone, 'node_modules'));
  return { clone, home, outputs, scratch };
}

/** In the end state of the promotion guide its canary is the only shard of production that moves. */
function movingShards({ clone, scratch, home }: Omit<ReturnType<typeof freshClone>, 'outputs'>): string[] {
  spawnSync('git', ['-C', `${scratch}/instance`, 'worktree', 'add', '--quiet', `${scratch}/canary`, 'canary']);
  const args = ['get', 'shards', '--data', `${scratch}/canary`, '--integration', 'terraform-resources', '-o', 'json'];
  const env = { PATH: process.env['PATH'], HOME: home };
  const { stdout } = spawnSync(join(clone, 'bin/echelon'), args, { encoding: 'utf8', env });
  const { items } = JSON.parse(stdout) as { items: { environment: string; shard: string; imageFrom: string }[] };
  const moving = items.filter((item) => item.environment.endsWith('-production') && item.imageFrom === 'default');
  return moving.map(({ shard }) => shard);
}

describe.concurrent('every guide, typed from the first line to the last with an empty home and no network', () => {
  it.each(GUIDES)('%s', async (name) => {
    const { clone, home, outputs, scratch } = freshClone(name);
    const env = { PATH: `${process.env['PATH']}:${home}/.local/bin`, HOME: home };
    expect(await typedGuide(stepsOf(name), { cwd: clone, env, outputs, scratch, within: alone })).toBe('');
    if (name.endsWith('/promoting.md')) expect(movingShards({ clone, scratch, home })).toEqual(['payments-ci']);
  });

  it('says why a block is not typed', () => {
    const reasons = GUIDES.flatMap(stepsOf).flatMap((step) => (step.kind === 'skip' ? [step.reason] : []));
    expect(reasons.filter((reason) => !/^\S+( \S+)+/.test(reason))).toEqual([]);
  });
});
