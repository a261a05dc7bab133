import { Cron } from 'croner';
import { messageOf } from '../../base/index.ts';

/** Extensions of the cron library that neither Kubernetes nor the existing scheduler knows. */
const EXTENSIONS = /#|\d[LW]|(?:^|[\s,])L/;

/** A fleet has few schedules and many clusters; parsing one costs as much as a small datafile. */
const known = new Map<string, string | undefined>();
const MAX_KNOWN = 1_000;

/** What is wrong with a five-field cron expression in UTC, or nothing. */
export function cronFault(expression: string): string | undefined {
  if (!known.has(expression)) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(expression, findFault(expression));
  }
  return known.get(expression);
}

function findFault(expression: string): string | undefined {
  if (expression.trim().split(/\s+/).length !== 5) return 'it must have five fields: minute hour day month weekday';
  if (EXTENSIONS.test(expression)) return 'L, W and # are not supported';
  try {
    const cron = new Cron(expression, {
      paused: true,
      mode: '5-part',
      timezone: 'UTC',
      domAndDow: true,
      sloppyRanges: true,
    });
    return cron.nextRun(new Date(0)) === null ? 'no date ever matches it' : undefined;
  } catch (thrown) {
    return messageOf(thrown).replace(/^CronPattern: /, '');
  }
}
