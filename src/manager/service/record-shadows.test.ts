import { expect, it } from 'vitest';
import { fileOf, NEW, OLD, RolloutWorld } from '../../../test/support/rollout-world.ts';
import { memoryStateStore } from '../../base/index.ts';
import { rolloutRecords } from '../../rollouts/index.ts';
import type { ShardShadow } from '../../shadow/index.ts';
import { recordShadows } from './record-shadows.ts';

const fleet = new RolloutWorld(['a'], fileOf({ shadow: { maxDifferences: 0 } }));
fleet.pass();

function report(environment: string, name: string) {
  const actions = { onlyInCandidate: [], onlyInBaseline: [], noise: [], common: 1 };
  const shard = {
    shard: { environment, name, cluster: 'c', namespace: 'n' },
    comparison: { result: 'same', reasons: [], actions, digest: '' },
    runs: { baseline: { image: OLD }, candidate: { image: NEW } },
  } as unknown as ShardShadow;
  return { integration: 'terraform-x', shards: [shard] };
}

it('a comparison is stored where the record knows the shard, and a lost race is tried again', async () => {
  const store = memoryStateStore();
  const [mine, other] = [rolloutRecords(store), rolloutRecords(store)];
  await mine.save(fleet.record, 'absent');
  let raced = 0;
  const records = {
    load: mine.load,
    save: async (...[record, version]: Parameters<typeof mine.save>) => {
      raced += 1;
      if (raced === 1) await other.save(fleet.record, (await other.load()).version);
      return mine.save(record, version);
    },
  };
  expect(await recordShadows(records, report('prod', 'a'), fleet.now)).toEqual({
    stored: ['terraform-x/a'],
    unknown: [],
  });
  expect(raced).toBe(2);
  fleet.record = (await other.load()).record;
  expect(fleet.recordOf('a')?.shadow).toEqual({
    image: NEW,
    baseline: OLD,
    at: fleet.now,
    result: 'same',
    differences: 0,
  });
});

it.each([
  { given: 'another environment', environment: 'stage', name: 'a' },
  { given: 'another shard', environment: 'prod', name: 'b' },
])('nothing is stored for $given', async ({ environment, name }) => {
  const records = rolloutRecords(memoryStateStore());
  const version = await records.save(fleet.record, 'absent');
  const found = await recordShadows(records, report(environment, name), fleet.now);
  expect(found).toEqual({ stored: [], unknown: [`terraform-x/${name}`] });
  expect((await records.load()).version).toBe(version);
});
