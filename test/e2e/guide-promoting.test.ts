import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const REPO = join(import.meta.dirname, '../..');
const BLOCK = /(<!-- not run: .+ -->\n)?```sh\n([\s\S]*?)```/g;

/** A namespace without network interfaces, where the machine allows it. */
const ALONE = spawnSync('unshare', ['-rn', 'true']).status === 0 ? ['unshare', '-rn'] : [];

/** Every block that is not marked, in order, with the guide's folder moved. */
function guide(name: string, folder: string): string {
  const text = readFileSync(join(REPO, 'docs/guide', name), 'utf8');
  const blocks = [...text.matchAll(BLOCK)].flatMap(([, marked, block = '']) => (marked === undefined ? [block] : []));
  return blocks.join('').replaceAll('/tmp/try', folder);
}

describe('the promotion guide, typed as it is written', () => {
  const root = mkdtempSync(join(tmpdir(), 'echelon-guide-'));
  afterAll(() => rmSync(root, { recursive: true }));

  it('works with an empty home and no network, and its canary is the only shard that moves', () => {
    const [home, folder] = [join(root, 'home'), join(root, 'try')];
    mkdirSync(home);
    const env = { PATH: process.env['PATH'] ?? '', HOME: home };
    const run = (script: string) => {
      const [command = 'sh', ...words] = [...ALONE, 'sh', '-ec', script];
      return spawnSync(command, words, { cwd: REPO, env, encoding: 'utf8' });
    };
    const { status, stderr } = run(guide('promoting.md', folder));
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    const canary = run(
      `git -C ${folder}/instance worktree add --quiet ${folder}/canary canary &&
       bin/echelon get shards --data ${folder}/canary --integration terraform-resources -o json`,
    );
    const { items } = JSON.parse(canary.stdout) as {
      items: { environment: string; shard: string; imageFrom: string }[];
    };
    const moving = items.filter(
      ({ environment, imageFrom }) => environment.endsWith('-production') && imageFrom === 'default',
    );
    expect(moving.map(({ shard }) => shard)).toEqual(['payments-ci']);
  });
});
