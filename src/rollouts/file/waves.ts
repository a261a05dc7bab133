import { byText, memoize, sha256Of } from '../../base/index.ts';
import type { Track } from './rollout-file.ts';

/** What tells which wave a shard is in. */
export interface Named {
  readonly id: string;
  readonly integration: string;
  readonly shard: string;
  readonly parent?: string;
}

/** The shards of each wave, in the order in which they move: by hash, so that neighbours do not move together (F2). */
export function wavesOf<Shard extends Named>(track: Pick<Track, 'waves'>, shards: readonly Shard[]): Shard[][] {
  let left = shards
    .map((shard) => ({ shard, hash: hashOf(shard.id) }))
    .sort((a, b) => byText(a.hash, b.hash) || byText(a.shard.id, b.shard.id))
    .map(({ shard }) => shard);
  return track.waves.map(({ shards: listed, percent }) => {
    if (listed === undefined && percent === undefined) {
      const all = left;
      left = [];
      return all;
    }
    const [own, rest] = listed === undefined ? [[], left] : parted(left, new Set(listed));
    const wanted = percent === undefined ? 0 : Math.max(1, Math.ceil((shards.length * percent) / 100));
    left = rest.slice(wanted);
    return [...own, ...rest.slice(0, wanted)];
  });
}

/** The shards that a list names, and the others. */
function parted<Shard extends Named>(shards: readonly Shard[], names: ReadonlySet<string>): [Shard[], Shard[]] {
  const [own, rest]: [Shard[], Shard[]] = [[], []];
  for (const shard of shards) (namesOf(shard).some((name) => names.has(name)) ? own : rest).push(shard);
  return [own, rest];
}

/** How a wave can name a shard: by id, by name, or by the name or id of the shard that it is a part of. */
export function namesOf({ id, integration, shard, parent }: Named): string[] {
  const own = [id, shard, `${integration}/${shard}`];
  return parent === undefined ? own : [...own, parent, `${integration}/${parent}`];
}

const MAX_HASHES = 20_000;
/** Every pass asks for the same ids. */
const hashOf = memoize(MAX_HASHES, sha256Of);
