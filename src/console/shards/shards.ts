import { byText } from '../../base/index.ts';
import type { ShardState } from '../../manager/index.ts';
import type { Tone } from '../clusters/rows.ts';
import { oncePer } from '../once.ts';
import type { Columns } from '../query.ts';
import type { ConsoleShard } from '../state.ts';
import { withTimes } from '../times.ts';

export const SHARDS_PATH = '/shards';

/** The permanent URL of a shard. */
export function shardPath({ cluster, namespace, name }: Pick<ConsoleShard, 'cluster' | 'namespace' | 'name'>): string {
  return `${SHARDS_PATH}/${[cluster, namespace, name].map(encodeURIComponent).join('/')}`;
}

export const SHARD_FILTERS = ['integration', 'env', 'namespace', 'cluster', 'state', 'image'] as const;

/** For workloads that no integration declares. */
const UNDECLARED = 'no integration';

const TONES: Readonly<Record<ShardState, Tone>> = {
  converged: 'good',
  pinned: 'good',
  held: 'idle',
  lagging: 'wait',
  missing: 'bad',
  unexpected: 'bad',
  disabled: 'idle',
  unknown: 'bad',
};

export function shardTone(state: ShardState): Tone {
  return TONES[state];
}

export function integrationOf({ integration }: ConsoleShard): string {
  return integration ?? UNDECLARED;
}

/** The live image, else the expected one. */
function imageOf({ liveTag, expectedTag }: ConsoleShard): string {
  return liveTag ?? expectedTag ?? 'no image';
}

/** `f929a38`, or `f929a38 → 0473914` while the live image differs from the expected one. */
export function imageText({ liveTag, expectedTag }: ConsoleShard): string {
  if (liveTag === undefined || expectedTag === undefined || liveTag === expectedTag)
    return liveTag ?? expectedTag ?? '';
  return `${liveTag} → ${expectedTag}`;
}

export function readyText({ kind, state, ready, wanted }: ConsoleShard): string {
  return kind === 'CronJob' || state === 'unknown' ? '' : `${ready}/${wanted}`;
}

const byShard = (a: ConsoleShard, b: ConsoleShard): number =>
  byText(integrationOf(a), integrationOf(b)) ||
  byText(`${a.cluster}/${a.namespace}/${a.shard ?? a.name}`, `${b.cluster}/${b.namespace}/${b.shard ?? b.name}`);

export const SHARD_COLUMNS: Columns<ConsoleShard> = {
  filters: {
    integration: (shard) => [integrationOf(shard)],
    env: ({ environment }) => [environment ?? ''],
    namespace: ({ namespace }) => [namespace],
    cluster: ({ cluster }) => [cluster],
    state: ({ state }) => [state],
    image: (shard) => [imageOf(shard)],
  },
  text: oncePer((shard) =>
    [
      integrationOf(shard),
      shard.shard ?? shard.name,
      shard.state,
      `${shard.cluster}/${shard.namespace}`,
      imageText(shard),
      readyText(shard),
      withTimes(shard.reason ?? ''),
    ].join(' '),
  ),
  sorts: {
    integration: byShard,
    shard: (a, b) => byText(a.shard ?? a.name, b.shard ?? b.name) || byShard(a, b),
    state: (a, b) => byText(a.state, b.state) || byShard(a, b),
    where: (a, b) => byText(`${a.cluster}/${a.namespace}`, `${b.cluster}/${b.namespace}`) || byShard(a, b),
    image: (a, b) => byText(imageText(a), imageText(b)) || byShard(a, b),
  },
};

/** Shard counts by row and image. */
interface Matrix {
  /** What a row is: an integration, or a shard of the only one. */
  readonly of: 'integration' | 'shard';
  readonly images: readonly string[];
  readonly rows: readonly MatrixRow[];
}

interface MatrixRow {
  readonly name: string;
  /** One cell per image. */
  readonly cells: readonly (readonly ConsoleShard[])[];
}

/** Integrations × images; where only one integration is left, its shards × images. */
export function matrixOf(shards: readonly ConsoleShard[]): Matrix {
  const integrations = new Set(shards.map(integrationOf));
  const of = integrations.size === 1 ? 'shard' : 'integration';
  const images = [...Map.groupBy(shards, imageOf)].sort((a, b) => b[1].length - a[1].length || byText(a[0], b[0]));
  const names = images.map(([image]) => image);
  const nameOf = of === 'integration' ? integrationOf : (shard: ConsoleShard): string => shard.shard ?? shard.name;
  const rows = [...Map.groupBy(shards, nameOf)].sort(([a], [b]) => byText(a, b));
  return {
    of,
    images: names,
    rows: rows.map(([name, own]) => {
      const byImage = Map.groupBy(own, imageOf);
      return { name, cells: names.map((image) => byImage.get(image) ?? []) };
    }),
  };
}
