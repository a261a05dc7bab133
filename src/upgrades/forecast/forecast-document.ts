import { defined } from '../../base/index.ts';
import { type Instant, secondText } from '../../gates/index.ts';
import type { Move } from './compare.ts';
import type { Forecast } from './forecast.ts';

/** A forecast, and what a what-if changes in it. */
export interface ForecastChange {
  readonly forecast: Forecast;
  readonly moves?: readonly Move[];
}

/** For programs; times are ISO 8601. */
export function forecastDocument({ forecast, moves }: ForecastChange): object {
  const { from, to, assumptions, clusters } = forecast;
  return {
    ...{ from: secondText(from), to: secondText(to), assumptions },
    clusters: clusters.map(({ upgrades, waiting, ...cluster }) => ({
      ...cluster,
      upgrades: upgrades.map(({ clusterId: _, decidedAt, startsAt, endsAt, ...upgrade }) => ({
        ...upgrade,
        ...times({ decidedAt, startsAt, endsAt }),
      })),
      waiting: waiting.map(({ since, ...entry }) => ({ since: secondText(since), ...entry })),
    })),
    ...defined({ moves: moves?.map(({ before, after, ...move }) => ({ ...move, ...times({ before, after }) })) }),
  };
}

function times(instants: Readonly<Record<string, Instant | undefined>>): object {
  return Object.fromEntries(
    Object.entries(instants).flatMap(([name, instant]) => (instant === undefined ? [] : [[name, secondText(instant)]])),
  );
}
