import { describe, expect, it } from 'vitest';
import { fileOf, liveOf, NEW, NEWER, OLD, PERIOD, RolloutWorld, shardOf } from '../../../test/support/rollout-world.ts';
import { later, MICROS, turnAt } from '../../gates/index.ts';
import type { ScopeFacts } from '../facts.ts';
import type { RolloutFile } from '../file/rollout-file.ts';
import type { RolloutRecord, ScopeRecord, ShardRecord } from '../record/record.ts';
import { decideRollouts } from './decide-rollouts.ts';
import { decideTrack } from './decide-track.ts';
import { rulesOf } from './track-rules.ts';

const NAMES = ['a', 'b', 'c', 'd'];
const QUERIES = { queries: [{ name: 'q', promql: 'x', expect: { max: 0 } }] };

/** A fleet that has completed its rollout; `d` is pinned. */
function completed(file: RolloutFile = fileOf()): RolloutWorld {
  const fleet = new RolloutWorld(NAMES, file);
  for (const name of NAMES) fleet.live(name, { image: NEW });
  fleet.set('d', { pinned: OLD, live: liveOf(OLD) });
  fleet.passes(25);
  expect(fleet.track.state).toBe('complete');
  return fleet;
}

function scopeIn({ scopes }: RolloutRecord): ScopeRecord {
  return [...scopes.values()][0] as ScopeRecord;
}

function withShard(record: RolloutRecord, name: string, more: Partial<ShardRecord>): RolloutRecord {
  const [[key, scope] = []] = record.scopes;
  const id = `terraform-x/${name}`;
  const shards = new Map([...(scope?.shards ?? []), [id, { ...scope?.shards.get(id), ...more } as ShardRecord]]);
  return { ...record, scopes: new Map([[key ?? '', { ...(scope as ScopeRecord), shards }]]) };
}

/** Decides once on the very facts, so that what can be kept is kept. */
function primed(fleet: RolloutWorld): ScopeFacts {
  const facts = fleet.facts();
  const { record } = decideRollouts(fleet.file, [facts], fleet.record, { now: fleet.now, period: PERIOD });
  expect(scopeIn(record).shards).toBe(scopeIn(fleet.record).shards);
  fleet.now = later(fleet.now, PERIOD);
  return facts;
}

/** The decision about facts that are kept is that about copies of them. */
function decided(fleet: RolloutWorld, facts: ScopeFacts, record = fleet.record) {
  const options = { now: fleet.now, period: PERIOD };
  const decision = decideRollouts(fleet.file, [facts], record, options);
  expect(decision).toEqual(decideRollouts(...structuredClone([fleet.file, [facts], record, options] as const)));
  return decision;
}

describe('shards that have soaked a completed target', () => {
  it('keep their records, one track or several', () => {
    const all = fileOf();
    const [track] = all.tracks;
    const parted = { ...all, tracks: [{ ...track!, match: { integrations: ['terraform-y'] } }, ...all.tracks] };
    for (const file of [all, parted as RolloutFile]) {
      const fleet = completed(file);
      const facts = primed(fleet);
      const { record } = decided(fleet, facts);
      expect(scopeIn(record).shards).toBe(scopeIn(fleet.record).shards);
    }
  });

  it('D3: lose their records when they are removed', () => {
    const fleet = completed();
    primed(fleet);
    fleet.shards.delete('c');
    expect([...scopeIn(decided(fleet, fleet.facts()).record).shards.keys()]).not.toContain('terraform-x/c');
  });

  it('D3: lose their records when they are removed from one of two tracks', () => {
    const other = { ...shardOf('z'), id: 'other/z', integration: 'other', live: liveOf(NEW) };
    const file = fileOf({}, {});
    const second = { ...file.tracks[0]!, name: 'u', match: { integrations: ['other'] } } as RolloutFile['tracks'][0];
    const fleet = completed({ ...file, tracks: [...file.tracks, second] });
    fleet.shards.set('z', other);
    fleet.passes(25);
    fleet.shards.delete('z');
    expect([...scopeIn(fleet.pass().record).shards.keys()]).not.toContain('other/z');
  });

  it('lose a hold that their record still has', () => {
    const fleet = completed();
    const record = withShard(fleet.record, 'c', { held: { target: NEW, track: 't' } });
    const { record: after } = decided(fleet, fleet.facts(), record);
    expect(scopeIn(after).shards.get('terraform-x/c')).not.toHaveProperty('held');
  });

  it('D4: do not keep a newer shard from soaking that a clock behind saw first', () => {
    const fleet = completed();
    fleet.set('e', { live: liveOf(NEW) });
    fleet.record = withShard(fleet.record, 'e', { integration: 'terraform-x', shard: 'e', image: NEW, good: OLD });
    const facts = fleet.facts();
    const [now, behind] = [fleet.now, later(fleet.now, -30 * MICROS.minute)];
    fleet.now = behind;
    const late = decided(fleet, facts);
    expect(scopeIn(late.record).shards).toBe(scopeIn(fleet.record).shards);
    fleet.now = now;
    const { record } = decided(fleet, facts, { ...late.record, scopes: fleet.record.scopes });
    expect(scopeIn(record).shards.get('terraform-x/e')).toHaveProperty('soak');
  });
});

describe('shards that are kept, decided about again', () => {
  const pass = (fleet: RolloutWorld) => ({ now: fleet.now, turn: turnAt(fleet.record, fleet.now, 2 * PERIOD) });
  const decide = (fleet: RolloutWorld, facts: ScopeFacts, file = fleet.file, record = scopeIn(fleet.record)) =>
    decideTrack(rulesOf(file, file.tracks[0]!, 'prod'), facts, record, pass(fleet));

  it.each<{ given: string; change: (facts: ScopeFacts) => Parameters<typeof decide>[1] }>([
    { given: 'for another target', change: (facts) => ({ ...facts, target: NEWER }) },
    { given: 'while no query can be answered', change: (facts) => ({ ...facts, queriesFault: 'no Prometheus' }) },
  ])('$given', ({ change }) => {
    const fleet = completed();
    fleet.file = fileOf({ health: { queries: ['q'] } }, QUERIES);
    const facts = fleet.facts();
    decide(fleet, facts);
    const changed = change(facts);
    const scope = scopeIn(fleet.record);
    const tracks = new Map([...scope.tracks].map(([name, one]) => [name, { ...one, target: changed.target }]));
    const found = decide(fleet, changed, fleet.file, { ...scope, tracks });
    expect(found).toEqual(decide(fleet, structuredClone(changed), fleet.file, { ...scope, tracks }));
  });

  it('by another track', () => {
    const fleet = completed();
    const facts = fleet.facts();
    decide(fleet, facts);
    const { waves } = decide(fleet, facts, fileOf({ waves: [{ name: 'all' }] }));
    expect(waves.map(({ name, shards }) => [name, shards.length])).toEqual([['all', 4]]);
  });
});
