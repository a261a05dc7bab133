import { defined } from '../../base/index.ts';
import type { Instant } from '../../gates/index.ts';
import type { ClusterForecast, Forecast } from './forecast.ts';

/** An upgrade that starts at another time, or is only in one of two forecasts. */
export interface Move {
  readonly environment: string;
  readonly organization: string;
  readonly cluster: string;
  readonly nodePool?: string;
  readonly version: string;
  readonly before?: Instant;
  readonly after?: Instant;
}

/** The differences between two forecasts of the same clusters. */
export function movesBetween(before: Forecast, after: Forecast): Move[] {
  const starts = startsOf(after);
  return before.clusters.flatMap((cluster) => {
    const [then, now] = [startsIn(cluster), starts.get(keyOf(cluster)) ?? new Map<string, Instant>()];
    return [...new Set([...then.keys(), ...now.keys()])].flatMap((upgrade) => {
      const [was, is] = [then.get(upgrade), now.get(upgrade)];
      return was === is ? [] : [moveOf(cluster, upgrade, was, is)];
    });
  });
}

function moveOf(cluster: ClusterForecast, upgrade: string, was: Instant | undefined, is: Instant | undefined): Move {
  const [version = '', nodePool = ''] = JSON.parse(upgrade) as string[];
  return {
    ...{ environment: cluster.environment, organization: cluster.organization, cluster: cluster.name, version },
    ...(nodePool === '' ? {} : { nodePool }),
    ...defined({ before: was, after: is }),
  };
}

function startsOf({ clusters }: Forecast): ReadonlyMap<string, ReadonlyMap<string, Instant>> {
  return new Map(clusters.map((cluster) => [keyOf(cluster), startsIn(cluster)]));
}

function startsIn({ upgrades }: ClusterForecast): Map<string, Instant> {
  return new Map(
    upgrades.map(({ version, nodePool = '', startsAt }) => [JSON.stringify([version, nodePool]), startsAt]),
  );
}

function keyOf({ environment, orgId, id }: ClusterForecast): string {
  return JSON.stringify([environment, orgId, id]);
}
