import { exponentOf } from '../exponent.ts';
import { AS_STARTED, runScript, type Sample } from '../measure.ts';
import { script } from '../part.ts';
import { MIB, type Row, sizeText, timeText } from '../row.ts';

const DAYS = 90;
const ORGANIZATIONS = 50;
const EACH = 100;
/** Organizations of the smallest mixed fleet. */
const FEW = 12;
/** Its clusters are not all upgraded within the longer time, so that there are as many events in each half of it. */
const LARGE = 2_500;
const LIMIT_SECONDS = 7;
const LIMIT_MIB = 300;
const EXPONENT = { atMost: 1.1 };

/** Forecasts through the service, against a simulated OCM that is another process. */
export function benchForecast(): Row[] {
  const many = measured(ORGANIZATIONS, EACH, DAYS);
  const fewer = [ORGANIZATIONS / 4, ORGANIZATIONS / 2].map(Math.ceil);
  const fleets = [
    ...fewer.map((count) => ({ x: count * EACH, sample: measured(count, EACH, DAYS) })),
    { x: ORGANIZATIONS * EACH, sample: many },
  ];
  const long = [DAYS, 2 * DAYS].map((days) => ({ x: days, sample: measured(1, LARGE, days) }));
  const what = `forecast of ${DAYS} days, 5,000 clusters in 50 organizations`;
  return [
    {
      ...{ what: `${what}: seconds`, echelon: timeText(many.milliseconds), limit: { atMost: LIMIT_SECONDS } },
      ratio: many.milliseconds / 1_000,
    },
    {
      ...{ what: `${what}: peak memory in MiB`, echelon: sizeText(many.maxRss), limit: { atMost: LIMIT_MIB } },
      ratio: many.maxRss / MIB,
    },
    { what: `${what}, with reading them from OCM`, echelon: timeText(many['whole'] ?? Number.NaN) },
    curve('forecast of 1,300 to 5,000 clusters in 13 to 50 organizations', 'clusters', fleets),
    curve('forecast of 90 and 180 days, 2,500 clusters in one organization', 'days', long),
    ...whatIfRows('mixed', FEW, measured(FEW, EACH, DAYS, 'mixed')),
  ];
}

/** Fleets whose decisions depend on each other in every way there is: with windows once a week, and with long ones every day. */
export function benchMixedForecast(): Row[] {
  const fleets = [FEW, 2 * FEW, ORGANIZATIONS].map((count) => ({
    ...{ x: count * EACH, count, sample: measured(count, EACH, DAYS, 'mixed') },
  }));
  const daily = [2 * FEW, ORGANIZATIONS].map((count) => ({
    ...{ x: count * EACH, count, sample: measured(count, EACH, DAYS, 'daily') },
  }));
  return [
    ...fleets.slice(-1).flatMap(({ count, sample }) => whatIfRows('mixed', count, sample)),
    curve('what-if of weekly releases, 1,200 to 5,000 mixed clusters', 'clusters', fleets),
    // Harder than the fleets that the limits are for: 22 upgrades of each cluster. Reported, so that we see where it goes.
    ...daily.slice(-1).flatMap(({ count, sample }) => whatIfRows('daily', count, sample).map(withoutLimit)),
    withoutLimit(curve('what-if of weekly releases, 2,400 and 5,000 daily clusters', 'clusters', daily)),
  ];
}

function withoutLimit({ limit: _, ...row }: Row): Row {
  return row;
}

/** How the organizations of a what-if are made. */
type Kind = 'mixed' | 'daily';

/** A what-if is two forecasts; each may take what one of a simpler fleet of the same size may. */
function whatIfRows(kind: Kind, organizations: number, { milliseconds, maxRss }: Sample): Row[] {
  const clusters = organizations * EACH;
  const what = `what-if of weekly releases over ${DAYS} days, ${clusters.toLocaleString('en')} ${kind} clusters`;
  const seconds = { atMost: (LIMIT_SECONDS * clusters) / (ORGANIZATIONS * EACH) };
  return [
    {
      ...{ what: `${what}: seconds for each of its two forecasts`, echelon: timeText(milliseconds / 2) },
      ...{ ratio: milliseconds / 2_000, limit: seconds },
    },
    {
      ...{ what: `${what}: peak memory in MiB`, echelon: sizeText(maxRss) },
      ...{ ratio: maxRss / MIB, limit: { atMost: LIMIT_MIB } },
    },
  ];
}

function curve(what: string, x: string, samples: readonly { readonly x: number; readonly sample: Sample }[]): Row {
  const points = samples.map((each) => ({ x: each.x, y: each.sample['cpu'] ?? Number.NaN }));
  const last = points.at(-1) ?? { x: 0, y: Number.NaN };
  return {
    what: `${what}: exponent`,
    echelon: `at ${last.x.toLocaleString('en')}: ${timeText(last.y)}`,
    ...{ ratio: exponentOf(points), limit: EXPONENT, points, axes: { x, y: 'ms' } },
  };
}

function measured(organizations: number, perOrganization: number, days: number, ...kind: readonly Kind[]): Sample {
  const numbers = [organizations, perOrganization, days].map(String);
  return runScript(script('forecast.ts'), [...numbers, ...kind], AS_STARTED);
}
