import { type Instant, instantOf, later, MICROS, parseInstant } from '../../src/gates/index.ts';
import {
  decideRollouts,
  EMPTY_RECORD,
  type LiveShard,
  type RolloutFile,
  type RolloutRecord,
  type RolloutsDecision,
  requireRollouts,
  type ScopeFacts,
  type ShardFacts,
} from '../../src/rollouts/index.ts';

export const START = parseInstant('2026-11-16T10:00:00Z') ?? instantOf(0);
export const PERIOD = MICROS.minute;
export const OLD = 'quay.io/o/reconcile:0000001';
export const NEW = 'quay.io/o/reconcile:0000002';
export const NEWER = 'quay.io/o/reconcile:0000003';

/** Three waves of a shard, a share and the rest; every option can be replaced. */
export function fileOf(track: object = {}, more: object = {}): RolloutFile {
  const usual = {
    name: 't',
    match: { environments: ['prod'], integrations: ['terraform-*'] },
    waves: [
      { name: 'canary', shards: ['a'], soak: '10m' },
      { name: 'early', shards: ['b', 'c'], soak: '20m', maxParallel: 1 },
      { name: 'rest', soak: '5m' },
    ],
    health: { maxRestarts: 1, progressDeadline: '10m', queries: [] },
  };
  return requireRollouts(JSON.stringify({ tracks: [{ ...usual, ...track }], ...more }), 'rollouts.yml');
}

export function liveOf(image: string, more: Partial<LiveShard> = {}): LiveShard {
  return { image, converged: true, ready: true, restarts: 0, ...more };
}

export function shardOf(shard: string, more: Partial<ShardFacts> = {}): ShardFacts {
  return {
    ...{ id: `terraform-x/${shard}`, integration: 'terraform-x', shard, cluster: 'c', namespace: 'n' },
    ...{ workload: 'Deployment', disabled: false, seen: true, live: liveOf(OLD), ...more },
  };
}

/** A scope of shards by name, whose images follow what is decided, one pass later. */
export class RolloutWorld {
  file: RolloutFile;
  target = NEW;
  now: Instant = START;
  record: RolloutRecord = EMPTY_RECORD;
  isComplete = true;
  queriesFault: string | undefined;
  readonly shards = new Map<string, ShardFacts>();
  last: RolloutsDecision = { tracks: [], orphans: [], record: EMPTY_RECORD };

  constructor(names: readonly string[], file: RolloutFile = fileOf()) {
    this.file = file;
    for (const name of names) this.shards.set(name, shardOf(name));
  }

  set(shard: string, more: Partial<ShardFacts>): void {
    const { live: _, ...rest } = { ...(this.shards.get(shard) ?? shardOf(shard)) };
    const before = this.shards.get(shard)?.live;
    const live = 'live' in more ? more.live : before;
    this.shards.set(shard, { ...rest, ...more, ...(live === undefined ? {} : { live }) } as ShardFacts);
    if (live === undefined) delete (this.shards.get(shard) as { live?: unknown }).live;
  }

  /** What the pods of a shard show. */
  live(shard: string, more: Partial<LiveShard>): void {
    this.set(shard, { live: { ...liveOf(OLD), ...this.shards.get(shard)?.live, ...more } });
  }

  facts(): ScopeFacts {
    return {
      ...{ environment: 'prod', upstream: 'u', target: this.target, shards: [...this.shards.values()] },
      isComplete: this.isComplete,
      ...(this.queriesFault === undefined ? {} : { queriesFault: this.queriesFault }),
    };
  }

  /** Decides without writing anything. */
  decide(): RolloutsDecision {
    return decideRollouts(this.file, [this.facts()], this.record, { now: this.now, period: PERIOD });
  }

  /** One pass that stores and writes what it decides, and the time until the next. */
  pass(gap: number = PERIOD): RolloutsDecision {
    this.last = this.decide();
    this.record = this.last.record;
    for (const { moves, returns } of this.last.tracks)
      for (const { id, image } of [...moves, ...returns]) this.set(id.split('/')[1] ?? '', { live: liveOf(image) });
    this.now = later(this.now, gap);
    return this.last;
  }

  passes(count: number): RolloutsDecision {
    for (let done = 0; done < count; done += 1) this.pass();
    return this.last;
  }

  /** The image of every shard, by its tag. */
  images(): Record<string, string> {
    return Object.fromEntries([...this.shards].map(([name, { live }]) => [name, live?.image.slice(-1) ?? '-']));
  }

  get track() {
    const [track] = this.last.tracks;
    if (track === undefined) throw new Error('no track was decided');
    return track;
  }

  /** The closed gates of a shard in the last decision. */
  closed(shard: string): string[] {
    const found = this.track.verdicts.find(({ id }) => id.endsWith(`/${shard}`));
    return (found?.verdicts ?? []).filter(({ ok }) => !ok).map(({ gate }) => gate);
  }

  recordOf(shard: string) {
    return [...this.record.scopes.values()][0]?.shards.get(`terraform-x/${shard}`);
  }

  get failures() {
    return [...this.record.scopes.values()][0]?.failures ?? [];
  }
}
