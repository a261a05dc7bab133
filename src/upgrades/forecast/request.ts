import { defined, didYouMean, EchelonError } from '../../base/index.ts';
import { type Instant, instantOf, MICROS } from '../../gates/index.ts';
import type { Rules } from '../engine/rules.ts';
import { type ClusterForecast, type Forecast, forecast } from './forecast.ts';
import type { ForecastOrganization } from './forecast-organization.ts';

import { applyWhatIf } from './what-if.ts';
import { type NamedText, parseWhatIf } from './what-if-file.ts';

export interface ForecastRequest {
  readonly days: number;
  /** Minutes between two passes. */
  readonly every: number;
  /** Ids or names; narrows only the output, since these may inherit histories of others. */
  readonly organizations?: readonly string[];
  readonly whatIf?: NamedText;
}

const MOST_DAYS = 730;

export function checkForecastRequest({ days }: ForecastRequest): void {
  if (days <= MOST_DAYS) return;
  throw new EchelonError({
    code: 'FLAG_INVALID',
    message: `--days ${days} is too far ahead`,
    hint: `use at most ${MOST_DAYS} days`,
  });
}

/** The forecast of some organizations; with a what-if, that of the changed fleet, and what the change moves. */
export async function forecastOf(
  all: readonly ForecastOrganization[],
  request: ForecastRequest,
  { rules, now }: { readonly rules: Rules; readonly now: Date },
): Promise<ForecastChange> {
  const chosen = chosenOf(all, request.organizations ?? []);
  const from: Instant = instantOf(now.getTime());
  const options = { from, days: request.days, every: request.every * MICROS.minute, rules };
  const narrowed = (whole: Forecast): Forecast => ({
    ...whole,
    clusters: whole.clusters.filter(({ orgId }) => chosen.has(orgId)),
  });
  if (request.whatIf === undefined) return { forecast: narrowed(forecast(all, options)) };
  const whatIf = await parseWhatIf(request.whatIf, from);
  const changed = applyWhatIf(all, whatIf, rules);
  const before = upgradesIn(narrowed(forecast(all, options)));
  const after = narrowed(forecast(changed, { ...options, releases: whatIf.releases }));
  return { forecast: after, moves: movesBetween(before, after) };
}

/** What is compared; what clusters wait for is let go before the other forecast is made. */
function upgradesIn(whole: Forecast): Forecast {
  return { ...whole, clusters: whole.clusters.map((cluster) => ({ ...cluster, waiting: [] })) };
}

function chosenOf(all: readonly ForecastOrganization[], names: readonly string[]): ReadonlySet<string> {
  const known = all.flatMap(({ orgId, name }) => [orgId, name]);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new EchelonError({
      code: 'ORGANIZATION_UNKNOWN',
      message: `no organization ${stranger} in this forecast`,
      hint: didYouMean(stranger, new Set(known), 'use one that is served and has a labelled cluster'),
    });
  const chosen = all.filter(({ orgId, name }) => names.length === 0 || names.includes(orgId) || names.includes(name));
  return new Set(chosen.map(({ orgId }) => orgId));
}

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

/** A forecast, and what a what-if changes in it. */
export interface ForecastChange {
  readonly forecast: Forecast;
  readonly moves?: readonly Move[];
}
