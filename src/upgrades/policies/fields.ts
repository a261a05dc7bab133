import { RE2JS } from 're2js';
import { memoize, messageOf } from '../../base/index.ts';
import { everMatches, parseFreeze, restrictsBothDays, scheduleFault } from '../../gates/index.ts';
import { cleanMembers, type Reading, splitCsv } from './label-keys.ts';
import { error, type Fault, warning } from './org-spec.ts';

/** Members that a list may have. */
export const MAX_MEMBERS = 200;

/** A value and its problems. Without a value it could not be read at all. */
export interface Field<Value> {
  readonly value?: Value;
  readonly faults: readonly Fault[];
}

export function checkSoakDays(key: string, days: number | undefined, { strict }: Reading): Field<number> {
  if (days === undefined) return { faults: [error(key, 'not a whole number of days', 'use a number, such as 7')] };
  if (days < 0) return { faults: [error(key, `${days} is less than 0`, 'use 0 or more days')] };
  if (strict && days > MAX_SOAK_DAYS) {
    return { faults: [error(key, `${days} is more than ${MAX_SOAK_DAYS}`, 'use a realistic number of days')] };
  }
  return { value: days, faults: [] };
}

export function checkSchedule(key: string, schedule: string, { strict }: Reading): Field<string> {
  const dialect = strict ? 'five-fields' : 'croniter';
  const fault = scheduleFault(schedule, dialect);
  const hint = 'use minute hour day month weekday in UTC, such as 0 8 * * 1-5';
  if (fault !== undefined)
    return { faults: [error(key, `${JSON.stringify(schedule)} is not a valid schedule: ${fault}`, hint)] };
  if (!strict) return { value: schedule, faults: [] };
  if (!everMatches(schedule, dialect)) {
    return { faults: [error(key, `${JSON.stringify(schedule)} matches no date`, hint)] };
  }
  return { value: schedule, faults: restrictsBothDays(schedule) ? [bothDays(key, schedule)] : [] };
}

function bothDays(key: string, schedule: string): Fault {
  return warning(
    key,
    `${JSON.stringify(schedule)} restricts days of the month and weekdays: a day must match both`,
    'leave one of the two as * if you meant either',
  );
}

/** A list of names. A blank member is an error, as its meaning is unknown; the others are still known. */
export function checkNames(key: string, given: readonly string[], { strict }: Reading): Field<readonly string[]> {
  if (!strict) return { value: given, faults: [] };
  const { members, hasBlank } = cleanMembers(given);
  const faults = [
    ...(hasBlank ? [error(key, 'the list has a blank member', 'remove the extra comma')] : []),
    ...lengthFaults(key, members),
  ];
  return { value: members, faults };
}

export function lengthFaults(key: string, { length }: readonly string[]): Fault[] {
  return length > MAX_MEMBERS ? [error(key, `the list has ${length} members`, `use at most ${MAX_MEMBERS}`)] : [];
}

export function checkWorkloads(key: string, given: readonly string[], reading: Reading): Field<readonly string[]> {
  const { value = [], faults } = checkNames(key, given, reading);
  if (value.length > 0) return { value, faults };
  return { faults: [error(key, 'no workload', 'list what runs on the cluster, such as its service')] };
}

/** A list with an invalid pattern is rejected as a whole: what it should block is unknown. */
export function checkPatterns(key: string, given: readonly string[], reading: Reading): Field<readonly string[]> {
  const names = checkNames(key, given, reading);
  if (!reading.strict) return names;
  const faults = [...names.faults, ...(names.value ?? []).flatMap((pattern) => patternFaults(key, pattern))];
  return faults.length === 0 ? names : { faults };
}

/** A list with an invalid freeze is rejected as a whole: when to stand still is unknown. The existing scheduler has none. */
export function checkFreezes(key: string, given: readonly string[], reading: Reading): Field<readonly string[]> {
  if (!reading.strict) return { faults: [] };
  const names = checkNames(key, given, reading);
  const faults = [...names.faults, ...(names.value ?? []).flatMap((text) => freezeFaults(key, text))];
  return faults.length === 0 ? names : { faults };
}

function freezeFaults(key: string, text: string): Fault[] {
  const freeze = parseFreeze(text);
  if (!('fault' in freeze)) return [];
  const hint = 'use FROM/UNTIL=REASON without commas, such as 2026-12-20T00:00:00Z/2027-01-03T00:00:00Z=quarter end';
  return [error(key, `${JSON.stringify(text)} is not a freeze: ${freeze.fault}`, hint)];
}

/** Halves of `{1,2}`: each is a valid pattern, but not what was meant. */
const TORN = /\{\d*$|^\d*\}/;

