import { CRON_FIELDS, type ParsedCron, parseCronValues } from './cron-field.ts';

/** Times of a day, in seconds from midnight. */
export interface CronTimes {
  readonly first: number;
  /** The first match from a second of the day on. */
  from(second: number): number | undefined;
}

export function parseCronTimes(second: string, minute: string, hour: string): ParsedCron<CronTimes> {
  const parts = [
    parseCronValues(minute, CRON_FIELDS.minute),
    parseCronValues(hour, CRON_FIELDS.hour),
    parseCronValues(second, CRON_FIELDS.second),
  ];
  for (const part of parts) if ('fault' in part) return part;
  const [minutes, hours, seconds] = parts.map((part) => [...(part as Set<number>)].sort((a, b) => a - b)) as [
    number[],
    number[],
    number[],
  ];
  const from = (start: number): number | undefined => {
    for (const h of hours.filter((value) => value >= Math.floor(start / 3_600)))
      for (const m of minutes.filter((value) => h * 60 + value >= Math.floor(start / 60))) {
        const found = seconds.find((value) => h * 3_600 + m * 60 + value >= start);
        if (found !== undefined) return h * 3_600 + m * 60 + found;
      }
    return undefined;
  };
  return { first: from(0) ?? 0, from };
}
