import { Cron } from 'croner';
import { messageOf } from '../../../base/index.ts';
import { type Fields, fieldsAt, type KubeObject } from '../objects.ts';
import type { FieldError } from '../status.ts';
import { invalidValue, required, unsupported } from './field-errors.ts';
import { checkPodTemplate } from './pods.ts';
import { checkImmutable, checkNonNegative } from './workloads.ts';

const POLICIES = ['Allow', 'Forbid', 'Replace'];
/** A job of it is named after it and the time. */
const CRON_JOB_NAME_LIMIT = 52;

export function checkCronJob(object: KubeObject): FieldError[] {
  return [...checkCronJobUpdate(object), ...checkNameLength(object)];
}

function checkNameLength({ metadata }: KubeObject): FieldError[] {
  if ((metadata.name ?? '').length <= CRON_JOB_NAME_LIMIT) return [];
  return [invalidValue('metadata.name', metadata.name, `must be no more than ${CRON_JOB_NAME_LIMIT} characters`)];
}

export function checkCronJobUpdate(object: KubeObject): FieldError[] {
  const spec = fieldsAt(object, 'spec');
  const policy = String(spec['concurrencyPolicy'] ?? '');
  return [
    ...checkSchedule(String(spec['schedule'] ?? '')),
    ...checkNonNegative(spec, 'spec', 'startingDeadlineSeconds'),
    ...checkTimeZone(spec['timeZone']),
    ...(POLICIES.includes(policy) ? [] : [unsupported('spec.concurrencyPolicy', policy, POLICIES)]),
    ...checkJobSpec(fieldsAt(spec, 'jobTemplate', 'spec'), 'spec.jobTemplate.spec'),
    ...checkNonNegative(spec, 'spec', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'),
  ];
}

function checkSchedule(schedule: string): FieldError[] {
  const field = 'spec.schedule';
  if (schedule === '') return [required(field)];
  if (schedule.includes('TZ'))
    return [invalidValue(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  const parts = schedule.trim().split(/\s+/);
  if (schedule.startsWith('@')) {
    const isKnown = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/.test(schedule);
    return isKnown ? [] : [invalidValue(field, schedule, `unrecognized descriptor: ${schedule}`)];
  }
  if (parts.length !== 5)
    return [invalidValue(field, schedule, `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`)];
  try {
    new Cron(schedule, { paused: true, mode: '5-part' });
    return [];
  } catch (error) {
    return [invalidValue(field, schedule, messageOf(error))];
  }
}

function checkTimeZone(timeZone: unknown): FieldError[] {
  if (typeof timeZone !== 'string') return [];
  const field = 'spec.timeZone';
  if (timeZone === '') return [invalidValue(field, timeZone, 'timeZone must be nil or non-empty string')];
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return [];
  } catch {
    return [invalidValue(field, timeZone, `unknown time zone ${timeZone}`)];
  }
}

const COUNTS = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];

function checkJobSpec(spec: Fields, path: string): FieldError[] {
  const template = fieldsAt(spec, 'template');
  const policy = fieldsAt(template, 'spec')['restartPolicy'];
  const field = `${path}.template.spec.restartPolicy`;
  return [
    ...checkNonNegative(spec, path, ...COUNTS),
    ...checkPodTemplate(template, `${path}.template`),
    ...(policy === 'Always' ? [required(field, 'valid values: "OnFailure", "Never"')] : []),
    ...(policy === 'Always' || policy === 'OnFailure' || policy === 'Never'
      ? []
      : [unsupported(field, policy, ['OnFailure', 'Never'])]),
  ];
}

export function checkJob(object: KubeObject): FieldError[] {
  return checkJobSpec(fieldsAt(object, 'spec'), 'spec');
}

export function checkJobUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const spec = fieldsAt(object, 'spec');
  const before = fieldsAt(old, 'spec');
  return [
    ...checkJob(object),
    ...checkImmutable(spec, before, 'spec', 'completions', 'selector', 'template'),
    ...checkImmutable(
      spec,
      before,
      'spec',
      'completionMode',
      'podFailurePolicy',
      'backoffLimitPerIndex',
      'managedBy',
      'successPolicy',
    ),
  ];
}
