import { mkdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type CheckedRepository, checkedRepository } from '../support/pr-check.ts';
import { type PromotionWorld, promotionWorld } from '../support/promotion-world.ts';

const FILE = `tracks:
- name: terraform
  match: { environments: [app-interface-production], integrations: [terraform-*] }
  waves:
  - { name: canary, shards: [payments-ci], soak: 4h }
  - { name: rest, soak: 1h }
  health: { queries: [] }
`;
const FREEZE = `freezes:
- { name: long, from: 2020-01-01T00:00:00Z, until: 2120-01-01T00:00:00Z, reason: quarter end }
`;
const PRODUCTION = ['--only', 'app-interface-production'];

let world: PromotionWorld | undefined;
let repository: CheckedRepository | undefined;
afterEach(() => {
  world?.dispose();
  repository?.dispose();
  world = undefined;
  repository = undefined;
});

async function promoted(rollouts: string | undefined, ...args: readonly string[]): Promise<string> {
  world = await promotionWorld();
  if (rollouts !== undefined) {
    mkdirSync(`${world.instance}/resources/echelon`, { recursive: true });
    world.write('resources/echelon/rollouts.yml', rollouts);
  }
  const { code, stdout } = await world.promote('plan', ...args);
  expect(code).toBe(0);
  return stdout;
}

const hoursBetween = (a: string, b: string): number => (Date.parse(b) - Date.parse(a)) / 3_600_000;

describe('promote plan', () => {
  it('ends with the waves of a change and when each would open', async () => {
    const stdout = await promoted(FILE, ...PRODUCTION);
    const [, tail = ''] = stdout.split('\nRollout ');
    expect(tail.split('\n')[0]).toContain('no cluster was read');
    const [, opens = '', soaked = ''] = /^ +canary opens (\S+Z), has soaked (\S+Z)$/m.exec(tail) ?? [];
    const [, rest = ''] = /^ +rest opens (\S+Z), /m.exec(tail) ?? [];
    expect(tail).toMatch(/^ {2}app-interface-production\/terraform: \S{7} -> \S{7}, complete \S+Z$/m);
    expect(hoursBetween(opens, soaked)).toBeGreaterThanOrEqual(4);
    expect(rest).toBe(soaked);
  });

  it('names what keeps a wave closed', async () => {
    const stdout = await promoted(FILE + FREEZE, ...PRODUCTION);
    expect(stdout).toMatch(/app-interface-production\/terraform: .*freeze.*quarter end/);
    expect(stdout).toMatch(/^ +canary does not open by itself$/m);
  });

  it.each([
    { given: 'without a file of rollouts', file: undefined, args: PRODUCTION },
    { given: 'of another environment', file: FILE, args: ['--only', 'app-interface-stage'] },
  ])('$given is as before', async ({ file, args }) => {
    expect(await promoted(file, ...args)).not.toContain('Rollout');
  });

  it('says so when the file cannot be read', async () => {
    expect(await promoted('tracks: [', ...PRODUCTION)).toContain('the managers would hold everything');
  });
});

describe('pr-check', () => {
  it('ends with the waves that a promotion takes, in the comment too', async () => {
    repository = await checkedRepository();
    repository.write('resources/echelon/rollouts.yml', FILE);
    repository.edit('data/services/app-interface/cicd/saas-qontract-manager.yaml', (text) =>
      text.replaceAll("IMAGE_TAG: '8c41f7e'", "IMAGE_TAG: '0473914'"),
    );
    repository.commit();
    const { stdout } = await repository.check(['--no-render']);
    expect(stdout).toMatch(/^Rollout .*no cluster was read/m);
    expect(stdout).toMatch(/^ {4}canary opens \S+Z/m);
    const markdown = await repository.check(['--no-render', '-o', 'markdown']);
    expect(markdown.stdout).toMatch(/^ {2}- canary opens \S+Z/m);
  });
});