function patternFaults(key: string, pattern: string): Fault[] {
  const fault = patternFault(pattern) ?? (TORN.test(pattern) ? 'a comma split it' : undefined);
  if (fault === undefined) return [];
  const problem = `${JSON.stringify(pattern)} is not a valid regular expression: ${fault}`;
  return [error(key, problem, 'use RE2 syntax without commas, such as ^4\\.13\\..*$')];
}

/** A gate that Echelon does not know may still exist; approving it is harmless. */
export function checkApprovals(key: string, given: readonly string[], reading: Reading): Field<readonly string[]> {
  const names = checkNames(key, given, reading);
  if (!reading.strict) return names;
  const unknown = (names.value ?? []).filter((label) => !KNOWN_VERSION_GATES.has(label));
  const problems = unknown.map((label) =>
    warning(key, `${label} is not a known version gate`, `use ${[...KNOWN_VERSION_GATES].join(', ')}`),
  );
  return { ...names, faults: [...names.faults, ...problems] };
}

const LIMIT = /^(?:\d{1,3}|\d{1,2}%|100%)$/;

/** There is no limit of zero; it counts as 1. */
export function checkLimit(key: string, limit: string, { strict }: Reading): Field<string> {
  if (!strict) return { value: limit, faults: [] };
  if (!LIMIT.test(limit)) {
    return {
      faults: [error(key, `${JSON.stringify(limit)} is not a valid limit`, 'use a number from 1, or 1% to 100%')],
    };
  }
  const isZero = /^0+%?$/.test(limit);
  const problem = warning(key, `the limit ${limit} counts as 1`, 'use 1; to stop upgrades, block versions');
  return { value: limit, faults: isZero ? [problem] : [] };
}

/** Longer patterns are refused: a block only names versions. */
export const MAX_PATTERN_LENGTH = 500;
const MAX_KNOWN = 1_000;

type Compiled = { readonly regex: RE2JS } | { readonly fault: string };

/** Patterns come from anyone who may label a cluster, so they run on an engine with linear time. */
const compile = memoize(MAX_KNOWN, (pattern): Compiled => {
  if (pattern.length > MAX_PATTERN_LENGTH) return { fault: `it is longer than ${MAX_PATTERN_LENGTH} characters` };
  try {
    return { regex: RE2JS.compile(pattern) };
  } catch (thrown) {
    return { fault: messageOf(thrown).replace(/^error parsing regexp: /, '') };
  }
});

/** Why a text is not a valid RE2 pattern; undefined for a valid one. */
export function patternFault(pattern: string): string | undefined {
  const compiled = compile(pattern);
  return 'fault' in compiled ? compiled.fault : undefined;
}

type Block = { readonly pattern: string } | { readonly pattern: string; readonly fault: string };

/**
 * The first pattern that matches anywhere in the version (unanchored, so the empty one matches all), or the first that is
 * not valid: a list that cannot be read blocks.
 */
export function findBlock(patterns: readonly string[], version: string): Block | undefined {
  let found: Block | undefined;
  for (const pattern of patterns) {
    const compiled = compile(pattern);
    if ('fault' in compiled) return { pattern, fault: compiled.fault };
    if (found === undefined && compiled.regex.test(version)) found = { pattern };
  }
  return found;
}

/** More is most likely a typo. */
const MAX_SOAK_DAYS = 36_500;

const WHOLE_NUMBER = /^\s*([+-]?\d+(?:_\d+)*)(?:\.0+)?\s*$/;

/** Whole days, also written as `+3`, `1_000` or `1.0`; undefined for anything else. */
export function parseSoakDays(text: string): number | undefined {
  const [, digits] = WHOLE_NUMBER.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits.replaceAll('_', ''));
}

/**
 * Version gates that may be agreed to for a cluster, from the effective label: the subscription's, else the
 * organization's. Without one it is OpenShift's own gate.
 */
export function enabledGates(label: string | undefined, reading: Reading): ReadonlySet<string> {
  const given = splitCsv(label ?? '', reading);
  const members = reading.strict ? cleanMembers(given).members : given;
  return new Set(members.length === 0 ? [GATE_LABELS.ocp] : members);
}

/** Gates that Echelon knows; others of OCM are ignored. */
export const GATE_LABELS = {
  ocp: 'api.openshift.com/gate-ocp',
  sts: 'api.openshift.com/gate-sts',
  ingress: 'api.openshift.com/gate-ingress',
} as const;
export const KNOWN_VERSION_GATES: ReadonlySet<string> = new Set(Object.values(GATE_LABELS));
