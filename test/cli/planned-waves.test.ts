import { mkdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { createFileStore } from '../../src/clients/state/file-store.ts';
import type { Instant } from '../../src/gates/index.ts';
import { recordKey, rolloutRecords, type ScopeRecord } from '../../src/rollouts/index.ts';
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
const UPSTREAM = 'https://github.com/app-sre/qontract-reconcile';
const EMPTY_SCOPE = { shards: new Map(), tracks: new Map(), failures: [], history: [] };
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

describe('promote plan with a record of rollouts', () => {
  /** A plan with a record in which the first plan's new image has soaked or failed. */
  async function plannedAgain(more: (image: string) => Partial<ScopeRecord>): Promise<string> {
    const first = await promoted(FILE, ...PRODUCTION);
    const [, tag] = /terraform: \S{7} -> (\S{7}),/.exec(first) ?? [];
    const scope = { environment: 'app-interface-production', upstream: UPSTREAM };
    const record = {
      scopes: new Map([['x', { ...EMPTY_SCOPE, ...scope, ...more(`quay.io/app-sre/qontract-reconcile:${tag}`) }]]),
    };
    const store = createFileStore({ folder: `${world!.instance}/../record` });
    await rolloutRecords(store, () => recordKey(scope)).save(record, 'absent');
    return (await world!.promote('plan', ...PRODUCTION, '--rollout-record', `file:${world!.instance}/../record`))
      .stdout;
  }

  it('opens all waves of a way back at once', async () => {
    const stdout = await plannedAgain((image) => ({
      tracks: new Map([['terraform', { target: 'quay.io/x:1', since: 0 as Instant, isComplete: true, stable: image }]]),
    }));
    expect(stdout).toMatch(/^Rollout .*from the record of rollouts$/m);
    expect(stdout).toMatch(/app-interface-production\/terraform: \S{7} -> \S{7}, a way back, complete \S+Z$/m);
    const [, canary] = /^ +canary opens (\S+Z)/m.exec(stdout) ?? [];
    expect(canary).toMatch(/Z$/);
    expect(stdout).toContain(`    rest opens ${canary}`);
  });

  it('does not open for an image that failed', async () => {
    const stdout = await plannedAgain((image) => ({
      failures: [{ shard: 'terraform-x/y', image, at: 0 as Instant, track: 'terraform', reason: 'two restarts' }],
    }));
    expect(stdout).toMatch(/terraform: .* waits for .*: halted: it failed on terraform-x\/y .*: two restarts/);
  });

  it.each([
    {
      given: 'is not given',
      args: [],
      says: /as new \(no record of rollouts was read\): a way back .* opens at once$/m,
    },
    {
      given: 'is not there',
      args: ['--rollout-record', 'file:nowhere'],
      says: /as new \(no record of rollouts was read\)/,
    },
    {
      given: 'cannot be read',
      args: ['--rollout-record', 'file:/dev/null'],
      says: /record of rollouts: cannot read .*ENOTDIR/,
    },
  ])('that $given says so, and counts every image as new', async ({ args, says }) => {
    expect(await promoted(FILE, ...PRODUCTION, ...args)).toMatch(says);
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
