import { type Instant, secondText } from '../../gates/index.ts';
import type { ClusterForecast, Forecast } from './forecast.ts';
import type { ForecastUpgrade } from './upgrade-runs.ts';

/** Octets of a line of a calendar; longer ones are folded. */
const LONGEST_LINE = 75;

/** A calendar with one event for each upgrade (RFC 5545). */
export function forecastCalendar({ from, clusters }: Forecast): string {
  const events = clusters.flatMap((cluster) => cluster.upgrades.flatMap((upgrade) => eventOf(cluster, upgrade, from)));
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Echelon//Upgrade forecast//EN',
    'METHOD:PUBLISH',
    ...events,
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

function eventOf(cluster: ClusterForecast, upgrade: ForecastUpgrade, made: Instant): string[] {
  const { environment, organization, name, uuid } = cluster;
  const { version, from, nodePool, startsAt, endsAt } = upgrade;
  const what = nodePool === undefined ? name : `${name} ${nodePool}`;
  return [
    'BEGIN:VEVENT',
    `UID:${escaped([uuid, nodePool ?? 'cluster', version].join('/'))}@echelon`,
    `DTSTAMP:${stampOf(made)}`,
    `DTSTART:${stampOf(startsAt)}`,
    `DTEND:${stampOf(endsAt)}`,
    `SUMMARY:${escaped(`${what}: ${from} to ${version}`)}`,
    `DESCRIPTION:${escaped(`Forecast for ${environment}/${organization}, if nothing else changes.`)}`,
    'END:VEVENT',
  ];
}

/** `20260302T100700Z` */
function stampOf(instant: Instant): string {
  return secondText(instant).replaceAll(/[-:]/g, '');
}

/** Characters that a calendar forbids are removed. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll(/\r\n|\r|\n/g, String.raw`\n`)
    .replaceAll(/(?!\t)\p{Cc}/gu, '');
}

/** A fold never splits a character. */
function folded(line: string): string {
  const parts: string[] = [];
  let part = '';
  for (const char of line) {
    if (Buffer.byteLength(part + char) > LONGEST_LINE) {
      parts.push(part);
      part = ' ';
    }
    part += char;
  }
  return [...parts, part].join('\r\n');
}
