import { byText } from '../../base/index.ts';
import type { ListedVersion } from '../../promotion/index.ts';
import type { ConsolePin, ConsoleShard, ShardsData } from '../state.ts';

/** What one environment declares and runs of an upstream. */
export interface VersionRow {
  readonly upstream: string;
  readonly environment: string;
  /** More than one where integrations have their own. */
  readonly declared: readonly ListedVersion[];
  /** Versions that its shards run, most shards first; unknown ones without a version. */
  readonly runs: readonly { readonly version?: string; readonly shards: number }[];
  readonly shards: number;
  readonly pins: readonly ConsolePin[];
}

/** Upstreams with their environments; every declared shard is counted in one row. */
export function versionRows({ versions, shards, pins }: ShardsData): VersionRow[] {
  const declared = Map.groupBy(versions, keyOf);
  const running = Map.groupBy(
    shards.filter(({ integration, state }) => integration !== undefined && state !== 'disabled'),
    keyOf,
  );
  const upstreamOf = new Map(shards.map(({ integration, upstream }) => [integration, upstream]));
  const pinned = Map.groupBy(pins, ({ pin }) => keyOf({ ...pin, upstream: upstreamOf.get(pin.integration) }));
  const keys = new Set([...declared.keys(), ...running.keys()]);
  return [...keys]
    .map((key): VersionRow => {
      const [upstream, environment] = JSON.parse(key) as [string, string];
      const own = running.get(key) ?? [];
      return {
        ...{ upstream, environment, declared: declared.get(key) ?? [], shards: own.length },
        ...{ runs: runsOf(own), pins: pinned.get(key) ?? [] },
      };
    })
    .sort((a, b) => byText(a.upstream, b.upstream) || byText(a.environment, b.environment));
}

function keyOf(of: { readonly upstream?: string | undefined; readonly environment?: string }): string {
  return JSON.stringify([of.upstream ?? '', of.environment ?? '']);
}

function runsOf(shards: readonly ConsoleShard[]): VersionRow['runs'] {
  return [...Map.groupBy(shards, ({ liveTag }) => liveTag)]
    .map(([version, { length }]) => ({ shards: length, ...(version === undefined ? {} : { version }) }))
    .sort((a, b) => b.shards - a.shards || byText(a.version ?? '~', b.version ?? '~'));
}

/** `12 behind, 1 ahead of f929a38`. */
export function apartText(one: Pick<ListedVersion, 'apart' | 'apartUnknown' | 'newest'>): string {
  const { apart, apartUnknown, newest } = one;
  if (newest === undefined) return '';
  if (apart === undefined)
    return `differs from ${newest}${apartUnknown === undefined ? '' : `, commits unknown: ${apartUnknown}`}`;
  const parts = [
    ...(apart.behind > 0 ? [`${apart.behind} behind`] : []),
    ...(apart.ahead > 0 ? [`${apart.ahead} ahead of`] : []),
  ];
  return `${parts.join(', ')} ${newest}`;
}
