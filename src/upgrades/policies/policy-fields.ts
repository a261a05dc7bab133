import { everMatches, restrictsBothDays, scheduleFault } from '../../gates/index.ts';
import { cleanMembers, type Reading } from './csv.ts';
import { patternFault } from './patterns.ts';
import { error, type Fault, warning } from './problem.ts';
import { MAX_SOAK_DAYS } from './soak-days.ts';
import { KNOWN_VERSION_GATES } from './version-gate-labels.ts';

/** Members that a list may have. */
export const MAX_MEMBERS = 200;

/** A value that was read, and what is wrong with it. Without a value it could not be read at all. */
export interface Field<Value> {
  readonly value?: Value;
  readonly faults: readonly Fault[];
}

export function checkSoakDays(key: string, days: number | undefined, { strict }: Reading): Field<number> {
  if (days === undefined)
    return { faults: [error(key, 'it is not a whole number of days', 'write a number, such as 7')] };
  if (days < 0) return { faults: [error(key, `${days} is less than 0`, 'write 0 or more days')] };
  if (strict && days > MAX_SOAK_DAYS) {
    return { faults: [error(key, `${days} is more than ${MAX_SOAK_DAYS}`, 'write a number of days that can pass')] };
  }
  return { value: days, faults: [] };
}

export function checkSchedule(key: string, schedule: string, { strict }: Reading): Field<string> {
  const dialect = strict ? 'five-fields' : 'croniter';
  const fault = scheduleFault(schedule, dialect);
  const hint = 'write minute hour day month weekday in UTC, such as 0 8 * * 1-5';
  if (fault !== undefined)
    return { faults: [error(key, `${JSON.stringify(schedule)} is not a valid schedule: ${fault}`, hint)] };
  if (!strict) return { value: schedule, faults: [] };
  if (!everMatches(schedule, dialect)) {
    return { faults: [error(key, `${JSON.stringify(schedule)} matches no date that ever comes`, hint)] };
  }
  return { value: schedule, faults: restrictsBothDays(schedule) ? [bothDays(key, schedule)] : [] };
}

function bothDays(key: string, schedule: string): Fault {
  return warning(
    key,
    `${JSON.stringify(schedule)} names days of the month and weekdays: a day must be both`,
    'leave one of the two as *, if either was meant',
  );
}

/** A list of names. A blank member is an error, as nobody knows what was meant; the others are still known. */
export function checkNames(key: string, given: readonly string[], { strict }: Reading): Field<readonly string[]> {
  if (!strict) return { value: given, faults: [] };
  const { members, hasBlank } = cleanMembers(given);
  const faults = [
    ...(hasBlank ? [error(key, 'the list has a blank member', 'remove the comma that is too many')] : []),
    ...(members.length > MAX_MEMBERS
      ? [error(key, `the list has ${members.length} members`, `name at most ${MAX_MEMBERS}`)]
      : []),
  ];
  return { value: members, faults };
}

export function checkWorkloads(key: string, given: readonly string[], reading: Reading): Field<readonly string[]> {
  const { value = [], faults } = checkNames(key, given, reading);
  if (value.length > 0) return { value, faults };
  return { faults: [error(key, 'no workload is named', 'name what runs on the cluster, such as its service')] };
}

/** A list that cannot be read as a whole is no list: what it should block is not known. */
export function checkPatterns(key: string, given: readonly string[], reading: Reading): Field<readonly string[]> {
  const names = checkNames(key, given, reading);
  if (!reading.strict) return names;
  const faults = [...names.faults, ...(names.value ?? []).flatMap((pattern) => patternFaults(key, pattern))];
  return faults.length === 0 ? names : { faults };
}

/** Halves of `{1,2}`, which both are patterns, but not what was meant. */
const TORN = /\{\d*$|^\d*\}/;

function patternFaults(key: string, pattern: string): Fault[] {
  const fault = patternFault(pattern) ?? (TORN.test(pattern) ? 'a comma tore it apart' : undefined);
  if (fault === undefined) return [];
  const told = `${JSON.stringify(pattern)} is no regular expression: ${fault}`;
  return [error(key, told, 'write it for RE2, without a comma, such as ^4\\.13\\..*$')];
}

/** A gate that Echelon does not know may still exist; approving it does no harm. */
export function checkApprovals(key: string, given: readonly string[], reading: Reading): Field<readonly string[]> {
  const names = checkNames(key, given, reading);
  if (!reading.strict) return names;
  const unknown = (names.value ?? []).filter((label) => !KNOWN_VERSION_GATES.has(label));
  const told = unknown.map((label) =>
    warning(key, `${label} is no known version gate`, `use ${[...KNOWN_VERSION_GATES].join(', ')}`),
  );
  return { ...names, faults: [...names.faults, ...told] };
}

const LIMIT = /^(?:\d{1,3}|\d{1,2}%|100%)$/;

/** Nothing at all cannot be a limit; what looks like it counts as one. */
export function checkLimit(key: string, limit: string, { strict }: Reading): Field<string> {
  if (!strict) return { value: limit, faults: [] };
  if (!LIMIT.test(limit)) {
    return { faults: [error(key, `${JSON.stringify(limit)} is no limit`, 'write a number from 1, or 1% to 100%')] };
  }
  const isZero = /^0+%?$/.test(limit);
  const told = warning(key, `the limit ${limit} counts as 1`, 'write 1; to stop upgrades, block versions');
  return { value: limit, faults: isZero ? [told] : [] };
}
