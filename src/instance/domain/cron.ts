import { Cron } from 'croner';
import { messageOf } from '../../base/index.ts';

/** Extensions of the cron library that neither Kubernetes nor the existing scheduler supports. */
const EXTENSIONS = /[LW#+]/i;
const NAMES = /jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat/gi;
const BARE_STEP = /(?:^|[\s,])\//;

/** A fleet has few schedules and many clusters; parsing one costs as much as a small datafile. */
const known = new Map<string, string | undefined>();
const MAX_KNOWN = 1_000;

/** Why a five-field cron expression in UTC is invalid, or undefined. */
export function cronFault(expression: string): string | undefined {
  if (!known.has(expression)) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(expression, findFault(expression));
  }
  return known.get(expression);
}

function findFault(expression: string): string | undefined {
  if (expression.trim().split(/\s+/).length !== 5) return 'it must have five fields: minute hour day month weekday';
  if (EXTENSIONS.test(expression.replace(NAMES, '0'))) return 'L, W, # and + are not supported';
  if (BARE_STEP.test(expression)) return 'a step needs * or a range before it';
  try {
    const cron = new Cron(expression, {
      paused: true,
      mode: '5-part',
      timezone: 'UTC',
      domAndDow: true,
      sloppyRanges: true,
    });
    return matchesSomeDay(expression) || cron.nextRun(new Date(0)) !== null ? undefined : 'it never matches a date';
  } catch (thrown) {
    return faultOf(messageOf(thrown));
  }
}

/** Only a day of the month can be one that does not exist; computing the next run costs more than all the rest. */
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
