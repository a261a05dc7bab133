import { Cron } from 'croner';
import { memoize, messageOf } from '../../base/index.ts';

/** Extensions of the cron library that neither Kubernetes nor the existing scheduler supports. */
const EXTENSIONS = /[LW#+]/i;
const NAMES = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat/gi;
const BARE_STEP = /(?:^|,)\//;

/** An expression for the cron library, or why there is none. */
export type CronText = { readonly expression: string } | { readonly fault: string };

/** Minute, hour, day, month and weekday, and nothing else. */
export function fiveFields(text: string): CronText {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5) return { fault: 'it must have five fields: minute hour day month weekday' };
  if (EXTENSIONS.test(text.replace(NAMES, '0'))) return { fault: 'L, W, # and + are not supported' };
  if (fields.some((field) => BARE_STEP.test(field))) return { fault: 'a step needs * or a range before it' };
  return { expression: fields.join(' ') };
}

export type CompiledCron = { readonly cron: Cron } | { readonly fault: string };

/** In UTC; a day must fit the day of the month and the weekday. */
export function compileCron(text: CronText): CompiledCron {
  if ('fault' in text) return text;
  try {
    const options = { paused: true, utcOffset: 0, domAndDow: true, sloppyRanges: true };
    return { cron: new Cron(text.expression, options) };
  } catch (thrown) {
    return { fault: faultOf(messageOf(thrown)) };
  }
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
  const everMatches = matchesSomeDay(expression) || compiled.cron.nextRun(new Date(0)) !== null;
  return everMatches ? undefined : 'it never matches a date';
}

/** Only a day of the month can be one that never comes; looking for the next run costs more than all the rest. */
function matchesSomeDay(expression: string): boolean {
  return expression.trim().split(/\s+/)[2] === '*';
}

/** The library counts days and months from zero in its messages. */
function faultOf(message: string): string {
  return message
    .replace(/^CronPattern: /, '')
    .replace(
      /^(Invalid value for (?:day|month): )(-?\d+)$/,
      (_, text: string, value: string) => text + (Number(value) + 1),
    );
}
