import { memoize } from '../../base/index.ts';
import type { DayRule } from './cron-days.ts';
import type { ParsedCron } from './cron-field.ts';
import { type CronFieldTexts, type CronSchedule, parseCronSchedule } from './cron-schedule.ts';

/** Extensions of other cron dialects that neither Kubernetes nor `five-fields` supports. */
const EXTENSIONS = /[LW#+]/i;
const NAMES = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat/gi;
const BARE_STEP = /(?:^|,)\//;

/** Five fields, whatever they say, as a regular expression. */
export const FIVE_FIELDS_PATTERN = '^\\s*\\S+(?:\\s+\\S+){4}\\s*$';

/** Minute, hour, day, month and weekday, and nothing else. */
export function fiveFields(text: string): ParsedCron<CronFieldTexts> {
  const fields = text.trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday)
    return { fault: 'it must have five fields: minute hour day month weekday' };
  if (EXTENSIONS.test(text.replace(NAMES, '0'))) return { fault: 'L, W, # and + are not supported' };
  if (fields.some((field) => BARE_STEP.test(field))) return { fault: 'a step needs * or a range before it' };
  return { minute, hour, day, month, weekday };
}

/** In UTC. */
export function compileCron(texts: ParsedCron<CronFieldTexts>, rule: DayRule = 'both'): ParsedCron<CronSchedule> {
  return 'fault' in texts ? texts : parseCronSchedule(texts, rule);
}

/** A fleet has few schedules and many clusters; parsing one costs as much as a small datafile. */
const MAX_KNOWN = 1_000;
const known = memoize(MAX_KNOWN, (expression) => ({ fault: findFault(expression) }));

/** Why a five-field cron expression in UTC is invalid, or undefined. */
export function cronFault(expression: string): string | undefined {
  return known(expression).fault;
}

function findFault(expression: string): string | undefined {
  const compiled = compileCron(fiveFields(expression));
  if ('fault' in compiled) return compiled.fault;
  const everMatches = matchesSomeDay(expression) || compiled.next(0) !== undefined;
  return everMatches ? undefined : 'it never matches a date';
}

/** Only a day of the month can be one that never comes; looking for the next run costs more than all the rest. */
function matchesSomeDay(expression: string): boolean {
  return expression.trim().split(/\s+/)[2] === '*';
}
